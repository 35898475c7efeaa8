// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait for another device's submission is a wait of the device, and fails as one of the host would.
#include <numeric>

#include "halyard/cpp/submit.hpp"
#include "halyard/fault_injection.h"
#include "interop_test.h"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TwoDevicesTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    other_ = OpenDevice(1);
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(other_.get()), &params, kLength, other_buffer_.out()));
  }
  void TearDown() override {
    other_buffer_ = {};
    other_ = {};
    InteropTest::TearDown();
  }
  hal_status_t Barrier(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                       hal_queue_mask_t queues = 1) {
    return hal_device_queue_barrier(device.get(), hal::SubmitParams(List(waits), List(signals), queues));
  }
  /// Work of device 0 beside what appends to the log.
  hal_status_t FillLogEnd(const Points& waits, const Points& signals, hal_queue_mask_t queue) {
    const uint32_t pattern = 1;
    return hal_device_queue_fill(device_.get(), hal::SubmitParams(List(waits), List(signals), queue),
                                 hal_buffer_ref(log_buffer_.get(), kLogEnd, kLength), &pattern, sizeof(pattern));
  }
  /// Work of device 1.
  hal_status_t FillOther(const Points& waits, const Points& signals, uint32_t pattern = 1, hal_queue_mask_t queue = 1) {
    return hal_device_queue_fill(other_.get(), hal::SubmitParams(List(waits), List(signals), queue),
                                 hal_buffer_ref(other_buffer_.get(), 0, kLength), &pattern, sizeof(pattern));
  }
  static hal_status_t Import(const Ref<hal_device_t>& device, void* host, uint64_t length,
                             Ref<hal_buffer_t>* out_buffer) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    memory.handle = reinterpret_cast<uintptr_t>(host);
    memory.length = length;
    return hal_allocator_import(hal_device_allocator(device.get()), &params, &memory, nullptr, nullptr,
                                out_buffer->out());
  }
  static void InjectLoss(const Ref<hal_device_t>& device) {
    const void* table = nullptr;
    ASSERT_OK(hal_device_query_interface(device.get(), hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table));
    const auto* const faults = static_cast<const hal_fault_injection_interface_t*>(table);
    ASSERT_OK(faults->lose_device(device.get(), hal_string_view("a test")));
  }
  /// Loses device 1 by its next kernel, in its queue 0.
  void LoseOther(const vendor::Result& result = vendor::kNames.illegal_address) {
    sim().LoseDevice(1, 1, result.number);
    ASSERT_OK(Trap());
  }
  /// Loses device 1 so, and looks at what is in flight there and depends on it here.
  void ExpectLoss(const vendor::Result& result);
  hal_status_t Trap();

  static constexpr uint64_t kLength = 64;    // bytes
  static constexpr uint64_t kLogEnd = 8192;  // bytes, behind all that a test appends
  Ref<hal_device_t> other_;
  Ref<hal_buffer_t> other_buffer_;
};

// The kernel reads nothing that exists there; that it is launched is what counts.
hal_status_t TwoDevicesTest::Trap() {
  const TestKernel kernel("trap", {});
  Ref<hal_executable_t> trap;
  if (hal_status_t status = hal_executable_create(other_.get(), &kernel.params(), trap.out());
      status != HAL_STATUS_OK) {
    return status;
  }
  const hal_dispatch_params_t once = HAL_DISPATCH_PARAMS_INIT;
  return hal_device_queue_dispatch(other_.get(), hal::SubmitParams(List({}), List({}), 1), trap.get(), 0, &once);
}

// The parts of a copy that the library submits are none of the application's: the stream that stands still would have
// them for ever.
TEST_P(TwoDevicesTest, PartsOfACopyDoNotGoIntoABegunStream) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(other_);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> source;
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, kLength, source.out()));
  hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
  rows.source = hal_buffer_ref(source.get(), 0, kLength);
  rows.target = hal_buffer_ref(other_buffer_.get(), 0, kLength);
  rows.width = 4;
  rows.height = 4;
  rows.depth = 1;
  rows.source_row_pitch = rows.target_row_pitch = 8;
  const Points begin = {{timeline.get(), 1}};
  const Points end = {{timeline.get(), 2}};
  ASSERT_OK(hal_device_queue_copy_strided(other_.get(), hal::SubmitParams(List(begin), List(end), 1), &rows));
  const Stream stream = MakeStream();
  const Gate gate = Close(stream);
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  ASSERT_OK(hal_semaphore_signal(timeline.get(), 1));
  EXPECT_OK(Wait(timeline, 2));
  ASSERT_OK(interop().end_stream(device_.get()));
  gate.Open();
}

TEST_P(TwoDevicesTest, TheDeviceWaitsForTheOther) {
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  const Gate gate = Close(QueueStream(other_, 0));
  ASSERT_OK(Barrier(other_, {}, {{there.get(), 1}}));  // needs nothing, and is done at once
  ASSERT_OK(hal_device_queue_barrier(other_.get(), hal::SubmitParams(List({}), List({{there.get(), 2}}), 1)));
  ASSERT_OK(FillOther({}, {{there.get(), 3}}));
  const uint64_t launches = sim().Calls(vendor::kNames.launch);
  ASSERT_OK(QueueAppend({{there.get(), 3}}, {{here.get(), 1}}, 1));
  ASSERT_OK(QueueAppend({{here.get(), 1}}, {{here.get(), 2}}, 2, 2));
  EXPECT_EQ(sim().Calls(vendor::kNames.launch), launches + 2) << "deferred on the host";
  EXPECT_EQ(ValueOf(here), 0U);
  gate.Open();
  ASSERT_OK(Wait(here, 2));
  EXPECT_EQ(ValueOf(there), 3U);
  EXPECT_THAT(Log(), ElementsAre(1, 2));
}

// Waits that come before their signals are deferred, and released into the stream when those are submitted.
TEST_P(TwoDevicesTest, WaitBeforeSignal) {
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  ASSERT_OK(QueueAppend({{there.get(), 1}}, {{here.get(), 1}}, 7));
  const Gate gate = Close(QueueStream(other_, 0));
  const uint64_t launches = sim().Calls(vendor::kNames.launch);
  ASSERT_OK(FillOther({}, {{there.get(), 1}}));
  EXPECT_EQ(sim().Calls(vendor::kNames.launch), launches + 1) << "deferred until the host heard of the signal";
  gate.Open();
  EXPECT_OK(Wait(here, 1));
}

TEST_P(TwoDevicesTest, DevicesTakeTurns) {
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  constexpr uint32_t kRounds = 300;
  for (uint32_t i = 0; i < kRounds; ++i) {
    const hal_queue_mask_t queue = hal_queue_mask_t{1} << i % 4;
    ASSERT_OK(FillOther({{here.get(), i}}, {{there.get(), i + 1}}, i, queue));
    ASSERT_OK(QueueAppend({{there.get(), i + 1}}, {{here.get(), i + 1}}, i, queue));
  }
  ASSERT_OK(Wait(here, kRounds));
  std::vector<uint32_t> expected(kRounds);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(Log(), expected);
}

// One semaphore that both devices move.
TEST_P(TwoDevicesTest, BothMoveOneTimeline) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  for (uint64_t i = 0; i < 200; i += 2) {
    ASSERT_OK(Barrier(device_, {{timeline.get(), i}}, {{timeline.get(), i + 1}}));
    ASSERT_OK(Barrier(other_, {{timeline.get(), i + 1}}, {{timeline.get(), i + 2}}));
  }
  EXPECT_OK(Wait(timeline, 200));
}

// What depends on the lost device fails, over several edges; other work continues.
TEST_P(TwoDevicesTest, LossReachesAllThatDepends) {
  if (!vendor::FaultsStayOnTheirDevice()) GTEST_SKIP() << "a fault is the end of all devices";
  sim().SetDelay(0);
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> first = MakeSemaphore();
  const Ref<hal_semaphore_t> second = MakeSemaphore();
  const Ref<hal_semaphore_t> well = MakeSemaphore();
  const Gate gate = Close(QueueStream(other_, 0));
  LoseOther();
  ASSERT_OK(FillOther({}, {{there.get(), 1}}));
  ASSERT_OK(QueueAppend({{there.get(), 1}}, {{first.get(), 1}}, 1, 1));
  ASSERT_OK(QueueAppend({{first.get(), 1}}, {{second.get(), 1}}, 2, 1));  // the same stream
  ASSERT_OK(FillLogEnd({{second.get(), 1}}, {{second.get(), 2}}, 2));
  ASSERT_OK(QueueAppend({}, {{well.get(), 1}}, 3, 1));  // behind them in the stream, and no dependent
  gate.Open();
  EXPECT_EQ(Wait(first, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_THAT(hal_last_error_message(), HasSubstr(vendor::kNames.illegal_address.name));
  EXPECT_EQ(Wait(second, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(Wait(second, 2), HAL_STATUS_DEVICE_LOST);
  EXPECT_OK(Wait(well, 1));
  EXPECT_OK(hal_device_query_health(device_.get()));
  const Ref<hal_semaphore_t> again = MakeSemaphore();
  ASSERT_OK(QueueAppend({{well.get(), 1}}, {{again.get(), 1}}, 5));
  EXPECT_OK(Wait(again, 1));
  other_buffer_ = {};
  sim().Ignore("leak,destroy-in-use");
}

void TwoDevicesTest::ExpectLoss(const vendor::Result& result) {
  if (!vendor::FaultsStayOnTheirDevice()) GTEST_SKIP() << "a fault is the end of all devices";
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  const Gate gate = Close(QueueStream(other_, 0));
  LoseOther(result);
  ASSERT_OK(FillOther({}, {{there.get(), 1}}));
  ASSERT_OK(QueueAppend({{there.get(), 1}}, {{here.get(), 1}}, 1));
  gate.Open();
  for (const Ref<hal_semaphore_t>& lost : {there, here}) {
    EXPECT_EQ(Wait(lost, 1), HAL_STATUS_DEVICE_LOST);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(result.name));
  }
  EXPECT_EQ(hal_device_query_health(other_.get()), HAL_STATUS_DEVICE_LOST);
  EXPECT_OK(hal_device_query_health(device_.get()));
  other_buffer_ = {};
  sim().Ignore("leak,destroy-in-use");
}

TEST_P(TwoDevicesTest, ATimeoutIsALoss) { ExpectLoss(vendor::kNames.timeout); }
TEST_P(TwoDevicesTest, BadMemoryIsALoss) { ExpectLoss(vendor::kNames.bad_memory); }
TEST_P(TwoDevicesTest, AFailedLaunchIsALoss) { ExpectLoss(vendor::kNames.failed_launch); }

TEST_P(TwoDevicesTest, InjectedLossReachesWhatIsInFlight) {
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  const Gate gate = Close(QueueStream(other_, 0));
  ASSERT_OK(FillOther({}, {{there.get(), 1}}));
  ASSERT_OK(QueueAppend({{there.get(), 1}}, {{here.get(), 1}}, 1));
  InjectLoss(other_);
  gate.Open();
  EXPECT_EQ(Wait(here, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_OK(hal_device_query_health(device_.get()));
}

// The waiting device is lost while it waits for the other: it does not stand still for an outcome.
TEST_P(TwoDevicesTest, LossOfTheWaitingDevice) {
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  const Gate gate = Close(QueueStream(other_, 0));
  ASSERT_OK(FillOther({}, {{there.get(), 1}}));
  ASSERT_OK(QueueAppend({{there.get(), 1}}, {{here.get(), 1}}, 1));
  InjectLoss(device_);
  EXPECT_EQ(Wait(here, 1), HAL_STATUS_DEVICE_LOST);
  gate.Open();
  EXPECT_OK(Wait(there, 1));
}

TEST_P(TwoDevicesTest, MemoryOfTheOtherIsNotImported) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage |= HAL_BUFFER_USAGE_EXPORT;
  Ref<hal_buffer_t> theirs;
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(other_.get()), &params, kLength, theirs.out()));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  ASSERT_OK(hal_buffer_export(theirs.get(), HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
  const hal_buffer_params_t plain = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> imported;
  EXPECT_EQ(
      hal_allocator_import(hal_device_allocator(device_.get()), &plain, &memory, nullptr, nullptr, imported.out()),
      HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("of another device's"));
  EXPECT_OK(
      hal_allocator_import(hal_device_allocator(other_.get()), &plain, &memory, nullptr, nullptr, imported.out()));
}

// A stream of the application on one device behind work of the other.
TEST_P(TwoDevicesTest, AStreamWaitsForTheOtherDevice) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> there = MakeSemaphore(other_);
  const Ref<hal_semaphore_t> here = MakeSemaphore();
  const Gate gate = Close(QueueStream(other_, 0));
  ASSERT_OK(FillOther({}, {{there.get(), 1}}));
  ASSERT_OK(interop().wait_on_stream(device_.get(), stream, List({{there.get(), 1}})));
  Append(stream, 1);
  ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List({{here.get(), 1}})));
  EXPECT_EQ(ValueOf(here), 0U);
  gate.Open();
  EXPECT_OK(Wait(here, 1));
  EXPECT_THAT(Log(), ElementsAre(1));
}

// Pinned once, by the device that imports it first, for both.
TEST_P(TwoDevicesTest, ImportedMemoryStaysPinnedForTheOther) {
  alignas(4096) static uint32_t words[1024];
  words[0] = 0;
  Ref<hal_buffer_t> there, here;
  ASSERT_OK(Import(other_, words, sizeof(words), &there));
  ASSERT_OK(Import(device_, words, sizeof(words), &here));
  EXPECT_EQ(sim().Calls(vendor::kNames.unregister), 0U);
  there = {};
  EXPECT_EQ(sim().Calls(vendor::kNames.unregister), 0U) << "the other device uses it";
  // Nor does it end with the device that pinned it.
  vendor::Release(1);
  other_buffer_ = {};
  other_ = {};
  const uint32_t pattern = 77;
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  const Points signals = {{done.get(), 1}};
  ASSERT_OK(hal_device_queue_fill(device_.get(), hal::SubmitParams(List({}), List(signals), 1),
                                  hal_buffer_ref(here.get(), 0, 64), &pattern, sizeof(pattern)));
  ASSERT_OK(Wait(done, 1));
  EXPECT_EQ(words[0], pattern);
  const uint64_t unregistered = sim().Calls(vendor::kNames.unregister);
  here = {};
  EXPECT_EQ(sim().Calls(vendor::kNames.unregister), unregistered + 1);
  ASSERT_DONE(vendor::Retain(1));  // as TearDown() expects
}

INSTANTIATE_TEST_SUITE_P(Completion, TwoDevicesTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
