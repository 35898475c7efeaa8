// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/streams.h"

#include <functional>
#include <utility>

namespace halyard::sim {
namespace {

// Empty if there is no such comparison.
std::function<bool(uint64_t)> Compared(uint64_t value, Comparison comparison) {
  switch (comparison) {
    case Comparison::kGreaterOrEqual:
      return [value](uint64_t memory) { return static_cast<int64_t>(memory - value) >= 0; };
    case Comparison::kEqual:
      return [value](uint64_t memory) { return memory == value; };
    case Comparison::kAnd:
      return [value](uint64_t memory) { return (memory & value) != 0; };
    case Comparison::kNor:
      return [value](uint64_t memory) { return ~(memory | value) != 0; };
    default:
      return nullptr;
  }
}

Error CheckValueOperation(const Stream& stream, uintptr_t address) {
  if (!stream.context()->device.limits.stream_memory_operations) return Error::kNotSupported;
  if (address % sizeof(uint64_t) != 0) return Error::kInvalidValue;
  return Runtime::Get().memory.CheckAtSubmission(
      {address, sizeof(uint64_t), false, false, "a memory operation of a stream"});
}

}  // namespace

Error CreateStream(Out stream, unsigned int flags) {
  constexpr unsigned int kNonBlocking = 1;
  if (stream.IsNull() || flags > kNonBlocking) return Error::kInvalidValue;
  Runtime& runtime = Runtime::Get();
  stream.Put(runtime.streams.Add(runtime.MakeStream(CurrentContext(), flags != kNonBlocking)));
  return Error::kSuccess;
}

Error DestroyStream(const void* stream) {
  Runtime& runtime = Runtime::Get();
  const auto found = runtime.streams.Find(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (!found->IsIdle()) runtime.reports.Add(Rule::kDestroyInUse, "a stream was destroyed that was at work");
  found->Close();
  runtime.streams.Remove(found.get());
  return Error::kSuccess;
}

Error QueryStream(const void* stream) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (found->context()->lost != Error::kSuccess) return found->context()->lost;
  return found->IsIdle() ? Error::kSuccess : Error::kNotReady;
}

Error SynchronizeStream(const void* stream, Lock& lock) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (const auto tail = found->tail()) tail->Wait(lock);
  return found->context()->lost;
}

Error StreamWaitEvent(const void* stream, const void* event, unsigned int flags) {
  const auto found = FindStream(stream);
  const auto awaited = FindEvent(event);
  if (found == nullptr || awaited == nullptr) return Error::kInvalidHandle;
  if (flags != 0) return Error::kInvalidValue;
  WaitForEvent(*awaited, *found);
  return Error::kSuccess;
}

Error StreamWriteValue(const void* stream, Word address, uint64_t value) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  const Error error = CheckValueOperation(*found, address);
  if (error == Error::kSuccess) found->Submit(WriteValueWork(address, value));
  return error;
}

Error StreamWaitValue(const void* stream, Word address, uint64_t value, Comparison comparison) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  const Error error = CheckValueOperation(*found, address);
  if (error != Error::kSuccess) return error;
  auto reached = Compared(value, comparison);
  if (!reached) return Error::kInvalidValue;
  found->Submit(WaitValueWork(address, std::move(reached)));
  return Error::kSuccess;
}

Error StreamHostFunction(const void* stream, void (*function)(void*), void* user_data) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (function == nullptr) return Error::kInvalidValue;
  found->Submit(HostFunctionWork(function, user_data));
  return Error::kSuccess;
}

Error CreateEvent(Out event, bool timing) {
  if (event.IsNull()) return Error::kInvalidValue;
  auto made = std::make_shared<Event>();
  made->context = CurrentContext();
  made->timing = timing;
  event.Put(Runtime::Get().events.Add(std::move(made)));
  return Error::kSuccess;
}

Error DestroyEvent(const void* event) {
  Runtime& runtime = Runtime::Get();
  const auto found = FindEvent(event);
  if (found == nullptr) return Error::kInvalidHandle;
  if (found->InUse()) runtime.reports.Add(Rule::kDestroyInUse, "an event was destroyed before it was reached");
  runtime.events.Remove(found.get());
  return Error::kSuccess;
}

Error StreamRecordEvent(const void* event, const void* stream) {
  const auto found = FindEvent(event);
  const auto recording = FindStream(stream);
  if (found == nullptr || recording == nullptr) return Error::kInvalidHandle;
  if (found->context != recording->context()) return Error::kInvalidHandle;
  NoteFirstWork();
  RecordEvent(*found, *recording);
  return Error::kSuccess;
}

Error QueryEventOf(const void* event, Lock& lock) {
  const auto found = FindEvent(event);
  if (found == nullptr) return Error::kInvalidHandle;
  if (Runtime::Get().rules.queries_wait_for_waiters) found->waiters.WaitUntilIdle(lock);
  return QueryEvent(*found);
}

Error SynchronizeEvent(const void* event, Lock& lock) {
  const auto found = FindEvent(event);
  return found == nullptr ? Error::kInvalidHandle : AwaitEvent(*found, lock);
}

Error EventElapsedTime(float* milliseconds, const void* start, const void* end) {
  const auto first = FindEvent(start);
  const auto last = FindEvent(end);
  if (first == nullptr || last == nullptr) return Error::kInvalidHandle;
  return milliseconds == nullptr ? Error::kInvalidValue : ElapsedTime(*first, *last, milliseconds);
}

}  // namespace halyard::sim
