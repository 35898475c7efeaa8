// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that works on and on takes no more memory: none of the host per submission, none of its own per execution.
#include <algorithm>
#include <string_view>

#include "allocations/counting_allocator.h"
#include "halyard/cpp/submit.hpp"
#include "interop_test.h"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

constexpr uint64_t kLength = 64 << 10;  // bytes of a buffer
constexpr uint64_t kPlace = 256;        // bytes that a command works on
constexpr uint32_t kPattern = 7;
constexpr uint64_t kInFlight = 4;  // executions, each with a graph of its own

// Executions. A sanitizer makes each take twenty times as long.
#ifdef HALYARD_SANITIZED
constexpr uint64_t kFew = 2'000;
constexpr uint64_t kMany = 20'000;
#else
constexpr uint64_t kFew = 20'000;
constexpr uint64_t kMany = 1'000'000;
#endif

class SteadyStateTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    sim().SetDelay(0);
    graphs_ = OpenDevice(0, "&command_buffer=graph");
    timeline_ = MakeSemaphore(graphs_);
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(graphs_.get()), &params, kLength, buffer_.out()));
    const TestKernel kernel("local_size", {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)});
    ASSERT_OK(hal_executable_create(graphs_.get(), &kernel.params(), kernel_.out()));
    Record();
  }
  void TearDown() override {
    commands_ = {};
    kernel_ = {};
    buffer_ = {};
    timeline_ = {};
    graphs_ = {};
    InteropTest::TearDown();
  }

  /// Two dispatches, each over a slot of its own.
  void Record();
  hal_status_t RecordDispatch(uint32_t slot);
  /// Executes that, with other places of the buffer each time.
  void Execute();
  /// Submits one of each operation and waits. The library's allocations meanwhile, without the buffer that one makes.
  uint64_t AllocationsOfARound();
  /// Lowest in the executions.
  uint64_t FreeMemoryAfter(uint64_t executions);
  void ExpectFlat(uint64_t executions);

  hal_buffer_ref_t Place(uint64_t index) const { return hal_buffer_ref(buffer_.get(), index * kPlace, kPlace); }
  hal_timeline_point_t Next() { return {timeline_.get(), ++value_}; }
  hal_timeline_point_t Now() const { return {timeline_.get(), value_}; }
  void WaitForAll() { ASSERT_OK(Wait(timeline_, value_)); }

  Ref<hal_device_t> graphs_;
  Ref<hal_semaphore_t> timeline_;
  Ref<hal_buffer_t> buffer_;
  Ref<hal_executable_t> kernel_;
  Ref<hal_command_buffer_t> commands_;
  uint64_t value_ = 0;
  uint64_t executions_ = 0;
};

hal_status_t SteadyStateTest::RecordDispatch(uint32_t slot) {
  const hal_buffer_ref_t binding = hal_slot_ref(slot, 0, kPlace);
  hal_dispatch_params_t once = HAL_DISPATCH_PARAMS_INIT;
  once.bindings = hal_buffer_ref_list(&binding, 1);
  return hal_command_buffer_dispatch(commands_.get(), kernel_.get(), 0, &once);
}

void SteadyStateTest::Record() {
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 2;
  ASSERT_OK(hal_command_buffer_create(graphs_.get(), &reusable, commands_.out()));
  ASSERT_OK(hal_command_buffer_begin(commands_.get()));
  for (const uint32_t slot : {0U, 1U}) ASSERT_OK(RecordDispatch(slot));
  ASSERT_OK(hal_command_buffer_end(commands_.get()));
}

void SteadyStateTest::Execute() {
  constexpr uint64_t kPairs = kLength / kPlace / 2;
  const uint64_t pair = executions_++ % kPairs;
  const hal_buffer_ref_t table[] = {Place(2 * pair), Place(2 * pair + 1)};
  const Points waits = {Now()};
  const Points signals = {Next()};
  ASSERT_OK(hal_device_queue_execute(graphs_.get(), hal::SubmitParams(List(waits), List(signals), 1), commands_.get(),
                                     hal_buffer_ref_list(table, 2)));
}

uint64_t SteadyStateTest::AllocationsOfARound() {
  hal_device_t* const device = graphs_.get();
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  const auto callback = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  const hal_buffer_ref_t binding = Place(0);
  hal_dispatch_params_t once = HAL_DISPATCH_PARAMS_INIT;
  once.bindings = hal_buffer_ref_list(&binding, 1);
  hal_timeline_point_t before = Now();
  hal_timeline_point_t after = Next();
  const auto step = [&](hal_status_t status) {
    EXPECT_OK(status);
    before = after;
    after = Next();
  };
  const auto waits = [&] { return hal_semaphore_list(&before, 1); };
  const auto signals = [&] { return hal_semaphore_list(&after, 1); };
  Ref<hal_buffer_t> scratch;
  const uint64_t count = allocations::LibraryAllocations();
  step(hal_device_queue_barrier(device, hal::SubmitParams(waits(), signals(), 1)));
  step(hal_device_queue_fill(device, hal::SubmitParams(waits(), signals(), 1), Place(0), &kPattern, sizeof(kPattern)));
  step(hal_device_queue_update(device, hal::SubmitParams(waits(), signals(), 2), &kPattern,
                               hal_buffer_ref(buffer_.get(), 0, 4)));
  step(hal_device_queue_copy(device, hal::SubmitParams(waits(), signals(), 4), Place(0), Place(1)));
  step(hal_device_queue_dispatch(device, hal::SubmitParams(waits(), signals(), 8), kernel_.get(), 0, &once));
  step(hal_device_queue_host_call(device, hal::SubmitParams(waits(), signals(), 1), callback, nullptr));
  step(hal_device_queue_alloca(device, hal::SubmitParams(waits(), signals(), 1), &params, 4096, scratch.out()));
  EXPECT_OK(hal_device_queue_dealloca(device, hal::SubmitParams(waits(), signals(), 1), scratch.get()));
  Execute();
  WaitForAll();
  return allocations::LibraryAllocations() - count - 1;
}

// A thread of the device may grow something in some rounds, but not in all of them.
TEST_P(SteadyStateTest, OnceWarmSubmissionsAllocateNothing) {
  for (int i = 0; i < 300; ++i) AllocationsOfARound();
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 32; ++i) least = std::min(least, AllocationsOfARound());
  EXPECT_EQ(least, 0U);
}

uint64_t SteadyStateTest::FreeMemoryAfter(uint64_t executions) {
  uint64_t least = UINT64_MAX;
  for (uint64_t i = 0; i < executions && !HasFatalFailure(); ++i) {
    Execute();
    if (i % kInFlight != kInFlight - 1) continue;
    WaitForAll();
    const vendor::Current current(0);
    uint64_t now = 0;
    EXPECT_DONE(vendor::FreeMemory(&now));
    least = std::min(least, now);
  }
  return least;
}

void SteadyStateTest::ExpectFlat(uint64_t executions) {
  // The graphs in flight, and as many that have been made anew and are not gone yet.
  const uint64_t most = 2 * kInFlight * 4100 * vendor::kPatchMemory;
  const uint64_t begin = FreeMemoryAfter(8);
  const uint64_t patches = sim().Calls(vendor::kNames.patch_kernel);
  const uint64_t warm = FreeMemoryAfter(1000);
  const int64_t live = allocations::LiveLibraryAllocations();
  const uint64_t later = FreeMemoryAfter(executions);
  EXPECT_GE(sim().Calls(vendor::kNames.patch_kernel) - patches, 2 * executions) << "the tables change nothing";
  EXPECT_LE(begin - std::min(begin, std::min(warm, later)), most);
  EXPECT_LE(allocations::LiveLibraryAllocations(), live + 100);
}

TEST_P(SteadyStateTest, ExecutionsWithOtherTablesLeaveMemoryFlat) {
  ExpectFlat(vendor::kPatchMemory == 0 ? kFew / 10 : kFew);
}

TEST_P(SteadyStateTest, AMillionExecutionsLeaveMemoryFlatSlow) {
  if (vendor::kPatchMemory == 0) GTEST_SKIP() << "patches keep no memory";
  if (GetParam() != std::string_view("fast")) GTEST_SKIP() << "the graphs are the same in all modes";
  ExpectFlat(kMany);
}

INSTANTIATE_TEST_SUITE_P(Completion, SteadyStateTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
