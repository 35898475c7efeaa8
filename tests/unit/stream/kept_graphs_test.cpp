// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers that are executed once, of shapes that come again: their dispatches run as graphs that the lane
// keeps.
#include "stream/recording/kept_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "stream/recording/segment_graphs.h"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

NativeTraits TraitsWithFastGraphs() {
  NativeTraits traits = AllTraits();
  traits.graphs_outrun_launches = true;
  return traits;
}

class KeptGraphsTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }
  void TearDown() override {
    const std::shared_ptr<MemoryWorld> world = memory_.world;
    timeline_ = {};
    kernels_ = {};
    memory_.device = {};
    EXPECT_TRUE(BecomesEmpty(*world));
    EXPECT_EQ(TakeReports(), "");
  }

  const Ref<hal_device_t>& device() const { return memory_.device; }
  MemoryWorld& world() { return *memory_.world; }
  uint64_t Graphs() { return world().Calls("InstantiateGraph"); }
  uint64_t Launches() { return world().Calls("LaunchGraph"); }
  Recorder Once(uint32_t slots = 0) const { return {device(), kernels_, slots, HAL_COMMAND_BUFFER_ONE_SHOT}; }
  /// Bumps by 1, 2, 3 and so on, in any order.
  Ref<hal_command_buffer_t> Bumps(const Ref<hal_buffer_t>& target, uint32_t dispatches) const {
    Recorder recorder = Once();
    for (uint32_t i = 1; i <= dispatches; ++i) recorder.Bump(Whole(target), i);
    return recorder.End();
  }
  hal_status_t Run(const Ref<hal_command_buffer_t>& commands, const std::vector<Ref<hal_buffer_t>>& table = {},
                   uint32_t queue = 0) {
    ++value_;
    const hal_status_t status = Execute(device(), {}, {{timeline_.get(), value_}}, commands, table, Queue(queue));
    return status == HAL_STATUS_OK ? Wait(timeline_, value_) : status;
  }

  MemoryDevice memory_{std::string("queues=4&completion=") + GetParam(), TraitsWithFastGraphs()};
  Ref<hal_executable_t> kernels_ = MakeKernels(device());
  Ref<hal_semaphore_t> timeline_ = MakeSemaphore(device());
  uint64_t value_ = 0;
};

TEST_P(KeptGraphsTest, TheSecondOfAShapeMakesAGraphAndTheNextUseIt) {
  for (uint32_t i = 0; i < 5; ++i) {
    const Ref<hal_buffer_t> target = MakeShared(device());
    ASSERT_EQ(Run(Bumps(target, 6)), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(First(target), 21u) << i;
  }
  EXPECT_EQ(Graphs(), 1u);
  EXPECT_EQ(Launches(), 4u);
}

TEST_P(KeptGraphsTest, OnlyWhatDiffersIsPatched) {
  const Ref<hal_buffer_t> a = MakeShared(device());
  const Ref<hal_buffer_t> b = MakeShared(device());
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(Run(Once().Bump(Whole(a)).Bump(Whole(a)).Bump(Whole(a)).Triple(Whole(b)).End()), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("Patch"), 0u);
  ASSERT_EQ(Run(Once().Bump(Whole(a)).Bump(Whole(b)).Bump(Whole(a)).Triple(Whole(b)).End()), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("Patch"), 1u) << "another buffer";
  ASSERT_EQ(Run(Once().Bump(Whole(a), 5).Bump(Whole(b)).Bump(Whole(a)).Triple(Whole(b)).End()), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("Patch"), 2u) << "another size";
  EXPECT_EQ(Graphs(), 1u);
  EXPECT_EQ(First(a), 9u + 2u + 6u);
}

TEST_P(KeptGraphsTest, BarriersBelongToTheShape) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(Run(Once().Bump(Whole(sum)).Bump(Whole(sum)).Bump(Whole(sum)).Bump(Whole(sum)).End()), HAL_STATUS_OK);
  }
  EXPECT_EQ(First(sum), 16u);
  for (int i = 0; i < 4; ++i) {
    const Ref<hal_buffer_t> a = MakeShared(device(), 1);
    ASSERT_EQ(
        Run(Once().Bump(Whole(a)).Barrier().Triple(Whole(a)).Barrier().Bump(Whole(a)).Barrier().Triple(Whole(a)).End()),
        HAL_STATUS_OK);
    EXPECT_EQ(First(a), 21u) << i;
  }
  EXPECT_EQ(Graphs(), 2u);
  EXPECT_EQ(Launches(), 6u);
}

TEST_P(KeptGraphsTest, OtherCommandsStandBetweenGraphs) {
  for (int i = 0; i < 3; ++i) {
    const Ref<hal_buffer_t> a = MakeShared(device());
    Recorder recorder = Once();
    for (int k = 0; k < 4; ++k) recorder.Bump(Whole(a));
    recorder.Barrier().Fill(Whole(a), 7).Barrier();
    for (int k = 0; k < 5; ++k) recorder.Bump(Whole(a));
    ASSERT_EQ(Run(recorder.Barrier().Update(Whole(a), 3).Barrier().Bump(Whole(a)).End()), HAL_STATUS_OK);
    EXPECT_EQ(First(a), 4u) << i;
  }
  EXPECT_EQ(Graphs(), 3u);
  EXPECT_EQ(Launches(), 6u);
}

TEST_P(KeptGraphsTest, SingleDispatchesAreLists) {
  const Ref<hal_buffer_t> a = MakeShared(device());
  const hal_buffer_ref_t binding = Whole(a);
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.bindings = hal_buffer_ref_list(&binding, 1);
  for (uint32_t i = 0; i < 5; ++i) {
    params.workgroup_count.x = 1 + i;
    const hal_timeline_point_t signal = {timeline_.get(), ++value_};
    ASSERT_EQ(hal_device_queue_dispatch(
                  device().get(), hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&signal, 1), 1),
                  kernels_.get(), 0, &params),
              HAL_STATUS_OK);
    ASSERT_EQ(Wait(timeline_, value_), HAL_STATUS_OK);
  }
  EXPECT_EQ(First(a), 15u);
  EXPECT_EQ(Launches(), 4u);
  EXPECT_EQ(world().Calls("Patch"), 3u);
}

TEST_P(KeptGraphsTest, SlotsMayDiffer) {
  for (uint32_t i = 0; i < 4; ++i) {
    const Ref<hal_buffer_t> a = MakeShared(device(), i);
    const auto commands = Once(1).Bump(Slot(0)).Bump(Slot(0)).Bump(Slot(0)).Bump(Slot(0)).End();
    ASSERT_EQ(Run(commands, {a}), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(First(a), i + 4);
  }
  EXPECT_EQ(Graphs(), 1u);
}

// What is in flight keeps the buffers that it was patched for.
TEST_P(KeptGraphsTest, ExecutionsInFlightHaveArgumentsOfTheirOwn) {
  constexpr uint32_t kCount = 12;
  std::vector<Ref<hal_buffer_t>> buffers;
  for (uint32_t i = 0; i < kCount; ++i) buffers.push_back(MakeShared(device(), i));
  world().paused = true;
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(Execute(device(), {}, {}, Bumps(buffers[i], 4), {}, Queue(i % 2)), HAL_STATUS_OK)
        << hal_last_error_message();
  }
  world().paused = false;
  for (uint32_t queue = 0; queue < 2; ++queue) ASSERT_EQ(Run(Once().End(), {}, queue), HAL_STATUS_OK);
  const Ref<hal_semaphore_t> end = MakeSemaphore(device());
  for (uint32_t queue = 0; queue < 2; ++queue) {
    ASSERT_EQ(Fill(device(), {}, {{end.get(), queue + 1}}, MakeShared(device()), 0, Queue(queue)), HAL_STATUS_OK);
    ASSERT_EQ(Wait(end, queue + 1), HAL_STATUS_OK);
  }
  for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(First(buffers[i]), i + 10) << i;
  EXPECT_EQ(Graphs(), 2u) << "one for each lane";
}

TEST_P(KeptGraphsTest, ThereAreFewAndOldOnesMakeRoom) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  constexpr auto kMost = static_cast<uint32_t>(LaneGraphs::kMaxGraphs);
  const auto all = [&] {
    for (uint32_t n = 1; n <= kMost + 20; ++n) ASSERT_EQ(Run(Bumps(sum, n)), HAL_STATUS_OK);
  };
  for (int round = 0; round < 6; ++round) all();
  const uint64_t graphs = Graphs();
  EXPECT_GT(graphs, 0u);
  EXPECT_LE(graphs, kMost) << "shapes in turn do not take each other's places";
  for (int i = 0; i < 1100; ++i) ASSERT_EQ(Run(Once().Triple(Whole(sum)).End()), HAL_STATUS_OK);
  EXPECT_EQ(Graphs(), graphs + 1);
  EXPECT_LE(world().graphs, 2 * static_cast<int>(kMost));
}

TEST_P(KeptGraphsTest, ExecutablesTakeTheirGraphsAlong) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_OK);
  EXPECT_EQ(world().graphs, 2) << "a graph and what it was instantiated from";
  kernels_ = {};
  hal_allocator_trim(hal_device_allocator(device().get()));  // ends what refers to the executable
  EXPECT_EQ(world().graphs, 0);
  kernels_ = MakeKernels(device());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_OK);
  EXPECT_EQ(First(sum), 60u);
  EXPECT_EQ(Graphs(), 2u);
}

TEST_P(KeptGraphsTest, TrimFreesThem) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_OK);
  ASSERT_EQ(hal_allocator_trim(hal_device_allocator(device().get())), HAL_STATUS_OK);
  EXPECT_EQ(world().graphs, 0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_OK);
  EXPECT_EQ(First(sum), 60u);
}

TEST_P(KeptGraphsTest, TheStreamDoesWhatTheVendorRefuses) {
  for (const char* call : {"InstantiateGraph", "AddLaunch", "CreateGraph", "Patch"}) {
    SCOPED_TRACE(call);
    ASSERT_EQ(hal_allocator_trim(hal_device_allocator(device().get())), HAL_STATUS_OK);
    const uint64_t launches = Launches();
    world().Fail(call, HAL_STATUS_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < 5; ++i) {
      const Ref<hal_buffer_t> target = MakeShared(device(), i);
      ASSERT_EQ(Run(Bumps(target, 4)), HAL_STATUS_OK) << hal_last_error_message();
      EXPECT_EQ(First(target), 10 + i);
    }
    EXPECT_EQ(Launches() - launches, call == std::string("Patch") ? 1u : 0u) << "the shape is not tried again";
  }
}

TEST_P(KeptGraphsTest, ALaunchThatFailsIsTheExecutionsFailure) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_OK);
  world().Fail("LaunchGraph", HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_RESOURCE_EXHAUSTED);
  timeline_ = MakeSemaphore(device());
  value_ = 0;
  const uint64_t launches = Launches();
  ASSERT_EQ(Run(Bumps(sum, 4)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Launches(), launches) << "the next ones run in the stream";
}

TEST_P(KeptGraphsTest, ThreadsUseThemOnEveryQueue) {
  constexpr uint32_t kThreads = 6;
  constexpr uint32_t kRounds = 60;
  const Ref<hal_executable_t> others[] = {MakeKernels(device()), MakeKernels(device()), MakeKernels(device())};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Ref<hal_semaphore_t> own = MakeSemaphore(device());
      const Ref<hal_executable_t>& kernels = t % 2 == 0 ? kernels_ : others[t / 2];
      const Ref<hal_buffer_t> sum = MakeShared(device());
      for (uint32_t i = 0; i < kRounds; ++i) {
        Recorder recorder(device(), kernels, 0, HAL_COMMAND_BUFFER_ONE_SHOT);
        for (uint32_t k = 0; k < 4 + i % 3; ++k) recorder.Bump(Whole(sum), 2);
        EXPECT_EQ(Execute(device(), {{own.get(), i}}, {{own.get(), i + 1}}, recorder.End(), {}, Queue((t + i / 8) % 4)),
                  HAL_STATUS_OK);
        if (i % 16 == 5) EXPECT_EQ(hal_allocator_trim(hal_device_allocator(device().get())), HAL_STATUS_OK);
      }
      EXPECT_EQ(Wait(own, kRounds), HAL_STATUS_OK) << hal_last_error_message();
      EXPECT_EQ(First(sum), 2 * 5 * kRounds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(Launches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Completion, KeptGraphsTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

// --- Recordings that are executed more than once ---------------------------------------------------------------------

TEST(GraphsOfFewTest, OneDispatchRunsAsAGraphOfTheLaneFromTheSecondExecutionOn) {
  const MemoryDevice memory("", TraitsWithFastGraphs());
  ASSERT_EQ(memory.status, HAL_STATUS_OK);
  const Ref<hal_semaphore_t> done = MakeSemaphore(memory.device);
  const Ref<hal_buffer_t> sum = MakeShared(memory.device);
  const auto commands = Recorder(memory.device, MakeKernels(memory.device)).Bump(Whole(sum)).End();
  for (uint64_t i = 0; i < 5; ++i) {
    ASSERT_EQ(Execute(memory.device, {}, {{done.get(), i + 1}}, commands), HAL_STATUS_OK);
    ASSERT_EQ(Wait(done, i + 1), HAL_STATUS_OK);
  }
  EXPECT_EQ(memory.world->Calls("LaunchGraph"), 4u);
  EXPECT_EQ(memory.world->Calls("InstantiateGraph"), 1u);
  EXPECT_EQ(First(sum), 5u);
}

TEST(GraphsOfFewTest, AFewCopiesRunInTheStreamBesideThem) {
  const MemoryDevice memory("", TraitsWithFastGraphs());
  ASSERT_EQ(memory.status, HAL_STATUS_OK);
  const Ref<hal_semaphore_t> done = MakeSemaphore(memory.device);
  const Ref<hal_buffer_t> sum = MakeShared(memory.device);
  const auto commands =
      Recorder(memory.device, MakeKernels(memory.device)).Fill(Whole(sum), 5).Barrier().Bump(Whole(sum)).End();
  for (uint64_t i = 0; i < 5; ++i) {
    ASSERT_EQ(Execute(memory.device, {}, {{done.get(), i + 1}}, commands), HAL_STATUS_OK);
    ASSERT_EQ(Wait(done, i + 1), HAL_STATUS_OK);
  }
  EXPECT_EQ(memory.world->Calls("LaunchGraph"), 4u) << "of the dispatch";
  EXPECT_EQ(First(sum), 6u);
}

// Tables in turn, of which each execution waits for the one before.
TEST(TablesInTurnTest, HaveGraphsOfTheirOwn) {
  for (uint32_t count : {2u, 3u, 4u, 6u}) {
    SCOPED_TRACE(count);
    const MemoryDevice memory("command_buffer=graph");
    ASSERT_EQ(memory.status, HAL_STATUS_OK);
    const Ref<hal_semaphore_t> done = MakeSemaphore(memory.device);
    std::vector<Ref<hal_buffer_t>> buffers;
    for (uint32_t i = 0; i < count; ++i) buffers.push_back(MakeShared(memory.device));
    const auto commands = Recorder(memory.device, MakeKernels(memory.device), 1).Bump(Slot(0)).Bump(Slot(0)).End();
    uint64_t patches = 0;
    constexpr uint64_t kRounds = 10;
    for (uint64_t i = 0; i < kRounds * count; ++i) {
      if (i == 4 * count) patches = memory.world->Calls("Patch");
      ASSERT_EQ(Execute(memory.device, {}, {{done.get(), i + 1}}, commands, {buffers[i % count]}), HAL_STATUS_OK);
      ASSERT_EQ(Wait(done, i + 1), HAL_STATUS_OK);
    }
    for (const auto& buffer : buffers) EXPECT_EQ(First(buffer), 2 * kRounds);
    if (count <= SegmentGraphs::kMaxGraphs) {
      EXPECT_EQ(memory.world->Calls("Patch"), patches);
      EXPECT_EQ(memory.world->Calls("InstantiateGraph"), count);
    }
    EXPECT_LE(memory.world->Calls("InstantiateGraph"), SegmentGraphs::kMaxGraphs);
  }
}

}  // namespace
}  // namespace halyard::stream
