// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modes of a device are chosen by what it can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "stream/recording/segment_graphs.h"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

using testing::AllOf;
using testing::HasSubstr;

NativeTraits Without(bool NativeTraits::*trait) {
  NativeTraits traits = AllTraits();
  traits.*trait = false;
  return traits;
}

/// Runs some work of each kind; the API refuses what the device cannot do.
void ExpectWorks(const MemoryDevice& memory) {
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_device_t>& device = memory.device;
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device);
  const Ref<hal_buffer_t> shared = MakeShared(device, 5);
  const Ref<hal_buffer_t> staging = MakeBuffer(device, kLength);
  const Ref<hal_executable_t> kernels = MakeKernels(device);
  const auto commands =
      Recorder(device, kernels).Bump(Whole(shared)).Barrier().Copy(Whole(shared), Whole(staging)).End();
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> made;
  const std::array<Point, 3> points = {{{timeline.get(), 1}, {timeline.get(), 2}, {timeline.get(), 3}}};
  ASSERT_EQ(hal_device_queue_alloca(device.get(), hal::SubmitParams({}, hal_semaphore_list(&points[0], 1)), &params,
                                    12'345, made.out()),
            HAL_STATUS_OK);
  ASSERT_EQ(Execute(device, {points[0]}, {points[1]}, commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_queue_dealloca(
                device.get(), hal::SubmitParams(hal_semaphore_list(&points[1], 1), hal_semaphore_list(&points[2], 1)),
                made.get()),
            HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 3), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(staging), 6u);
  EXPECT_EQ(TakeReports(), "");
}

int StreamsOf(const std::string& parameters, const NativeTraits& traits) {
  const MemoryDevice memory(parameters, traits);
  EXPECT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  return memory.world->streams;
}

// Told from the second stream that each queue has in the portable mode.
TEST(DeviceTraitsTest, CompletionIsFastWhereStreamsCanWrite) {
  const NativeTraits none = Without(&NativeTraits::stream_writes);
  EXPECT_EQ(StreamsOf("queues=3", AllTraits()), StreamsOf("queues=3&completion=fast", AllTraits()));
  EXPECT_EQ(StreamsOf("queues=3", none), StreamsOf("queues=3&completion=portable", AllTraits()));
  EXPECT_EQ(StreamsOf("queues=3", none), StreamsOf("queues=3", AllTraits()) + 3);
  ExpectWorks(MemoryDevice("", none));
  ExpectWorks(MemoryDevice("command_buffer=graph", none));
}

TEST(DeviceTraitsTest, FastCompletionIsRefusedWhereStreamsCannotWrite) {
  const MemoryDevice memory("completion=fast", Without(&NativeTraits::stream_writes));
  EXPECT_EQ(memory.status, HAL_STATUS_UNAVAILABLE);
  EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("completion=fast"), HasSubstr("use portable")));
  EXPECT_EQ(memory.world->alive(), 0);
}

TEST(DeviceTraitsTest, AllocationFollowsStreamsWhereThereArePools) {
  const NativeTraits none = Without(&NativeTraits::memory_pools);
  EXPECT_EQ(MemoryDevice("", AllTraits()).world->pools, 1);
  EXPECT_EQ(MemoryDevice("async_allocation=false", AllTraits()).world->pools, 0);
  EXPECT_EQ(MemoryDevice("", none).world->pools, 0);
  ExpectWorks(MemoryDevice("async_allocation=false", AllTraits()));
  ExpectWorks(MemoryDevice("", none));
  ExpectWorks(MemoryDevice("async_allocation=false&command_buffer=graph", none));
}

TEST(DeviceTraitsTest, AsyncAllocationIsRefusedWithoutPools) {
  const MemoryDevice memory("async_allocation=true", Without(&NativeTraits::memory_pools));
  EXPECT_EQ(memory.status, HAL_STATUS_UNAVAILABLE);
  EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("async_allocation=true"), HasSubstr("no memory pools")));
  EXPECT_EQ(memory.world->alive(), 0);
}

// Memory of both sides is pinned memory of the host where the device has no better.
TEST(DeviceTraitsTest, PinnedMemoryStandsInForManagedMemory) {
  const MemoryDevice memory("", Without(&NativeTraits::managed_memory));
  ExpectWorks(memory);
  std::array<hal_memory_heap_t, 3> heaps;
  heaps.fill(HAL_INIT(hal_memory_heap_t));
  size_t count = heaps.size();
  ASSERT_EQ(hal_allocator_query_heaps(hal_device_allocator(memory.device.get()), &count, heaps.data()), HAL_STATUS_OK);
  ASSERT_EQ(count, 2u);
  constexpr hal_memory_type_t kBoth = HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE;
  EXPECT_EQ(heaps[1].memory_type & kBoth, kBoth);
  EXPECT_NE(heaps[1].memory_type & HAL_MEMORY_TYPE_HOST_LOCAL, 0u);
}

TEST(DeviceTraitsTest, ADeviceWithoutAnyOfItWorks) {
  NativeTraits traits = AllTraits();
  traits.stream_writes = traits.memory_pools = traits.managed_memory = false;
  ExpectWorks(MemoryDevice("", traits));
  ExpectWorks(MemoryDevice("command_buffer=graph", traits));
}

// Where each patch takes memory that only the graph's destruction frees.
TEST(DeviceTraitsTest, GraphsAreMadeAnewAfterSoManyPatches) {
  constexpr uint64_t kPatches = 8;
  constexpr uint32_t kRuns = 300;
  NativeTraits traits = AllTraits();
  traits.max_graph_patches = kPatches;
  const MemoryDevice memory("command_buffer=graph", traits);
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory.device);
  const auto commands = Recorder(memory.device, MakeKernels(memory.device), 1).Bump(Slot(0)).End();
  std::array<Ref<hal_buffer_t>, 16> buffers;  // more tables than graphs, in turn: none finds the graph of its last time
  for (Ref<hal_buffer_t>& buffer : buffers) buffer = MakeShared(memory.device);
  for (uint32_t i = 0; i < kRuns; ++i) {
    ASSERT_EQ(Execute(memory.device, {}, {{timeline.get(), i + 1}}, commands, {buffers[i % buffers.size()]}),
              HAL_STATUS_OK);
    ASSERT_EQ(Wait(timeline, i + 1), HAL_STATUS_OK) << hal_last_error_message();
  }
  uint32_t sum = 0;
  for (const Ref<hal_buffer_t>& buffer : buffers) sum += First(buffer);
  EXPECT_EQ(sum, kRuns);
  const uint64_t graphs = memory.world->Calls("InstantiateGraph");
  EXPECT_LE(memory.world->Calls("Patch"), graphs * kPatches);
  EXPECT_GE(graphs * (kPatches + 1), kRuns);
  EXPECT_LE(memory.world->graphs, int{2 * (SegmentGraphs::kMaxGraphs + 1)}) << "those that were patched too often stay";
}

/// Waits of streams for events, while more queues execute a command buffer than it has graphs.
uint64_t WaitsOfSharedGraphs(bool launches_overlap) {
  constexpr uint32_t kQueues = 2 * SegmentGraphs::kMaxGraphs;
  NativeTraits traits = AllTraits();
  traits.graph_launches_overlap = launches_overlap;
  const MemoryDevice memory("command_buffer=graph&queues=" + std::to_string(kQueues), traits);
  EXPECT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_buffer_t> word = MakeShared(memory.device, 0);
  const auto commands = Recorder(memory.device, MakeKernels(memory.device)).Bump(Whole(word)).End();
  std::vector<Ref<hal_semaphore_t>> ends;
  const uint64_t before = memory.world->Calls("WaitEvent");
  memory.world->paused = true;
  for (uint32_t i = 0; i < kQueues; ++i) {
    ends.push_back(MakeSemaphore(memory.device));
    EXPECT_EQ(Execute(memory.device, {}, {{ends[i].get(), 1}}, commands, {}, Queue(i)), HAL_STATUS_OK);
  }
  const uint64_t waits = memory.world->Calls("WaitEvent") - before;
  EXPECT_EQ(memory.world->Calls("InstantiateGraph"), SegmentGraphs::kMaxGraphs);
  memory.world->paused = false;
  for (const Ref<hal_semaphore_t>& end : ends) EXPECT_EQ(Wait(end, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(word), kQueues);
  return waits;
}

TEST(DeviceTraitsTest, LaunchesOfASharedGraphThatMayOverlapWaitForEachOther) {
  EXPECT_EQ(WaitsOfSharedGraphs(false), 0u);
  EXPECT_EQ(WaitsOfSharedGraphs(true), SegmentGraphs::kMaxGraphs);
}

TEST(DeviceTraitsTest, WorkItemsOfADimensionAreBounded) {
  NativeTraits traits = AllTraits();
  traits.max_work_items = 8;
  const MemoryDevice memory("command_buffer=graph&indirect=host", traits);
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_executable_t> kernels = MakeKernels(memory.device);
  const Ref<hal_buffer_t> sum = MakeShared(memory.device);
  const auto run = [&](uint32_t count, bool indirect) {
    const Ref<hal_semaphore_t> end = MakeSemaphore(memory.device);
    const Ref<hal_buffer_t> counts = MakeCounts(memory.device, count);
    Recorder recorder(memory.device, kernels);
    if (indirect) {
      recorder.BumpIndirect(Whole(sum), Whole(counts));
    } else {
      recorder.Bump(Whole(sum), count);
    }
    const hal_status_t status = Execute(memory.device, {}, {{end.get(), 1}}, recorder.End());
    return status == HAL_STATUS_OK ? Wait(end, 1) : status;
  };
  for (const bool indirect : {false, true}) {
    EXPECT_EQ(run(8, indirect), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(run(9, indirect), HAL_STATUS_OUT_OF_RANGE);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("work-items in one dimension; the device takes at most 8"));
  }
  EXPECT_EQ(First(sum), 16u);
}

}  // namespace
}  // namespace halyard::stream
