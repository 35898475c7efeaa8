// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events: marks in streams.
#ifndef HALYARD_TESTS_SIM_ENGINE_EVENT_H_
#define HALYARD_TESTS_SIM_ENGINE_EVENT_H_

#include <memory>

#include "engine/completion.h"
#include "engine/device.h"
#include "engine/stream.h"

namespace halyard::sim {

struct Event {
  std::shared_ptr<Context> context;
  bool timing = true;
  std::shared_ptr<Completion> recorded;  // of the last record; null before the first
  Needed waiters;                        // threads that block until it is reached

  bool InUse() const { return recorded != nullptr && !recorded->done(); }
};

// Marks what was submitted to the stream so far. What waits for an earlier mark of the event keeps waiting for that.
void RecordEvent(Event& event, Stream& stream);
// Holds the stream up until the event's last mark is reached; nothing if it was never recorded.
void WaitForEvent(const Event& event, Stream& stream);
// kSuccess, kNotReady, or the error that the mark was lost with.
Error QueryEvent(const Event& event);
// Blocks until the event's last mark is reached; returns at once if it was never recorded.
Error AwaitEvent(Event& event, Lock& lock);
// Milliseconds between two marks.
Error ElapsedTime(const Event& start, const Event& end, float* milliseconds);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_EVENT_H_
