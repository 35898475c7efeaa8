// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A submission for which there is no memory fails whole, leaks nothing, and leaves the device as it was.
#include <gmock/gmock.h>

#include <string>

#include "allocations/counting_allocator.h"
#include "allocations/operations.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::allocations {
namespace {

class OutOfMemoryTest : public testing::TestWithParam<Operation> {
 protected:
  /// Submits on a new device while the `n`-th allocation from then on fails. False if there were fewer.
  static bool SubmitWithFailure(uint64_t n) {
    const Workplace place("local://sync");
    const hal_timeline_point_t waits = hal_timeline_point(place.wait, 1);
    const hal_timeline_point_t signals = hal_timeline_point(place.done, 1);
    FailAllocation(n);
    const hal_status_t submitted = GetParam().submit(place, {&waits, 1}, {&signals, 1});
    const bool failed = HasFailed();
    FailAllocation(0);
    EXPECT_TRUE(submitted == HAL_STATUS_OK || submitted == HAL_STATUS_RESOURCE_EXHAUSTED)
        << hal_status_name(submitted) << ": " << hal_last_error_message();

    EXPECT_EQ(hal_semaphore_signal(place.wait, 1), HAL_STATUS_OK);
    if (submitted == HAL_STATUS_OK) {
      const hal_status_t outcome = hal_semaphore_wait(place.done, 1, 0);
      EXPECT_TRUE(outcome == HAL_STATUS_OK || outcome == HAL_STATUS_RESOURCE_EXHAUSTED) << hal_status_name(outcome);
    }
    ExpectUsable(place);
    return failed;
  }

  // What was refused must not be signalled later, by an action that was left half-filled in its pool.
  static void ExpectUsable(const Workplace& place) {
    SemaphoreHandle other;
    ASSERT_EQ(hal_semaphore_create(place.device, nullptr, other.out()), HAL_STATUS_OK);
    uint64_t before = 0;
    uint64_t after = 0;
    const hal_status_t status = hal_semaphore_query(place.done, &before);
    const hal_timeline_point_t signal = hal_timeline_point(other, 1);
    EXPECT_EQ(hal_device_queue_barrier(place.device, hal::SubmitParams({nullptr, 0}, {&signal, 1})), HAL_STATUS_OK);
    EXPECT_EQ(hal_semaphore_wait(other, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
    EXPECT_EQ(hal_semaphore_query(place.done, &after), status);
    EXPECT_EQ(after, before);
  }
};

TEST_P(OutOfMemoryTest, FailsWholeAndLeaksNothing) {
  constexpr uint64_t kMost = 100;  // far more than any submission makes
  SubmitWithFailure(kMost);  // what the process keeps permanently, such as a pooled timepoint, is there from now on
  uint64_t n = 1;
  for (; n < kMost && SubmitWithFailure(n); ++n) {
    // Once more, now that containers have the capacity that they keep: nothing may be added.
    const int64_t live = LiveLibraryAllocations();
    SubmitWithFailure(n);
    EXPECT_LE(LiveLibraryAllocations(), live) << "allocation " << n;
  }
  EXPECT_GT(n, 1u) << "not even the first submission of a device takes memory";
  EXPECT_LT(n, kMost);
}

INSTANTIATE_TEST_SUITE_P(Sync, OutOfMemoryTest, testing::ValuesIn(kOperations),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace halyard::allocations
