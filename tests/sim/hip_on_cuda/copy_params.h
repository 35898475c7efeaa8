// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of copies, in CUDA's words.
#ifndef HALYARD_TESTS_SIM_HIP_ON_CUDA_COPY_PARAMS_H_
#define HALYARD_TESTS_SIM_HIP_ON_CUDA_COPY_PARAMS_H_

#include "cuda/abi/cuda_abi.h"
#include "hip/abi/hip_abi.h"
#include "stream/native/vendor_call.h"

namespace halyard::hip::abi {

// One row of bytes, whatever memory the addresses belong to.
inline CUDA_MEMCPY3D CopyParamsOf(void* target, const void* source, size_t bytes) {
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = params.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  params.srcDevice = stream::ToVendor<CUdeviceptr>(source);
  params.dstDevice = stream::ToVendor<CUdeviceptr>(target);
  params.WidthInBytes = bytes;
  params.Height = params.Depth = 1;
  return params;
}

// Rows of memory that is no array, from its first byte on.
inline CUDA_MEMCPY3D CopyParamsOf(const hipMemcpy3DParms& copy) {
  CUDA_MEMCPY3D params = CopyParamsOf(copy.dstPtr.ptr, copy.srcPtr.ptr, copy.extent.width);
  params.srcPitch = copy.srcPtr.pitch;
  params.srcHeight = copy.srcPtr.ysize;
  params.dstPitch = copy.dstPtr.pitch;
  params.dstHeight = copy.dstPtr.ysize;
  params.Height = copy.extent.height;
  params.Depth = copy.extent.depth;
  return params;
}

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_ON_CUDA_COPY_PARAMS_H_
