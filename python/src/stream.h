// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams: one queue and one timeline, so that work runs in the order in which it is submitted.
#ifndef HALYARD_PYTHON_STREAM_H_
#define HALYARD_PYTHON_STREAM_H_

#include <memory>
#include <mutex>
#include <vector>

#include "device.h"
#include "device_memory.h"
#include "errors.h"
#include "live.h"
#include "points.h"
#include "process.h"

namespace halyard::python {

struct StreamCore : Live<StreamCore> {
  static constexpr const char* kKind = "stream";

  StreamCore(DeviceRef device, hal_queue_mask_t queues, bool works_in_submission);

  /// Submits one operation behind all earlier ones: `operation(device, submit)`. Returns the value that it signals.
  template <class Operation>
  uint64_t Submit(Operation&& operation);
  /// The end of all that was submitted.
  Point Now();
  /// Later work waits for this point, too.
  void WaitFor(const Point& point);
  /// Waits for all that was submitted. After a failure was raised the stream begins anew.
  void Wait(nb::handle timeout);

  DeviceRef device;
  std::shared_ptr<Timeline> timeline;

 private:
  hal_queue_mask_t queues_;
  bool works_in_submission_;
  std::mutex mutex_;          // orders submissions; never held while a thread waits for the interpreter's lock
  uint64_t value_ = 0;        // what the last operation signals
  std::vector<Point> extra_;  // what the next operation waits for, too
};

class Stream {
 public:
  Stream(std::shared_ptr<DeviceCore> device, std::shared_ptr<StreamCore> core)
      : device_(std::move(device)), core_(std::move(core)) {}

  const std::shared_ptr<DeviceCore>& device() const { return device_; }
  const std::shared_ptr<StreamCore>& core() const { return core_; }

 private:
  std::shared_ptr<DeviceCore> device_;
  std::shared_ptr<StreamCore> core_;
};

void BindStream(nb::module_& module);

template <class Operation>
uint64_t StreamCore::Submit(Operation&& operation) {
  std::unique_lock lock(mutex_);
  hal_timeline_point_t waits[8];
  std::vector<hal_timeline_point_t> many;
  hal_timeline_point_t* first = waits;
  if (extra_.size() >= 8) [[unlikely]] {
    many.resize(extra_.size() + 1);
    first = many.data();
  }
  size_t count = 0;
  hal_semaphore_t* const semaphore = timeline->semaphore.get();
  if (value_ > 0) first[count++] = hal_timeline_point(semaphore, value_);
  for (const Point& point : extra_) first[count++] = point.get();
  const hal_timeline_point_t done = hal_timeline_point(semaphore, value_ + 1);
  hal_submit_params_t submit = hal_submit_params(hal_semaphore_list(first, count), hal_semaphore_list(&done, 1));
  submit.queues = queues_;
  hal_status_t code = HAL_STATUS_OK;
  const auto run = [&] {
    code = operation(device.get(), &submit);
    if (code != HAL_STATUS_OK) return;
    ++value_;
    extra_.clear();
  };
  if (works_in_submission_) {
    // The mutex is free before this thread asks for the interpreter's lock: another one may hold that and want this.
    const Unlocked unlocked;
    run();
    lock.unlock();
  } else {
    run();
  }
  Check(code);
  return done.value;
}

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_STREAM_H_
