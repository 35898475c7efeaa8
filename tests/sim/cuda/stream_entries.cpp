// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: making, waiting, memory operations and host functions.
#include <algorithm>
#include <functional>

#include "cuda/call.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {
namespace {

Error CreateStream(CUstream* stream, unsigned int flags) {
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return Error::kInvalidValue;
  const bool blocking = flags == CU_STREAM_DEFAULT;
  Runtime& runtime = Runtime::Get();
  *stream = ToHandle<CUstream>(runtime.streams.Add(runtime.MakeStream(CurrentContext(), blocking)));
  return Error::kSuccess;
}

// How a value in memory is compared; empty if the flags say nothing of the kind.
std::function<bool(uint64_t)> Comparison(uint64_t value, unsigned int flags) {
  const unsigned int kind = flags & ~static_cast<unsigned int>(CU_STREAM_WAIT_VALUE_FLUSH);
  switch (static_cast<CUstreamWaitValue_flags>(kind)) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return [value](uint64_t memory) { return static_cast<int64_t>(memory - value) >= 0; };
    case CU_STREAM_WAIT_VALUE_EQ:
      return [value](uint64_t memory) { return memory == value; };
    case CU_STREAM_WAIT_VALUE_AND:
      return [value](uint64_t memory) { return (memory & value) != 0; };
    case CU_STREAM_WAIT_VALUE_NOR:
      return [value](uint64_t memory) { return ~(memory | value) != 0; };
    default:
      return nullptr;
  }
}

Error CheckValueOperation(const sim::Stream& stream, CUdeviceptr address) {
  if (!stream.context()->device.limits.stream_memory_operations) return Error::kNotSupported;
  if (address % sizeof(uint64_t) != 0) return Error::kInvalidValue;
  return Runtime::Get().memory.CheckAtSubmission(
      {static_cast<uintptr_t>(address), sizeof(uint64_t), false, false, "a memory operation of a stream"});
}

Error WriteValue(sim::Stream& stream, CUdeviceptr address, uint64_t value) {
  const Error error = CheckValueOperation(stream, address);
  if (error == Error::kSuccess) stream.Submit(sim::WriteValueWork(address, value));
  return error;
}

Error WaitValue(sim::Stream& stream, CUdeviceptr address, uint64_t value, unsigned int flags) {
  const Error error = CheckValueOperation(stream, address);
  if (error != Error::kSuccess) return error;
  auto reached = Comparison(value, flags);
  if (!reached) return Error::kInvalidValue;
  stream.Submit(sim::WaitValueWork(address, std::move(reached)));
  return Error::kSuccess;
}

Error MemOp(sim::Stream& stream, const CUstreamBatchMemOpParams& params) {
  switch (params.operation) {
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return WriteValue(stream, params.writeValue.address, params.writeValue.value64);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return WaitValue(stream, params.waitValue.address, params.waitValue.value64, params.waitValue.flags);
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
  return Call(__func__, Requires::kContext, [&] {
    Runtime& runtime = Runtime::Get();
    const auto found = runtime.streams.Find(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (!found->IsIdle()) runtime.reports.Add(sim::Rule::kDestroyInUse, "a stream was destroyed that was at work");
    found->Close();
    runtime.streams.Remove(found.get());
    return Error::kSuccess;
  });
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
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (found->context()->lost != Error::kSuccess) return found->context()->lost;
    return found->IsIdle() ? Error::kSuccess : Error::kNotReady;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    const auto found = FindStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (const auto tail = found->tail()) tail->Wait(lock);
    return found->context()->lost;
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    const auto awaited = FindEvent(event);
    if (found == nullptr || awaited == nullptr) return Error::kInvalidHandle;
    if (flags != 0) return Error::kInvalidValue;
    sim::WaitForEvent(*awaited, *found);
    return Error::kSuccess;
  });
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    return found == nullptr ? Error::kInvalidHandle : WriteValue(*found, address, value);
  });
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    return found == nullptr ? Error::kInvalidHandle : WaitValue(*found, address, value, flags);
  });
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* params,
                               unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (count == 0 || count > 256 || params == nullptr || flags != 0) return Error::kInvalidValue;
    for (unsigned int i = 0; i < count; ++i) {
      const Error error = MemOp(*found, params[i]);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void* user_data) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (fn == nullptr) return Error::kInvalidValue;
    found->Submit(sim::HostFunctionWork(fn, user_data));
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
