// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once warm, submissions to and from the application's streams and events allocate no host memory.
#include <algorithm>

#include "allocations/counting_allocator.h"
#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

class InteropAllocationTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    stream_ = MakeStream();
    event_ = MakeEvent();
    timeline_ = MakeSemaphore();
  }
  void TearDown() override {
    timeline_ = {};
    InteropTest::TearDown();
  }
  hal_timeline_point_t At(uint64_t value) const { return {timeline_.get(), value}; }

  /// The allocations of one pass through all of them.
  uint64_t Round() {
    const Points points[] = {{At(value_ + 1)}, {At(value_ + 2)}, {At(value_ + 3)}};
    const uint64_t before = allocations::LibraryAllocations();
    EXPECT_OK(hal_device_queue_barrier(device_.get(), hal::SubmitParams(List({}), List(points[0]), 1)));
    EXPECT_OK(interop().wait_on_stream(device_.get(), stream_, List(points[0])));
    EXPECT_OK(interop().signal_from_stream(device_.get(), stream_, List(points[1])));
    EXPECT_OK(interop().export_event(device_.get(), List(points[1]), event_));
    EXPECT_OK(interop().import_event(device_.get(), event_, List(points[2])));
    EXPECT_OK(Wait(timeline_, value_ + 3));
    value_ += 3;
    return allocations::LibraryAllocations() - before;
  }

  Stream stream_ = nullptr;
  Event event_ = nullptr;
  Ref<hal_semaphore_t> timeline_;
  uint64_t value_ = 0;
};

// Each place in the rings of the hidden queues gets its event the first time. Later on a thread of the device may grow
// something in some rounds, but not in all of them.
TEST_P(InteropAllocationTest, OnceWarmThereAreRoundsWithoutAny) {
  for (int i = 0; i < 300; ++i) Round();
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 32; ++i) least = std::min(least, Round());
  EXPECT_EQ(least, 0U);
}

INSTANTIATE_TEST_SUITE_P(Completion, InteropAllocationTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
