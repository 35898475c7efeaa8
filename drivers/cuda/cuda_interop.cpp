// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension "halyard.stream.interop", and external streams.
#include "halyard/cuda_interop.h"

#include "cuda/cuda_api.h"
#include "cuda/cuda_compiler.h"
#include "stream/device/interop_table.h"

namespace halyard::cuda {
namespace {

using Interop = InteropTable<CudaVendor::kDriver>;

hal_status_t NativeDevice(hal_device_t* device, void** out_context, int32_t* out_ordinal) noexcept {
  return Interop::OnDevice("native_device", device, [&](StreamDevice& self) {
    if (!out_ordinal) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "out_ordinal is NULL");
    const auto& api = static_cast<const CudaApi&>(self.api());
    if (out_context) *out_context = api.context();
    *out_ordinal = api.device();
    return kOk;
  });
}

constexpr int32_t kDLCUDA = 2;
constexpr hal_stream_interop_interface_t kInterop = Interop::Make(NativeDevice, kDLCUDA);

}  // namespace

std::span<const DeviceExtension> CudaApi::Extensions() const {
  static constexpr DeviceExtension kExtensions[] = {{HAL_CUDA_INTEROP_INTERFACE, 1, &kInterop},
                                                    {HAL_STREAM_INTEROP_INTERFACE, 1, &kInterop},
                                                    {HAL_SOURCE_COMPILER_INTERFACE, 1, &kSourceCompiler}};
  return kExtensions;
}

Status CudaApi::CheckExternalStream(NativeStream stream) {
  CUcontext owner = nullptr;
  HAL_TRY(HALYARD_CUDA(library_, cuStreamGetCtx, (reinterpret_cast<CUstream>(stream), &owner)));
  if (owner != context_) {
    return FailWith(HAL_STATUS_INCOMPATIBLE, "the stream is of another context than the device's primary one");
  }
  return CheckNotCaptured(stream);
}

}  // namespace halyard::cuda
