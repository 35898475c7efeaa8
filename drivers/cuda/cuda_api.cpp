// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

// Bytes of a kernel's parameters. From CUDA 12.1 on kernels that are compiled for Volta or newer, as PTX 8.1 or newer,
// may have more; which a kernel was compiled as is the compiler's to check.
uint32_t MaxParameterBytes(int driver_version, int compute_capability) {
  return driver_version >= 12010 && compute_capability >= 70 ? 32764 : 4096;
}

}  // namespace

CudaApi::~CudaApi() {
  UnloadCountReader();
  if (!context_) return;
  const Exemption exempt(library_);
  static_cast<void>(library_.cuDevicePrimaryCtxRelease_v2(device_));
}

Status CudaApi::Open() {
  const Exemption exempt(library_);
  HAL_TRY(HALYARD_CUDA(library_, cuDevicePrimaryCtxRetain, (&context_, device_)));
  HAL_TRY(Describe());
  return ProbeFabric();
}

Status CudaApi::Describe() {
  const Exemption exempt(library_);
  int version = 0;
  HAL_TRY(HALYARD_CUDA(library_, cuDriverGetVersion, (&version)));
  int major = 0;
  int minor = 0;
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
  compute_capability_ = 10 * major + minor;
  api_version_ = version;
  SetIndirectTraits(version);
  HAL_TRY(ReadTraits());
  HAL_TRY(ReadSharedTraits());
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, &traits_.stream_writes));
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &traits_.clusters));
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, &traits_.cooperative));
  traits_.tensor_maps = library_.cuTensorMapEncodeTiled && compute_capability_ >= 90;
  traits_.max_constants_size = MaxParameterBytes(version, compute_capability_);
  traits_.patches_rows = false;  // cuGraphExecMemcpyNodeSetParams() takes copies of one row
  traits_.graph_peer_copies = true;
  traits_.graphs_outrun_launches = true;  // docs/performance/experiments/cuda.md
  HAL_TRY(ReadProperties());
  SetProperties(version);
  return kOk;
}

Status CudaApi::Enter(NativeCurrent* out_before) {
  CUcontext current = nullptr;
  HAL_TRY(HALYARD_CUDA(library_, cuCtxGetCurrent, (&current)));
  if (current == context_) return kOk;
  HAL_TRY(HALYARD_CUDA(library_, cuCtxPushCurrent_v2, (context_)));
  out_before->changed = true;
  return kOk;
}

void CudaApi::Leave(const NativeCurrent& before) {
  CUcontext left = nullptr;
  if (before.changed) static_cast<void>(library_.cuCtxPopCurrent_v2(&left));
}

Status CudaApi::DescribePointer(uint64_t pointer, NativePointerKind* out_kind) {
  int type = 0;
  const CUresult result = library_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
  *out_kind = NativePointerKind::kUnknown;
  if (result == CUDA_ERROR_INVALID_VALUE || (result == CUDA_SUCCESS && type == 0)) return kOk;
  if (result != CUDA_SUCCESS) return library_.Check("cuPointerGetAttribute", result);
  int managed = 0;
  int owner = device_;
  Status status = HALYARD_CUDA(library_, cuPointerGetAttribute, (&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer));
  if (status == kOk) {
    status = HALYARD_CUDA(library_, cuPointerGetAttribute, (&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
  }
  if (status != kOk) return status;
  if (static_cast<CUmemorytype>(type) == CU_MEMORYTYPE_HOST) {
    *out_kind = NativePointerKind::kHost;
  } else {
    *out_kind = managed != 0 || owner == device_ ? NativePointerKind::kDevice : NativePointerKind::kForeign;
  }
  return kOk;
}

Status CudaApi::Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) {
  return HALYARD_CUDA(library_, cuMemcpyAsync, (target, source, length, reinterpret_cast<CUstream>(stream)));
}

Status CudaApi::PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) {
  if (!library_.cuMemPrefetchAsync_v2) {
    return HALYARD_CUDA(library_, cuMemPrefetchAsync, (address, length, device_, reinterpret_cast<CUstream>(stream)));
  }
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  return HALYARD_CUDA(library_, cuMemPrefetchAsync_v2, (address, length, here, 0, reinterpret_cast<CUstream>(stream)));
}

}  // namespace halyard::cuda
