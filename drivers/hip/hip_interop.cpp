// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension "halyard.stream.interop", and external streams.
#include "halyard/hip_interop.h"

#include "hip/hip_api.h"
#include "hip/hip_compiler.h"
#include "stream/device/interop_table.h"

namespace halyard::hip {
namespace {

using Interop = InteropTable<HipVendor::kDriver>;

hal_status_t NativeDevice(hal_device_t* device, void** out_context, int32_t* out_ordinal) noexcept {
  return Interop::OnDevice("native_device", device, [&](StreamDevice& self) {
    if (!out_ordinal) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "out_ordinal is NULL");
    if (out_context) *out_context = nullptr;
    *out_ordinal = static_cast<const HipApi&>(self.api()).device();
    return kOk;
  });
}

constexpr int32_t kDLROCM = 10;
constexpr hal_stream_interop_interface_t kInterop = Interop::Make(NativeDevice, kDLROCM);

// NULL, the legacy and the per-thread stream (1 and 2) are no objects: they are those of the current device.
constexpr uintptr_t kLastSpecialStream = 2;

}  // namespace

std::span<const DeviceExtension> HipApi::Extensions() const {
  static constexpr DeviceExtension kExtensions[] = {{HAL_HIP_INTEROP_INTERFACE, 1, &kInterop},
                                                    {HAL_STREAM_INTEROP_INTERFACE, 1, &kInterop},
                                                    {HAL_SOURCE_COMPILER_INTERFACE, 1, &kSourceCompiler}};
  return kExtensions;
}

Status HipApi::CheckExternalStream(NativeStream stream) {
  hipDevice_t owner = device_;
  if (reinterpret_cast<uintptr_t>(stream) > kLastSpecialStream) {
    HAL_TRY(HALYARD_HIP(library_, hipStreamGetDevice, (reinterpret_cast<hipStream_t>(stream), &owner)));
  }
  if (owner != device_) return Fail(HAL_STATUS_INCOMPATIBLE, "the stream is of device %d, not of %d", owner, device_);
  return CheckNotCaptured(stream);
}

}  // namespace halyard::hip
