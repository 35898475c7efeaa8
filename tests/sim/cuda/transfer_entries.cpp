// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills on streams.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/graph_params.h"
#include "stream_api/transfers.h"

namespace halyard::cuda::abi {

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return SubmitCopy(CopyOf(dst, src, bytes, CopyKind::kAny), stream, lock); });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return SubmitCopy(CopyOf(dst, src, bytes, CopyKind::kUpload), stream, lock); });
}

CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return SubmitCopy(CopyOf(dst, src, bytes, CopyKind::kDownload), stream, lock); });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return SubmitCopy(CopyOf(dst, src, bytes, CopyKind::kOnDevice), stream, lock); });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes,
                           CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    if (FindContext(dst_context) == nullptr || FindContext(src_context) == nullptr) return Error::kInvalidContext;
    return SubmitPeerCopy(CopyOf(dst, src, bytes, CopyKind::kOnDevice), stream, lock);
  });
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* params, CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    CopyRows copy;
    const Error error = ReadCopy(params, &copy);
    return error == Error::kSuccess ? SubmitCopy(copy, stream, lock) : error;
  });
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* params, CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    CopyRows copy;
    const Error error = ReadCopy(params, &copy);
    if (error != Error::kSuccess) return error;
    if (FindContext(params->dstContext) == nullptr || FindContext(params->srcContext) == nullptr) {
      return Error::kInvalidContext;
    }
    return SubmitPeerCopy(copy, stream, lock);
  });
}

CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return SubmitFill({dst, value, 1, count}, stream); });
}

CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return SubmitFill({dst, value, 2, count}, stream); });
}

CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t count, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return SubmitFill({dst, value, 4, count}, stream); });
}

}  // namespace halyard::cuda::abi
