// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When there is no memory, failures still say what is wrong.
#include <gmock/gmock.h>

#include <string>
#include <thread>

#include "allocations/counting_allocator.h"
#include "allocations/operations.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::allocations {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// For its lifetime the library has no memory.
class Exhaustion {
 public:
  Exhaustion() { FailAllAllocations(); }
  ~Exhaustion() { FailAllocation(0); }
};

TEST(ExhaustedMessageTest, ThatThereIsNoMemoryIsSaidByTheFunction) {
  hal_fence_t* fence = nullptr;
  const Exhaustion exhaustion;
  EXPECT_EQ(hal_fence_create(4, &fence), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_STREQ(hal_last_error_message(), "hal_fence_create: out of host memory");
  EXPECT_EQ(fence, nullptr);
}

TEST(ExhaustedMessageTest, OtherFailuresKeepTheirWords) {
  // On a thread that never failed before, so that it has no room from then.
  std::thread([] {
    const Exhaustion exhaustion;
    EXPECT_EQ(hal_semaphore_signal(nullptr, 1), HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_STREQ(hal_last_error_message(), "hal_semaphore_signal: semaphore is NULL");
  }).join();
}

TEST(ExhaustedMessageTest, LongWordsKeepTheirBeginning) {
  std::thread([] {
    const std::string words = "compiler: " + std::string(5000, 'x');
    const Exhaustion exhaustion;
    hal_set_error_message({words.data(), words.size()});
    EXPECT_THAT(hal_last_error_message(), StartsWith("compiler: xxx"));
    EXPECT_THAT(hal_last_error_message(), EndsWith("x…"));
  }).join();
}

TEST(ExhaustedMessageTest, SemaphoresKeepTheirWords) {
  const Workplace place("local://sync");
  const std::string words = "the disk has gone, and with it what was read from it: " + std::string(1000, 'x');
  {
    const Exhaustion exhaustion;
    EXPECT_EQ(hal_semaphore_fail(place.done, HAL_STATUS_DATA_LOSS, {words.data(), words.size()}), HAL_STATUS_OK);
    EXPECT_EQ(hal_semaphore_wait(place.done, 1, 0), HAL_STATUS_DATA_LOSS);
    EXPECT_THAT(hal_last_error_message(), StartsWith("the disk has gone, and with it what was read from it: xxx"));
  }
  EXPECT_EQ(hal_semaphore_wait(place.done, 1, 0), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(hal_last_error_message(), EndsWith("x…"));
}

TEST(ExhaustedMessageTest, FailuresKeepTheirWordsAlongEdges) {
  const Workplace place("local://sync");
  const hal_timeline_point_t waits = hal_timeline_point(place.wait, 1);
  const hal_timeline_point_t signals = hal_timeline_point(place.done, 1);
  ASSERT_EQ(hal_device_queue_barrier(place.device, hal::SubmitParams({&waits, 1}, {&signals, 1})), HAL_STATUS_OK);
  const Exhaustion exhaustion;
  EXPECT_EQ(hal_semaphore_fail(place.wait, HAL_STATUS_ABORTED, hal_string_view("the sensor has no power any more")),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(place.done, 1, 0), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the sensor has no power any more"));
}

// The reserve for such messages is small. Its memory returns to it; while it is used up only messages are missing.
TEST(ExhaustedMessageTest, ManyFailuresAtOnceKeepTheirStatus) {
  const Workplace place("local://sync");
  for (int round = 0; round < 3; ++round) {
    std::vector<SemaphoreHandle> semaphores(100);
    for (SemaphoreHandle& semaphore : semaphores) {
      ASSERT_EQ(hal_semaphore_create(place.device, nullptr, semaphore.out()), HAL_STATUS_OK);
    }
    const Exhaustion exhaustion;
    for (const SemaphoreHandle& semaphore : semaphores) {
      EXPECT_EQ(hal_semaphore_fail(semaphore, HAL_STATUS_ABORTED, hal_string_view("words longer than a short string")),
                HAL_STATUS_OK);
    }
    EXPECT_EQ(hal_semaphore_wait(semaphores.front(), 1, 0), HAL_STATUS_ABORTED);
    EXPECT_STREQ(hal_last_error_message(), "words longer than a short string");
    EXPECT_EQ(hal_semaphore_wait(semaphores.back(), 1, 0), HAL_STATUS_ABORTED);
  }
}

}  // namespace
}  // namespace halyard::allocations
