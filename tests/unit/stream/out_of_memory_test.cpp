// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without host memory an operation fails once the device has finished the submitted part, and affects nothing else.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "allocations/counting_allocator.h"
#include "halyard/profiling.h"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

struct OutOfMemoryCase {
  const char* name;
  const char* parameters;  // of the device
  bool profiled;
};

/// What one execution needs: a command buffer in two stages, with graphs where the device makes some.
struct Workplace {
  explicit Workplace(const Ref<hal_device_t>& opened);

  const Ref<hal_device_t> device;
  const Ref<hal_executable_t> kernels = MakeKernels(device);
  const Ref<hal_buffer_t> target = MakeShared(device);
  const Ref<hal_buffer_t> count = MakeShared(device);
  const Ref<hal_semaphore_t> done = MakeSemaphore(device);
  Ref<hal_command_buffer_t> commands;
};

Workplace::Workplace(const Ref<hal_device_t>& opened) : device(opened) {
  const hal_dim3_t groups = {2, 1, 1};
  EXPECT_EQ(hal_buffer_write(count.get(), 0, &groups, sizeof(groups)), HAL_STATUS_OK);
  commands = Recorder(device, kernels)
                 .Fill(Whole(target), 5)
                 .Barrier()
                 .Bump(Whole(target))
                 .Barrier()
                 .BumpIndirect(Whole(target), Whole(count))
                 .Barrier()
                 .Bump(Whole(target))
                 .End();
}

class StreamOutOfMemoryTest : public testing::TestWithParam<OutOfMemoryCase> {
 protected:
  static bool ExecuteWithFailure(uint64_t n);
  static void StartProfiling(const Ref<hal_device_t>& device);
  static void ExpectUsable(const Workplace& place);
};

void StreamOutOfMemoryTest::StartProfiling(const Ref<hal_device_t>& device) {
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.record = [](void*, const hal_profiling_record_t*) {};
  EXPECT_EQ(hal_device_profiling_begin(device.get(), HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES, &sink),
            HAL_STATUS_OK);
}

void StreamOutOfMemoryTest::ExpectUsable(const Workplace& place) {
  const Ref<hal_semaphore_t> again = MakeSemaphore(place.device);
  EXPECT_EQ(Execute(place.device, {}, {{again.get(), 1}}, place.commands), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(again, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(place.target), 9u);
}

/// Of the first point; unlike a wait, looking takes no memory.
hal_status_t Outcome(const Ref<hal_semaphore_t>& semaphore) {
  uint64_t value = 0;
  hal_status_t status = HAL_STATUS_OK;
  while (status == HAL_STATUS_OK && value == 0) status = hal_semaphore_query(semaphore.get(), &value);
  return status;
}

/// Executes on a new device while the `n`-th allocation from then on fails. False if there were fewer.
bool StreamOutOfMemoryTest::ExecuteWithFailure(uint64_t n) {
  const MemoryDevice memory(GetParam().parameters);
  EXPECT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const std::shared_ptr<MemoryWorld> world = memory.world;
  const Workplace place(memory.device);
  if (GetParam().profiled) StartProfiling(place.device);

  world->paused = true;
  allocations::FailAllocation(n);
  const hal_status_t submitted = Execute(place.device, {}, {{place.done.get(), 1}}, place.commands);
  EXPECT_TRUE(submitted == HAL_STATUS_OK || submitted == HAL_STATUS_RESOURCE_EXHAUSTED) << hal_last_error_message();
  uint64_t value = 0;
  const hal_status_t early = hal_semaphore_query(place.done.get(), &value);
  world->paused = false;
  if (submitted == HAL_STATUS_OK) {
    const hal_status_t outcome = Outcome(place.done);
    EXPECT_TRUE(outcome == HAL_STATUS_OK || outcome == HAL_STATUS_RESOURCE_EXHAUSTED) << hal_last_error_message();
    const uint32_t first = First(place.target);
    world->AwaitIdle();
    EXPECT_EQ(First(place.target), first) << "ended while the device was at work on it";
  }
  world->AwaitIdle();
  if (early != HAL_STATUS_OK) EXPECT_EQ(First(place.target), 0u) << "failed before the device had done its part";
  const bool failed = allocations::HasFailed();
  allocations::FailAllocation(0);
  if (GetParam().profiled) EXPECT_EQ(hal_device_profiling_end(place.device.get()), HAL_STATUS_OK);
  ExpectUsable(place);
  EXPECT_EQ(TakeReports(), "");
  return failed;
}

TEST_P(StreamOutOfMemoryTest, EndsOnceTheDeviceIsDone) {
  constexpr uint64_t kMost = 1000;  // far more than there are
  uint64_t n = 1;
  for (bool failed = true; failed && n < kMost; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    failed = ExecuteWithFailure(n);
  }
  EXPECT_GT(n, 5u) << "hardly anything has failed";
  EXPECT_LT(n, kMost);
}

INSTANTIATE_TEST_SUITE_P(Completion, StreamOutOfMemoryTest,
                         testing::ValuesIn({
                             OutOfMemoryCase{"fast", "completion=fast", false},
                             OutOfMemoryCase{"fast_profiled", "completion=fast", true},
                             OutOfMemoryCase{"fast_graph", "completion=fast&command_buffer=graph", false},
                             OutOfMemoryCase{"portable_profiled", "completion=portable", true},
                             OutOfMemoryCase{"portable_graph", "completion=portable&command_buffer=graph", false},
                         }),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace halyard::stream
