// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills on streams.
#include <memory>
#include <vector>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "engine/transfer.h"

namespace halyard::cuda::abi {
namespace {

bool IsKnown(uintptr_t address) { return Runtime::Get().memory.Find(address) != nullptr; }

// Of pageable memory the vendor takes a copy before the call returns.
sim::Work StagedCopyWork(sim::Copy copy) {
  const auto* source = reinterpret_cast<const std::byte*>(copy.source);
  const auto staged = std::make_shared<std::vector<std::byte>>(source, source + copy.size);
  copy.source = reinterpret_cast<uintptr_t>(staged->data());
  sim::Work work = sim::CopyWork(copy);
  work.run = [staged, run = std::move(work.run)](Lock& lock, sim::Context& context) { return run(lock, context); };
  return work;
}

Error SubmitCopy(const sim::Copy& copy, CUstream stream, Lock& lock) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  const Error error = sim::CheckCopy(copy);
  if (error != Error::kSuccess || copy.size == 0) return error;
  const bool staged = copy.host_source && !IsKnown(copy.source);
  const auto done = found->Submit(staged ? StagedCopyWork(copy) : sim::CopyWork(copy));
  if (!copy.host_target || IsKnown(copy.target)) return Error::kSuccess;
  // Into pageable memory the vendor copies while the caller waits.
  Runtime::Get().reports.Add(sim::Rule::kHiddenWait, "a copy to pageable memory made its caller wait");
  done->Wait(lock);
  return done->error();
}

Error SubmitFill(const sim::Fill& fill, CUstream stream) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  const Error error = sim::CheckFill(fill);
  if (error == Error::kSuccess && fill.count != 0) found->Submit(sim::FillWork(fill));
  return error;
}

}  // namespace

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    return SubmitCopy({dst, src, bytes, true, true}, stream, lock);
  });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    return SubmitCopy({dst, reinterpret_cast<uintptr_t>(src), bytes, false, true}, stream, lock);
  });
}

CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    return SubmitCopy({reinterpret_cast<uintptr_t>(dst), src, bytes, true, false}, stream, lock);
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    return SubmitCopy({dst, src, bytes, false, false}, stream, lock);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes,
                           CUstream stream) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    if (FindContext(dst_context) == nullptr || FindContext(src_context) == nullptr) return Error::kInvalidContext;
    return SubmitCopy({dst, src, bytes, false, false}, stream, lock);
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
