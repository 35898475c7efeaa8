// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: making, waiting, memory operations and host functions.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/streams.h"

namespace halyard::cuda::abi {
namespace {

// A flush beside the comparison changes nothing: memory is in order anyway.
Comparison ComparisonOf(unsigned int flags) {
  return static_cast<Comparison>(flags & ~static_cast<unsigned int>(CU_STREAM_WAIT_VALUE_FLUSH));
}

Error MemOp(CUstream stream, const CUstreamBatchMemOpParams& params) {
  switch (params.operation) {
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return StreamWriteValue(stream, params.writeValue.address, params.writeValue.value64);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return StreamWaitValue(stream, params.waitValue.address, params.waitValue.value64,
                             ComparisonOf(params.waitValue.flags));
    case CU_STREAM_MEM_OP_BARRIER:  // memory is in order anyway
      return Error::kSuccess;
    default:
      return Error::kNotSupported;
  }
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] { return CreateStream(stream, flags); });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int) {
  return Call(__func__, Requires::kContext, [&] { return CreateStream(stream, flags); });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return DestroyStream(stream); });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindAnyStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (context == nullptr) return Error::kInvalidValue;
    *context = ToHandle<CUcontext>(found->context().get());
    return Error::kSuccess;
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return QueryStream(stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return SynchronizeStream(stream, lock); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] { return StreamWaitEvent(stream, event, flags); });
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int) {
  return Call(__func__, Requires::kContext, [&] { return StreamWriteValue(stream, address, value); });
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags) {
  return Call(__func__, Requires::kContext,
              [&] { return StreamWaitValue(stream, address, value, ComparisonOf(flags)); });
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* params,
                               unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (FindStream(stream) == nullptr) return Error::kInvalidHandle;
    if (count == 0 || count > 256 || params == nullptr || flags != 0) return Error::kInvalidValue;
    for (unsigned int i = 0; i < count; ++i) {
      const Error error = MemOp(stream, params[i]);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void* user_data) {
  return Call(__func__, Requires::kContext, [&] { return StreamHostFunction(stream, fn, user_data); });
}

}  // namespace halyard::cuda::abi
