// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/graph_params.h"

#include "stream_api/graphs.h"
#include "stream_api/launches.h"

namespace halyard::cuda::abi {
namespace {

template <class Params>
bool IsAtCorner(const Params& params) {
  return params.srcY == 0 && params.srcZ == 0 && params.dstY == 0 && params.dstZ == 0;
}

uintptr_t SideAddress(CUmemorytype type, const void* host, CUdeviceptr device, size_t offset) {
  const auto base = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uintptr_t>(host) : static_cast<uintptr_t>(device);
  return base + offset;
}

bool IsSimulated(CUmemorytype type) {
  return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED;
}

}  // namespace

Error MakeWork(const CUDA_KERNEL_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return Error::kInvalidValue;
  const LaunchParams launch = {params->func,
                               {params->gridDimX, params->gridDimY, params->gridDimZ},
                               {params->blockDimX, params->blockDimY, params->blockDimZ},
                               params->sharedMemBytes,
                               params->kernelParams,
                               params->extra};
  return MakeWork(&launch, work);
}

template <class Params>
Error ReadRows(const Params* params, sim::CopyRows* copy) {
  if (params == nullptr || params->WidthInBytes == 0 || params->Height == 0 || params->Depth == 0) {
    return Error::kInvalidValue;
  }
  if (!IsAtCorner(*params) || !IsSimulated(params->srcMemoryType) || !IsSimulated(params->dstMemoryType)) {
    return Error::kNotSupported;
  }
  const sim::Copy row = {SideAddress(params->dstMemoryType, params->dstHost, params->dstDevice, params->dstXInBytes),
                         SideAddress(params->srcMemoryType, params->srcHost, params->srcDevice, params->srcXInBytes),
                         params->WidthInBytes, params->dstMemoryType != CU_MEMORYTYPE_DEVICE,
                         params->srcMemoryType != CU_MEMORYTYPE_DEVICE};
  *copy = {row,
           params->Height,
           params->Depth,
           params->dstPitch,
           params->dstPitch * params->dstHeight,
           params->srcPitch,
           params->srcPitch * params->srcHeight};
  return Error::kSuccess;
}

Error ReadCopy(const CUDA_MEMCPY3D* params, sim::CopyRows* copy) { return ReadRows(params, copy); }

Error ReadCopy(const CUDA_MEMCPY3D_PEER* params, sim::CopyRows* copy) {
  const Error error = ReadRows(params, copy);
  copy->row.any_device = true;
  return error;
}

Error MakeWork(const CUDA_MEMCPY3D* params, sim::Work* work) {
  sim::CopyRows copy;
  const Error error = ReadCopy(params, &copy);
  return error == Error::kSuccess ? MakeWork(&copy, work) : error;
}

Error MakeWork(const CUDA_MEMSET_NODE_PARAMS* params, Work* work) { return MakeRowFill(params, work); }

Error MakeWork(const CUDA_HOST_NODE_PARAMS* params, sim::Work* work) {
  if (params == nullptr || params->fn == nullptr) return Error::kInvalidValue;
  *work = sim::HostFunctionWork(params->fn, params->userData);
  return Error::kSuccess;
}

}  // namespace halyard::cuda::abi
