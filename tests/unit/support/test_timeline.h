// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines without a device, and callbacks that remember how they were called.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_TEST_TIMELINE_H_
#define HALYARD_TESTS_UNIT_SUPPORT_TEST_TIMELINE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "driver_kit/object/object.h"
#include "driver_kit/timeline/timeline_semaphore.h"

namespace halyard::testing {

/// A timeline semaphore that belongs to no device.
class TestTimeline {
 public:
  explicit TestTimeline(uint64_t initial_value = 0) {
    EXPECT_EQ(CreateTimelineSemaphore(nullptr, initial_value, semaphore_.out()), kOk);
  }

  hal_semaphore_t* get() const { return semaphore_.get(); }
  TimelineSemaphore* operator->() const { return static_cast<TimelineSemaphore*>(semaphore_.get()); }
  hal_timeline_point_t At(uint64_t value) const { return {semaphore_.get(), value}; }
  uint64_t value() const {
    uint64_t value = 0;
    (*this)->Query(&value).Ignore();
    return value;
  }
  /// Releases the reference; destroys the semaphore if it was the last.
  void Release() { semaphore_ = {}; }

 private:
  Ref<hal_semaphore_t> semaphore_;
};

/// What a registered callback was told.
struct Heard {
  std::atomic<int> calls{0};
  std::atomic<hal_status_t> status{HAL_STATUS_INTERNAL};
  std::string message;

  static void Callback(void* user_data, hal_status_t status, hal_string_view_t message) {
    auto* const heard = static_cast<Heard*>(user_data);
    heard->status = status;
    heard->message = View(message);
    ++heard->calls;
  }
};

/// A callback that does nothing.
inline void Ignore(void*, hal_status_t, hal_string_view_t) {}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_TEST_TIMELINE_H_
