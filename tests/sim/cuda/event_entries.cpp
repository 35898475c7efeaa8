// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events.
#include "cuda/call.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {

Result cuEventCreate(Event* event, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (event == nullptr) return Error::kInvalidValue;
    auto made = std::make_shared<sim::Event>();
    made->context = CurrentContext();
    made->timing = (flags & static_cast<unsigned int>(EventFlags::kDisableTiming)) == 0;
    *event = ToHandle<Event>(Runtime::Get().events.Add(std::move(made)));
    return Error::kSuccess;
  });
}

Result cuEventDestroy_v2(Event event) {
  return Call(__func__, Requires::kContext, [&] {
    Runtime& runtime = Runtime::Get();
    const auto found = FindEvent(event);
    if (found == nullptr) return Error::kInvalidHandle;
    if (found->InUse()) runtime.reports.Add(sim::Rule::kDestroyInUse, "an event was destroyed before it was reached");
    runtime.events.Remove(found.get());
    return Error::kSuccess;
  });
}

Result cuEventRecord(Event event, Stream stream) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindEvent(event);
    const auto recording = FindStream(stream);
    if (found == nullptr || recording == nullptr) return Error::kInvalidHandle;
    if (found->context != recording->context()) return Error::kInvalidHandle;
    sim::RecordEvent(*found, *recording);
    return Error::kSuccess;
  });
}

Result cuEventQuery(Event event) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindEvent(event);
    return found == nullptr ? Error::kInvalidHandle : sim::QueryEvent(*found);
  });
}

Result cuEventSynchronize(Event event) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    const auto found = FindEvent(event);
    if (found == nullptr) return Error::kInvalidHandle;
    const auto recorded = found->recorded;
    if (recorded == nullptr) return Error::kSuccess;
    recorded->Wait(lock);
    return recorded->error();
  });
}

Result cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  return Call(__func__, Requires::kContext, [&] {
    const auto first = FindEvent(start);
    const auto last = FindEvent(end);
    if (first == nullptr || last == nullptr) return Error::kInvalidHandle;
    return milliseconds == nullptr ? Error::kInvalidValue : sim::ElapsedTime(*first, *last, milliseconds);
  });
}

}  // namespace halyard::cuda::abi
