// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers that run as graphs, on an API that counts its graphs and runs nodes in any order that edges allow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "stream/recording/segment_graphs.h"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

class GraphCommandBufferTest : public GraphRecordingTest {
 protected:
  GraphCommandBufferTest() : GraphRecordingTest("indirect=host") {}
};

TEST_P(GraphCommandBufferTest, BarriersAreEdges) {
  const Ref<hal_buffer_t> a = MakeShared(device());
  const Ref<hal_buffer_t> b = MakeShared(device());
  const auto commands = Record()
                            .Fill(Whole(a), 5)
                            .Barrier()
                            .Bump(Whole(a))
                            .Barrier()
                            .Triple(Whole(a))
                            .Barrier()
                            .Copy(Whole(a), Whole(b))
                            .Barrier()
                            .Update(Whole(a), 77)
                            .Barrier()
                            .Bump(Whole(a), 2)
                            .End();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(Run(commands), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(First(b), 18u);
    ASSERT_EQ(First(a), 79u);
  }
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
  EXPECT_EQ(world().Calls("LaunchGraph"), 20u);
  EXPECT_EQ(world().Calls("Patch"), 0u);
}

TEST_P(GraphCommandBufferTest, OnlyWhatTheTableChangesIsPatched) {
  const Ref<hal_buffer_t> a = MakeShared(device());
  const Ref<hal_buffer_t> b = MakeShared(device());
  const Ref<hal_buffer_t> c = MakeShared(device());
  const auto commands = Record(2).Fill(Slot(0), 4).Bump(Slot(1), 10).Barrier().Triple(Slot(0)).Bump(Whole(c)).End();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Run(commands, {a, b}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(world().Calls("Patch"), 0u);
  ASSERT_EQ(Run(commands, {a, c}), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("Patch"), 1u) << "one node uses slot 1";
  ASSERT_EQ(Run(commands, {b, c}), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("Patch"), 3u) << "two nodes use slot 0";
  ASSERT_EQ(Run(commands, {b, c}), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("Patch"), 3u);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
  EXPECT_EQ(First(a), 12u);
  EXPECT_EQ(First(b), 12u);
  EXPECT_EQ(First(c), 6u + 30u);
}

TEST_P(GraphCommandBufferTest, OnlyNumbersThatChangeArePatched) {
  const Ref<hal_buffer_t> a = MakeShared(device());
  const Ref<hal_buffer_t> b = MakeShared(device());
  const auto commands =
      Record(1).BumpBy(Slot(0), 0).Barrier().BumpBy(Slot(0), 1).Barrier().Triple(Slot(0)).Fill(Whole(b), 9).End();
  const auto run = [&](uint32_t first, uint32_t second) {
    const uint32_t before = First(a);
    ASSERT_EQ(RunWith(commands, {first, second}, a), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(First(a), 3 * (before + first + second));
  };
  run(3, 5);
  run(3, 5);
  EXPECT_EQ(world().Calls("Patch"), 0u);
  run(3, 6);
  EXPECT_EQ(world().Calls("Patch"), 1u);
  run(4, 6);
  EXPECT_EQ(world().Calls("Patch"), 2u);
  run(1, 2);
  EXPECT_EQ(world().Calls("Patch"), 4u);
  EXPECT_EQ(world().Calls("Launch"), 0u);
  run(0, 2);  // a graph has no node without workgroups
  EXPECT_EQ(world().Calls("LaunchGraph"), 5u);
  run(1, 2);
  EXPECT_EQ(world().Calls("Patch"), 4u) << "the graph is as it was";
  ASSERT_EQ(RunWith(commands, {7, 2}, b), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(world().Calls("Patch"), 7u) << "three nodes use slot 0";
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
}

// Tables are taken when they are submitted, each execution has its own, and the number of graphs is bounded.
TEST_P(GraphCommandBufferTest, SubmissionsInFlightHaveTablesOfTheirOwn) {
  constexpr uint32_t kCount = 12;
  const auto commands = Record(1).Bump(Slot(0)).Barrier().Triple(Slot(0)).End();
  std::vector<Ref<hal_buffer_t>> buffers;
  for (uint32_t i = 0; i < kCount; ++i) buffers.push_back(MakeShared(device(), i));
  const Ref<hal_semaphore_t> done = MakeSemaphore(device());
  world().paused = true;
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(Execute(device(), {}, {}, commands, {buffers[i]}, Queue(i % 4)), HAL_STATUS_OK)
        << hal_last_error_message();
  }
  EXPECT_EQ(world().Calls("LaunchGraph"), kCount);
  EXPECT_EQ(world().Calls("InstantiateGraph"), SegmentGraphs::kMaxGraphs);
  world().paused = false;
  for (uint32_t i = 0; i < 4; ++i) {
    const Ref<hal_semaphore_t> end = MakeSemaphore(device());
    ASSERT_EQ(Execute(device(), {}, {{end.get(), 1}}, commands, {buffers[0]}, Queue(i)), HAL_STATUS_OK);
    ASSERT_EQ(Wait(end, 1), HAL_STATUS_OK);
  }
  for (uint32_t i = 1; i < kCount; ++i) EXPECT_EQ(First(buffers[i]), 3 * (i + 1)) << i;
}

TEST_P(GraphCommandBufferTest, TablesInTurnFindTheirGraphsAgain) {
  uint64_t value = 0;
  const auto commands = Record(1).Bump(Slot(0)).Barrier().Bump(Slot(0)).End();
  const Ref<hal_buffer_t> tables[2] = {MakeShared(device()), MakeShared(device())};
  const auto both = [&] {
    world().paused = true;
    for (const Ref<hal_buffer_t>& table : tables) {
      ASSERT_EQ(Execute(device(), {{timeline_.get(), value}}, {{timeline_.get(), value + 1}}, commands, {table}),
                HAL_STATUS_OK);
      ++value;
    }
    world().paused = false;
    ASSERT_EQ(Wait(timeline_, value), HAL_STATUS_OK);
  };
  both();
  const uint64_t patches = world().Calls("Patch");
  for (int i = 0; i < 10; ++i) both();
  EXPECT_EQ(world().Calls("Patch"), patches);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 2u);
  EXPECT_EQ(First(tables[0]), 22u);
  EXPECT_EQ(First(tables[1]), 22u);
}

TEST_P(GraphCommandBufferTest, ThreadsShareARecording) {
  constexpr uint32_t kThreads = 8;
  constexpr uint32_t kRounds = 100;
  const auto commands = Record(2)
                            .Fill(Slot(0), 2)
                            .Barrier()
                            .Bump(Slot(0))
                            .Barrier()
                            .Triple(Slot(0))
                            .Barrier()
                            .Copy(Slot(0), Slot(1))
                            .End();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Ref<hal_semaphore_t> own = MakeSemaphore(device());
      const Ref<hal_buffer_t> work = MakeShared(device());
      const Ref<hal_buffer_t> sums[2] = {MakeShared(device()), MakeShared(device())};
      for (uint32_t i = 0; i < kRounds; ++i) {
        const uint32_t zero = 0;
        EXPECT_EQ(hal_buffer_write(sums[i % 2].get(), 0, &zero, sizeof(zero)), HAL_STATUS_OK);
        EXPECT_EQ(Execute(device(), {{own.get(), i}}, {{own.get(), i + 1}}, commands, {work, sums[i % 2]},
                          Queue((t + i / 8) % 4)),
                  HAL_STATUS_OK)
            << hal_last_error_message();
        EXPECT_EQ(Wait(own, i + 1), HAL_STATUS_OK) << hal_last_error_message();
        EXPECT_EQ(First(sums[i % 2]), 9u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(GraphCommandBufferTest, IndirectDispatchesStandBetweenGraphs) {
  const Ref<hal_buffer_t> count = MakeShared(device());
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const auto commands = RecordIndirects(count);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(Run(commands, {sum}), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(First(sum), kSumOfIndirects);
  }
  EXPECT_EQ(world().Calls("LaunchGraph"), 10u);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 2u);
}

// What moves between the memory of the host and of the device from table to table gets a graph for each, or the stream.
TEST_P(GraphCommandBufferTest, TablesOfHostMemoryRunInTheStream) {
  const auto commands = Record(2).Copy(Slot(0), Slot(1)).Barrier().Bump(Slot(1)).End();
  const Ref<hal_buffer_t> host[2] = {MakeBuffer(device(), kLength), MakeBuffer(device(), kLength)};
  const Ref<hal_buffer_t> shared[2] = {MakeShared(device(), 30), MakeShared(device())};
  const uint32_t twenty = 20;
  ASSERT_EQ(hal_buffer_write(host[0].get(), 0, &twenty, sizeof(twenty)), HAL_STATUS_OK);
  ASSERT_EQ(Run(commands, {host[0], host[1]}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(host[1]), 21u);
  EXPECT_EQ(world().Calls("LaunchGraph"), 0u);
  ASSERT_EQ(Run(commands, {host[0], shared[1]}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(shared[1]), 21u);
  ASSERT_EQ(Run(commands, {shared[0], shared[1]}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(shared[1]), 31u);
  ASSERT_EQ(Run(commands, {shared[0], host[1]}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(host[1]), 31u);
  EXPECT_EQ(world().Calls("LaunchGraph"), 3u);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 3u);
}

// Vendors do not say before which memory they would let a node change over to.
TEST_P(GraphCommandBufferTest, RefusedPatchIsNoFailure) {
  const auto commands = Record(1).Fill(Slot(0), 3).Barrier().Bump(Slot(0)).End();
  const Ref<hal_buffer_t> buffers[2] = {MakeShared(device()), MakeShared(device())};
  ASSERT_EQ(Run(commands, {buffers[0]}), HAL_STATUS_OK);
  world().Fail("Patch", HAL_STATUS_INVALID_ARGUMENT);
  ASSERT_EQ(Run(commands, {buffers[1]}), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(buffers[1]), 4u);
  EXPECT_EQ(world().Calls("LaunchGraph"), 1u) << "the stream ran the second";
  ASSERT_EQ(Run(commands, {buffers[1]}), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("LaunchGraph"), 2u) << "the third has a graph of its own";
  EXPECT_EQ(world().Calls("InstantiateGraph"), 2u);
  EXPECT_LE(world().graphs, 2) << "a graph and what it was instantiated from";
}

// Kernels may change over to any memory, in one graph.
TEST_P(GraphCommandBufferTest, MemoryOfDispatchesMayBeOfAnyKind) {
  const auto commands = Record(1).Bump(Slot(0)).Barrier().Triple(Slot(0)).End();
  const Ref<hal_buffer_t> buffers[2] = {MakeShared(device()), MakeBuffer(device(), kLength)};
  const uint32_t zero = 0;
  ASSERT_EQ(hal_buffer_write(buffers[1].get(), 0, &zero, sizeof(zero)), HAL_STATUS_OK);
  for (const Ref<hal_buffer_t>& buffer : buffers) {
    ASSERT_EQ(Run(commands, {buffer}), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(First(buffer), 3u);
  }
  EXPECT_EQ(world().Calls("LaunchGraph"), 2u);
  EXPECT_EQ(world().Calls("InstantiateGraph"), 1u);
}

TEST_P(GraphCommandBufferTest, EmptySlotsRunInTheStream) {
  const auto commands = Record(1).Fill(Slot(0), 3).End();
  const Ref<hal_buffer_t> buffer = MakeShared(device(), 8);
  const hal_buffer_ref_t nothing = hal_buffer_ref(buffer.get(), 0, 0);
  ASSERT_EQ(hal_device_queue_execute(
                device().get(), hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(nullptr, 0), 1),
                commands.get(), hal_buffer_ref_list(&nothing, 1)),
            HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("LaunchGraph"), 0u);
  ASSERT_EQ(Run(commands, {buffer}), HAL_STATUS_OK);
  EXPECT_EQ(First(buffer), 3u);
}

// Recorded and submitted before it has an address, which it gets when the gate opens.
TEST_P(GraphCommandBufferTest, QueueAllocationsAreBoundWhenTheyAreThere) {
  const Ref<hal_semaphore_t> gate = MakeSemaphore(device());
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const Points opened = {{gate.get(), 1}};
  const Points allocated = {{timeline_.get(), 1}};
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(hal_device_queue_alloca(
                device().get(),
                hal::SubmitParams(hal_semaphore_list(opened.data(), 1), hal_semaphore_list(allocated.data(), 1), 1),
                &params, kLength, buffer.out()),
            HAL_STATUS_OK);
  const auto commands =
      Record().Fill(Whole(buffer), 6).Barrier().Bump(Whole(buffer)).Barrier().Copy(Whole(buffer), Whole(sum)).End();
  for (uint64_t i = 1; i < 4; ++i) {
    ASSERT_EQ(Execute(device(), {{timeline_.get(), i}}, {{timeline_.get(), i + 1}}, commands), HAL_STATUS_OK);
  }
  EXPECT_EQ(world().Calls("LaunchGraph"), 0u);
  ASSERT_EQ(hal_semaphore_signal(gate.get(), 1), HAL_STATUS_OK);
  ASSERT_EQ(Wait(timeline_, 4), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(sum), 7u);
  EXPECT_EQ(world().Calls("LaunchGraph"), 3u);
  const Points used = {{timeline_.get(), 4}};
  const Points freed = {{timeline_.get(), 5}};
  ASSERT_EQ(
      hal_device_queue_dealloca(
          device().get(), hal::SubmitParams(hal_semaphore_list(used.data(), 1), hal_semaphore_list(freed.data(), 1), 1),
          buffer.get()),
      HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline_, 5), HAL_STATUS_OK);
}

TEST_P(GraphCommandBufferTest, EverythingMayBeReleasedWhileItRuns) {
  const std::shared_ptr<MemoryWorld> world = memory_.world;
  world->paused = true;
  {
    const auto commands = Record(1).Bump(Slot(0)).Barrier().Update(Slot(0), 1).Barrier().Triple(Slot(0)).End();
    for (uint32_t i = 0; i < 8; ++i) {
      ASSERT_EQ(Execute(device(), {}, {}, commands, {MakeShared(device())}, Queue(i % 4)), HAL_STATUS_OK);
    }
  }
  timeline_ = {};
  kernels_ = {};
  memory_.device = {};
  EXPECT_GT(world->graphs, 0);
  world->paused = false;
  EXPECT_TRUE(BecomesEmpty(*world));
}

// As many chains as the policy thinks best, and the earlier graph is destroyed.
TEST_P(GraphCommandBufferTest, WideRecordingsAreMeasuredAndMadeAnew) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  Recorder recording = Record();
  for (int i = 0; i < 300; ++i) recording.Bump(Whole(sum));
  recording.Barrier().Bump(Whole(sum));
  const auto commands = recording.End();
  constexpr uint32_t kRuns = 20;
  for (uint32_t i = 1; i <= kRuns; ++i) {
    ASSERT_EQ(Run(commands), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(First(sum), i * 301);
  }
  EXPECT_LE(world().Calls("InstantiateGraph"), 3u);
  EXPECT_LE(world().graphs, 2) << "a graph and what it was instantiated from";
}

TEST_P(GraphCommandBufferTest, DispatchesThatAreReportedRunOneByOne) {
  const Ref<hal_buffer_t> sum = MakeShared(device());
  const auto commands = Record().Bump(Whole(sum)).Barrier().Bump(Whole(sum)).End();
  std::atomic<int> dispatches{0};
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.user_data = &dispatches;
  sink.record = [](void* user_data, const hal_profiling_record_t* record) {
    if (record->kind == HAL_PROFILING_RECORD_KIND_DISPATCH) ++*static_cast<std::atomic<int>*>(user_data);
  };
  ASSERT_EQ(hal_device_profiling_begin(device().get(), HAL_PROFILING_DISPATCHES, &sink), HAL_STATUS_OK);
  ASSERT_EQ(Run(commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_profiling_end(device().get()), HAL_STATUS_OK);
  EXPECT_EQ(dispatches, 2);
  EXPECT_EQ(world().Calls("LaunchGraph"), 0u);
  ASSERT_EQ(Run(commands), HAL_STATUS_OK);
  EXPECT_EQ(world().Calls("LaunchGraph"), 1u);
  EXPECT_EQ(First(sum), 4u);
}

INSTANTIATE_TEST_SUITE_P(Completion, GraphCommandBufferTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

// --- Which command buffers run as graphs -----------------------------------------------------------------------------

/// Graphs that were launched by one execution of `dispatches` dispatches.
uint64_t Launches(const char* mode, int dispatches, hal_command_buffer_flags_t flags = 0) {
  const MemoryDevice memory(std::string("command_buffer=") + mode);
  EXPECT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_semaphore_t> done = MakeSemaphore(memory.device);
  const Ref<hal_buffer_t> sum = MakeShared(memory.device);
  Recorder recording(memory.device, MakeKernels(memory.device), 0, flags);
  for (int i = 0; i < dispatches; ++i) recording.Bump(Whole(sum));
  EXPECT_EQ(Execute(memory.device, {}, {{done.get(), 1}}, recording.End()), HAL_STATUS_OK);
  EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(sum), static_cast<uint32_t>(dispatches));
  return memory.world->Calls("LaunchGraph");
}

TEST(CommandBufferModeTest, StreamMakesNoGraphs) { EXPECT_EQ(Launches("stream", 100), 0u); }

TEST(CommandBufferModeTest, GraphMakesThemOfAll) {
  EXPECT_EQ(Launches("graph", 1), 1u);
  EXPECT_EQ(Launches("graph", 1, HAL_COMMAND_BUFFER_ONE_SHOT), 1u);
}

TEST(CommandBufferModeTest, AutoMakesThemWhereTheyPay) {
  EXPECT_EQ(Launches("auto", 100), 1u);
  EXPECT_EQ(Launches("auto", 2), 0u);
  EXPECT_EQ(Launches("auto", 100, HAL_COMMAND_BUFFER_ONE_SHOT), 0u);
}

TEST(CommandBufferModeTest, OthersAreRefused) {
  const MemoryDevice memory("command_buffer=graphs");
  EXPECT_EQ(memory.status, HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("stream"));
}

// --- Failures --------------------------------------------------------------------------------------------------------

// Each native call in turn fails once: nothing hangs, nothing is leaked, and every waiting thread gets the status.
// A command buffer that could not be run can be run afterwards.
class GraphFaultTest : public testing::TestWithParam<std::tuple<const char*, hal_status_t>> {
 protected:
  static hal_status_t RunTwice(const MemoryDevice& memory, const Ref<hal_command_buffer_t>& commands,
                               const std::vector<Ref<hal_buffer_t>>& buffers) {
    const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory.device);
    hal_status_t status = Execute(memory.device, {}, {{timeline.get(), 1}}, commands, {buffers[0], buffers[1]});
    if (status == HAL_STATUS_OK) {
      status = Execute(memory.device, {{timeline.get(), 1}}, {{timeline.get(), 2}}, commands, {buffers[1], buffers[2]},
                       Queue(1));
    }
    return status == HAL_STATUS_OK ? Wait(timeline, 2) : status;
  }
};

TEST_P(GraphFaultTest, EveryCallFailsOnce) {
  const auto& [completion, failure] = GetParam();
  bool failed = true;
  for (uint64_t call = 1; failed; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    MemoryDevice memory(std::string("queues=2&command_buffer=graph&indirect=host&completion=") + completion);
    ASSERT_EQ(memory.status, HAL_STATUS_OK);
    const std::shared_ptr<MemoryWorld> world = memory.world;
    {
      std::vector<Ref<hal_buffer_t>> buffers;
      for (uint32_t i = 0; i < 3; ++i) buffers.push_back(MakeShared(memory.device));
      const auto commands = Recorder(memory.device, MakeKernels(memory.device), 2)
                                .Update(Slot(0), 5)
                                .Barrier()
                                .Bump(Slot(0))
                                .Barrier()
                                .Copy(Slot(0), Slot(1))
                                .End();
      world->Fail("", failure, call);
      const hal_status_t status = RunTwice(memory, commands, buffers);
      failed = world->faults.Failures() != 0;
      EXPECT_NE(status, HAL_STATUS_DEADLINE_EXCEEDED);
      if (!failed) EXPECT_EQ(status, HAL_STATUS_OK);
      if (status != HAL_STATUS_OK)
        EXPECT_THAT(hal_last_error_message(),
                    testing::AnyOf(testing::HasSubstr("told to fail"), testing::HasSubstr("broken")));
      if (hal_device_query_health(memory.device.get()) == HAL_STATUS_OK) {
        world->Fail("", HAL_STATUS_OK, 0);
        EXPECT_EQ(RunTwice(memory, commands, buffers), HAL_STATUS_OK) << hal_last_error_message();
        EXPECT_EQ(First(buffers[2]), 6u);
      }
      world->AwaitIdle();  // a device that was given up still uses the buffers
    }
    memory.device = {};
    if (!world->broken) EXPECT_TRUE(BecomesEmpty(*world)) << world->graphs << " graphs";
    EXPECT_EQ(TakeReports(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Failures, GraphFaultTest,
                         testing::Combine(testing::Values("fast", "portable"),
                                          testing::Values(HAL_STATUS_RESOURCE_EXHAUSTED, HAL_STATUS_DEVICE_LOST)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + hal_status_name(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace halyard::stream
