// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/transfers.h"

#include <utility>
#include <vector>

#include "stream_api/memory.h"

namespace halyard::sim {
namespace {

std::shared_ptr<Allocation> At(uintptr_t address) { return Runtime::Get().memory.Find(address); }

// Of pageable memory the vendor takes a copy before the call returns.
Work StagedCopyWork(Copy copy) {
  const auto* source = reinterpret_cast<const std::byte*>(copy.source);
  const auto staged = std::make_shared<std::vector<std::byte>>(source, source + copy.size);
  copy.source = reinterpret_cast<uintptr_t>(staged->data());
  Work work = CopyWork(copy);
  work.run = [staged, run = std::move(work.run)](Lock& lock, Context& context) { return run(lock, context); };
  return work;
}

// Why a copy keeps its caller waiting until the stream has carried it out; null if it does not.
const char* ReasonToWait(const Copy& copy) {
  const Rules& rules = Runtime::Get().rules;
  const auto source = At(copy.source);
  const auto target = At(copy.target);
  if (copy.host_target && target == nullptr) return "a copy to pageable memory";
  if (copy.host_source && source == nullptr && copy.size > rules.most_staged) return "a large copy of pageable memory";
  const bool from_host = source == nullptr ? copy.host_source : IsHost(*source);
  const bool on_host = from_host && target != nullptr && IsHost(*target);
  return on_host && rules.host_copies_wait ? "a copy inside the host's memory" : nullptr;
}

// Whether memory of another device is open to a context. The access of a context is not that of a pool.
bool IsOpenTo(const Allocation& memory, const Context& context) {
  const int here = context.device.ordinal;
  if (!memory.OnDevice() || memory.device->ordinal == here) return true;
  const bool peer = context.peers.contains(memory.device->ordinal);
  return memory.pool != nullptr ? peer && memory.pool->accessible.contains(here) : peer;
}

bool BothAreOpenTo(const Copy& copy, const Context& context) {
  const auto source = At(copy.source);
  const auto target = At(copy.target);
  return (source == nullptr || IsOpenTo(*source, context)) && (target == nullptr || IsOpenTo(*target, context));
}

}  // namespace

Copy CopyOf(Word target, Word source, size_t bytes, CopyKind kind) {
  return {target, source, bytes, kind == CopyKind::kAny || kind == CopyKind::kDownload,
          kind == CopyKind::kAny || kind == CopyKind::kUpload};
}

static Error Await(const char* reason, const std::shared_ptr<Completion>& done, Lock& lock) {
  if (reason == nullptr) return Error::kSuccess;
  Runtime::Get().reports.Add(Rule::kHiddenWait, std::string(reason) + " made its caller wait");
  done->Wait(lock);
  return done->error();
}

Error SubmitCopy(const Copy& copy, const void* stream, Lock& lock) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  const Error error = CheckCopy(copy);
  if (error != Error::kSuccess || copy.size == 0) return error;
  const char* const reason = ReasonToWait(copy);
  const bool staged = reason == nullptr && copy.host_source && At(copy.source) == nullptr;
  return Await(reason, found->Submit(staged ? StagedCopyWork(copy) : CopyWork(copy)), lock);
}

static Error ReportStaged(const Copy& row, size_t bytes, const void* stream) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  Runtime& runtime = Runtime::Get();
  if (runtime.settings.peer_access && bytes != 0 && !BothAreOpenTo(row, *found->context())) {
    runtime.reports.Add(Rule::kStagedPeerCopy, std::to_string(bytes) + " bytes travel through the host");
  }
  return Error::kSuccess;
}

Error SubmitPeerCopy(Copy copy, const void* stream, Lock& lock) {
  const Error error = ReportStaged(copy, copy.size, stream);
  copy.any_device = true;
  return error == Error::kSuccess ? SubmitCopy(copy, stream, lock) : error;
}

Error SubmitPeerCopy(const CopyRows& copy, const void* stream, Lock& lock) {
  const Error error = ReportStaged(copy.row, copy.row.size * copy.height * copy.depth, stream);
  return error == Error::kSuccess ? SubmitCopy(copy, stream, lock) : error;
}

Error SubmitCopy(const CopyRows& copy, const void* stream, Lock& lock) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (At(copy.row.source) == nullptr || At(copy.row.target) == nullptr) return Error::kNotSupported;
  const Error error = CheckCopy(copy);
  return error == Error::kSuccess ? Await(ReasonToWait(copy.row), found->Submit(CopyWork(copy)), lock) : error;
}

Error SubmitFill(const Fill& fill, const void* stream) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  const Error error = CheckFill(fill);
  if (error == Error::kSuccess && fill.count != 0) found->Submit(FillWork(fill));
  return error;
}

}  // namespace halyard::sim
