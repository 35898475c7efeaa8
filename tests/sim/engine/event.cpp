// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/event.h"

namespace halyard::sim {

void RecordEvent(Event& event, Stream& stream) { event.recorded = stream.Submit({}); }

void WaitForEvent(const Event& event, Stream& stream) {
  if (event.InUse()) stream.Submit({}, {event.recorded});
}

Error QueryEvent(const Event& event) {
  if (event.recorded == nullptr) return Error::kSuccess;
  return event.recorded->done() ? event.recorded->error() : Error::kNotReady;
}

Error AwaitEvent(Event& event, Lock& lock) {
  const auto recorded = event.recorded;
  if (recorded == nullptr) return Error::kSuccess;
  event.waiters.Begin();
  recorded->Wait(lock);
  event.waiters.End();
  return recorded->error();
}

Error ElapsedTime(const Event& start, const Event& end, float* milliseconds) {
  if (!start.timing || !end.timing || !start.recorded || !end.recorded) return Error::kInvalidHandle;
  for (const Event* event : {&start, &end}) {
    const Error error = QueryEvent(*event);
    if (error != Error::kSuccess) return error;
  }
  const std::chrono::duration<float, std::milli> time = end.recorded->time() - start.recorded->time();
  *milliseconds = time.count();
  return Error::kSuccess;
}

}  // namespace halyard::sim
