// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indirect dispatches in graphs, whose counts the device reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "stream/recording/segment_graphs.h"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

using testing::HasSubstr;

class IndirectGraphTest : public GraphRecordingTest {
 protected:
  IndirectGraphTest() : GraphRecordingTest("indirect=device") {}
};

TEST_P(IndirectGraphTest, OneGraphHoldsThem) {
  const Ref<hal_buffer_t> count = MakeShared(device());
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const auto commands = RecordIndirects(count);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(Run(commands, {sum}), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(First(sum), kSumOfIndirects);
  }
  EXPECT_EQ(world().Calls("LaunchGraph"), 20u);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
  EXPECT_EQ(world().Calls("UploadGraph"), 1u);
}

TEST_P(IndirectGraphTest, WhatTheTableChangesIsPatchedAndUploaded) {
  const auto commands = Record(2).BumpIndirect(Slot(0), Slot(1)).End();
  const Ref<hal_buffer_t> sums[2] = {MakeShared(device()), MakeShared(device())};
  const Ref<hal_buffer_t> counts[2] = {MakeCounts(device(), 3), MakeCounts(device(), 100)};
  ASSERT_EQ(Run(commands, {sums[0], counts[0]}), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(Run(commands, {sums[0], counts[1]}), HAL_STATUS_OK);
  ASSERT_EQ(Run(commands, {sums[1], counts[1]}), HAL_STATUS_OK);
  ASSERT_EQ(Run(commands, {sums[1], counts[1]}), HAL_STATUS_OK);
  EXPECT_EQ(First(sums[0]), 103u);
  EXPECT_EQ(First(sums[1]), 200u);
  EXPECT_EQ(world().Calls("Patch"), 2u);
  EXPECT_EQ(world().Calls("UploadGraph"), 3u);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
}

TEST_P(IndirectGraphTest, CountsThatAreTooLargeFailOneExecution) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const auto commands = Record(2).Bump(Slot(0)).Barrier().BumpIndirect(Slot(0), Slot(1)).End();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run(commands, {sum, MakeCounts(device(), 1025)}), HAL_STATUS_OUT_OF_RANGE);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("indirect dispatch: workgroup count 1025x1x1"));
    EXPECT_EQ(Run(commands, {sum, MakeCounts(device(), 1024)}), HAL_STATUS_OK) << hal_last_error_message();
  }
  EXPECT_EQ(First(sum), 3u * (1 + 1 + 1024));
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
}

// No thread may see the signal before it is known whether the counts were taken.
TEST_P(IndirectGraphTest, WhatComesAfterAFailureDoesNotRun) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const Ref<hal_buffer_t> after = MakeShared(device(), 5);
  const auto commands = Record(2).BumpIndirect(Slot(0), Slot(1)).End();
  world().paused = true;
  ASSERT_EQ(Execute(device(), {}, {{timeline_.get(), 1}}, commands, {sum, MakeCounts(device(), 4000)}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(device(), {{timeline_.get(), 1}}, {{timeline_.get(), 2}}, after, 9, 1), HAL_STATUS_OK);
  world().paused = false;
  EXPECT_EQ(Wait(timeline_, 2), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(First(after), 5u);
}

TEST_P(IndirectGraphTest, ZeroRunsNothing) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const auto commands = Record(1).BumpIndirect(Whole(sum), Slot(0)).Barrier().Bump(Whole(sum)).End();
  ASSERT_EQ(Run(commands, {MakeCounts(device(), 0)}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(sum), 1u);
}

// A graph tells one execution what it rejected: those that find none free take the counts on the host.
TEST_P(IndirectGraphTest, SubmissionsInFlightHaveGraphsOfTheirOwn) {
  constexpr uint32_t kCount = 12;
  const auto commands = Record(2).BumpIndirect(Slot(0), Slot(1)).Barrier().Triple(Slot(0)).End();
  std::vector<Ref<hal_buffer_t>> sums;
  std::vector<Ref<hal_semaphore_t>> done;
  world().paused = true;
  for (uint32_t i = 0; i < kCount; ++i) {
    sums.push_back(MakeShared(device()));
    done.push_back(MakeSemaphore(device()));
    const uint32_t count = i % 5 == 2 ? 2000 : i;
    ASSERT_EQ(
        Execute(device(), {}, {{done[i].get(), 1}}, commands, {sums[i], MakeCounts(device(), count)}, Queue(i % 4)),
        HAL_STATUS_OK);
  }
  EXPECT_EQ(world().Calls("LaunchGraph"), SegmentGraphs::kMaxGraphs);
  EXPECT_EQ(world().Calls("InstantiateGraph"), SegmentGraphs::kMaxGraphs);
  world().paused = false;
  for (uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(Wait(done[i], 1), i % 5 == 2 ? HAL_STATUS_OUT_OF_RANGE : HAL_STATUS_OK) << i;
    if (i % 5 != 2) EXPECT_EQ(First(sums[i]), 3 * i) << i;
  }
}

TEST_P(IndirectGraphTest, ThreadsShareARecording) {
  constexpr uint32_t kThreads = 8;
  constexpr uint32_t kRounds = 50;
  const auto commands = Record(2).BumpIndirect(Slot(0), Slot(1)).Barrier().Bump(Slot(0)).End();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Ref<hal_buffer_t> sum = MakeShared(device());
      const Ref<hal_buffer_t> counts = MakeCounts(device(), t);
      for (uint32_t i = 0; i < kRounds; ++i) {
        const bool rejected = t == 3 && i % 7 == 0;
        EXPECT_EQ(Run(commands, {sum, rejected ? MakeCounts(device(), 5000) : counts}),
                  rejected ? HAL_STATUS_OUT_OF_RANGE : HAL_STATUS_OK)
            << "thread " << t << ", round " << i;
      }
      if (t != 3) EXPECT_EQ(First(sum), kRounds * (t + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(IndirectGraphTest, ARefusedPatchFallsBackToTheHost) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const auto commands = Record(1).BumpIndirect(Whole(sum), Slot(0)).End();
  const Ref<hal_buffer_t> many = MakeCounts(device(), 3000);  // both at once, so that their addresses differ
  const Ref<hal_buffer_t> few = MakeCounts(device(), 7);
  EXPECT_EQ(Run(commands, {many}), HAL_STATUS_OUT_OF_RANGE);
  world().Fail("Patch", HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Run(commands, {few}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(sum), 7u);
  EXPECT_EQ(world().Calls("LaunchGraph"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Completion, IndirectGraphTest, testing::Values("fast", "portable"),
                         [](const auto& param) { return std::string(param.param); });

TEST(IndirectOptionTest, TheDeviceReadsCountsInGraphsOnly) {
  const MemoryDevice memory("indirect=device&command_buffer=stream");
  EXPECT_EQ(memory.status, HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("command_buffer=stream"));
}

TEST(IndirectOptionTest, AShortRecordingBecomesAGraphIfThatSparesTheHostADispatch) {
  const MemoryDevice memory("command_buffer=auto");
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_buffer_t> sum = MakeShared(memory.device);
  const Ref<hal_buffer_t> counts = MakeShared(memory.device);
  const uint32_t data[] = {2, 1, 1};
  ASSERT_EQ(hal_buffer_write(counts.get(), 0, data, sizeof(data)), HAL_STATUS_OK);
  const Ref<hal_semaphore_t> done = MakeSemaphore(memory.device);
  const auto commands = Recorder(memory.device, MakeKernels(memory.device)).BumpIndirect(Whole(sum), Whole(counts));
  ASSERT_EQ(Execute(memory.device, {}, {{done.get(), 1}}, Recorder(commands).End()), HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(Wait(done, 1), HAL_STATUS_OK);
  EXPECT_EQ(memory.world->Calls("LaunchGraph"), 1u);
  EXPECT_EQ(First(sum), 2u);
}

}  // namespace
}  // namespace halyard::stream
