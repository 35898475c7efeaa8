// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines and their points, which threads and asyncio wait for.
#ifndef HALYARD_PYTHON_POINTS_H_
#define HALYARD_PYTHON_POINTS_H_

#include <memory>

#include "device_memory.h"
#include "live.h"
#include "process.h"

namespace halyard::python {

/// A value of a timeline.
class Point {
 public:
  Point(std::shared_ptr<Timeline> timeline, uint64_t value) : timeline_(std::move(timeline)), value_(value) {}

  hal_timeline_point_t get() const { return hal_timeline_point(timeline_->semaphore.get(), value_); }
  const std::shared_ptr<Timeline>& timeline() const { return timeline_; }
  uint64_t value() const { return value_; }
  bool IsReached() const;
  void Wait(nb::handle timeout) const;
  /// Calls `function` with None or the failure, on the thread that runs jobs.
  void Notify(nb::callable function) const;

 private:
  std::shared_ptr<Timeline> timeline_;
  uint64_t value_;
};

class Semaphore : Live<Semaphore> {
 public:
  static constexpr const char* kKind = "semaphore";

  explicit Semaphore(std::shared_ptr<Timeline> timeline) : timeline_(std::move(timeline)) {}

  hal_semaphore_t* get() const { return timeline_->semaphore.get(); }
  Point At(uint64_t value) const { return Point(timeline_, value); }

 private:
  std::shared_ptr<Timeline> timeline_;
};

std::shared_ptr<Timeline> MakeTimeline(hal_device_t* device, uint64_t value);

void BindSemaphore(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_POINTS_H_
