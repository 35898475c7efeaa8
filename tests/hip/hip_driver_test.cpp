// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the application's threads find of HIP's after calls of Halyard, and what a submission asks of HIP. The library
// is the simulated one, which the test calls itself too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "halyard/hip_interop.h"
#include "stream/device/stream_device.h"
#include "unit/hip_api.h"
#include "vendor.h"

namespace halyard::hip {
namespace {

#define ASSERT_OK(call) ASSERT_EQ((call), HAL_STATUS_OK) << hal_last_error_message()
#define EXPECT_OK(call) EXPECT_EQ((call), HAL_STATUS_OK) << hal_last_error_message()

constexpr uint64_t kTenSeconds = 10'000'000'000;  // nanoseconds
constexpr uint64_t kLength = 4096;                // bytes

/// A device of the driver's, used by a thread that has the other device current. The parameter is the completion mode.
class HipDriverTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
    const std::string uri =
        interop::vendor::kNames.driver + std::string("://0?command_buffer=graph&completion=") + GetParam();
    ASSERT_OK(hal_device_create(hal_string_view(uri.c_str()), device_.out()));
    ASSERT_OK(hal_semaphore_create(device_.get(), nullptr, timeline_.out()));
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, kLength, buffer_.out()));
    const void* table = nullptr;
    ASSERT_OK(hal_device_query_interface(device_.get(), hal_string_view(HAL_HIP_INTEROP_INTERFACE), 1, &table));
    interop_ = static_cast<const hal_stream_interop_interface_t*>(table);
  }
  void TearDown() override {
    buffer_ = {};
    timeline_ = {};
    device_ = {};
    EXPECT_EQ(CurrentDevice(), 1);
    EXPECT_EQ(hip().hipGetLastError(), hipSuccess);
    hip().hipSetDevice(0);
  }

  static const sim::HipApi& hip() { return sim::HipApi::Get(); }
  static int CurrentDevice() {
    int device = -1;
    EXPECT_EQ(hip().hipGetDevice(&device), hipSuccess);
    return device;
  }

  /// The next fill of a chain: it waits for the one before.
  void Fill() {
    const uint32_t pattern = 5;
    const hal_timeline_point_t before = {timeline_.get(), value_};
    const hal_timeline_point_t after = {timeline_.get(), ++value_};
    ASSERT_OK(hal_device_queue_fill(device_.get(),
                                    hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1), 1),
                                    hal_buffer_ref(buffer_.get(), 0, kLength), &pattern, sizeof(pattern)));
  }
  void Wait() { ASSERT_OK(hal_semaphore_wait(timeline_.get(), value_, kTenSeconds)); }

  Ref<hal_device_t> device_;
  Ref<hal_semaphore_t> timeline_;
  Ref<hal_buffer_t> buffer_;
  const hal_stream_interop_interface_t* interop_ = nullptr;
  uint64_t value_ = 0;
};

// TearDown() looks.
TEST_P(HipDriverTest, WorkLeavesTheThreadsDeviceAndItsLastError) {
  for (int i = 0; i < 100; ++i) {
    Fill();
    uint64_t reached = 0;
    EXPECT_OK(hal_semaphore_query(timeline_.get(), &reached));
    EXPECT_EQ(CurrentDevice(), 1);
    EXPECT_EQ(hip().hipGetLastError(), hipSuccess);
  }
  Wait();
}

TEST_P(HipDriverTest, RefusalsOfHipsAreTakenBack) {
  hip().Fail("hipMallocFromPoolAsync", 1, hipErrorOutOfMemory);
  hip().Fail("hipEventRecord", 1, hipErrorUnknown);
  Fill();
  static_cast<void>(hal_semaphore_wait(timeline_.get(), value_, kTenSeconds));
  EXPECT_GT(hip().Failures(), 0u);
  EXPECT_EQ(hip().hipGetLastError(), hipSuccess);
  hip().Reset();
}

// HIP says that managed memory is the host's.
TEST_P(HipDriverTest, ManagedMemoryIsTheDevices) {
  void* managed = nullptr;
  ASSERT_EQ(hip().hipMallocManaged(&managed, kLength, hipMemAttachGlobal), hipSuccess);
  stream::NativeApi& api = static_cast<stream::StreamDevice*>(device_.get())->api();
  stream::NativePointerKind kind{};
  {
    const stream::NativeScope scope(api);
    EXPECT_EQ(scope.status(), kOk);
    EXPECT_EQ(api.DescribePointer(reinterpret_cast<uintptr_t>(managed), &kind), kOk);
  }
  EXPECT_EQ(kind, stream::NativePointerKind::kDevice);
  ASSERT_EQ(hip().hipFree(managed), hipSuccess);
}

TEST_P(HipDriverTest, ASubmissionIsOneCallAndOneRecord) {
  constexpr uint64_t kCount = 256;
  ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);  // as a thread that works with the device all the time
  for (uint64_t i = 0; i < kCount; ++i) Fill();
  Wait();
  const uint64_t fills = hip().Calls("hipMemsetD32Async");
  const uint64_t records = hip().Calls("hipEventRecord");
  const uint64_t switches = hip().Calls("hipSetDevice");
  const uint64_t writes = hip().Calls("hipStreamWriteValue64");
  for (uint64_t i = 0; i < kCount; ++i) Fill();
  EXPECT_EQ(hip().Calls("hipMemsetD32Async") - fills, kCount);
  EXPECT_EQ(hip().Calls("hipEventRecord") - records, kCount);
  EXPECT_EQ(hip().Calls("hipSetDevice") - switches, 0u);
  EXPECT_LE(hip().Calls("hipStreamWriteValue64") - writes, kCount / 8);
  Wait();
  ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
}

// Once warm, or fewer patches: some graph may have the table already. The second record is for launches of the graph on
// other streams.
TEST_P(HipDriverTest, AnExecutionOfAGraphIsItsPatchesOneLaunchAndTwoRecords) {
  if (GetParam() != std::string_view("fast")) GTEST_SKIP() << "portable completion records and waits more";
  constexpr uint64_t kCount = 64;
  ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 1;
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device_.get(), &params, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  const std::vector<uint8_t> data(64, 5);
  for (const uint64_t offset : {0, 64}) {
    ASSERT_OK(hal_command_buffer_update(commands.get(), data.data(), hal_slot_ref(0, offset, 64)));
  }
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  const auto execute_with_other_tables = [&] {
    for (uint64_t i = 0; i < kCount; ++i) {
      const hal_buffer_ref_t table = hal_buffer_ref(buffer_.get(), 128 * (i % 8), 128);
      const hal_timeline_point_t after = {timeline_.get(), ++value_};
      ASSERT_OK(hal_device_queue_execute(device_.get(), hal::SubmitParams({}, hal_semaphore_list(&after, 1), 1),
                                         commands.get(), hal_buffer_ref_list(&table, 1)));
    }
  };
  execute_with_other_tables();
  Wait();
  const auto calls = [] {
    std::vector<uint64_t> counts;
    for (const char* name : {"hipGraphExecMemcpyNodeSetParams1D", "hipGraphLaunch", "hipEventRecord",
                             "hipStreamWaitEvent", "hipGraphInstantiate", "hipSetDevice"}) {
      counts.push_back(hip().Calls(name));
    }
    return counts;
  };
  std::vector<uint64_t> counts = calls();
  execute_with_other_tables();
  const std::vector<uint64_t> now = calls();
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = now[i] - counts[i];
  EXPECT_THAT(counts, testing::ElementsAre(testing::Le(2 * kCount), kCount, 2 * kCount, 0, 0, 0));
  Wait();
  ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
}

// HIP lets launches of one executable graph overlap. What the handle of a stream of the application means can change
// between two launches: a handle of the per-thread stream, or of a stream that takes the place of another.
TEST_P(HipDriverTest, AGraphWaitsForItsLaunchInAStreamOfTheApplication) {
  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device_.get(), &params, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  const std::vector<uint8_t> data(64, 5);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(hal_command_buffer_update(commands.get(), data.data(), hal_buffer_ref(buffer_.get(), 0, data.size())));
    ASSERT_OK(hal_command_buffer_barrier(commands.get()));
  }
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  const auto execute = [&] {
    const hal_timeline_point_t after = {timeline_.get(), ++value_};
    ASSERT_OK(hal_device_queue_execute(device_.get(), hal::SubmitParams({}, hal_semaphore_list(&after, 1), 1),
                                       commands.get(), {}));
  };
  const auto execute_in_default_stream = [&] {
    ASSERT_OK(interop_->begin_stream(device_.get(), nullptr));
    execute();
    ASSERT_OK(interop_->end_stream(device_.get()));
  };
  execute_in_default_stream();
  Wait();
  for (const bool in_default_stream : {true, false}) {
    const uint64_t launches = hip().Calls("hipGraphLaunch");
    const uint64_t waits = hip().Calls("hipStreamWaitEvent");
    if (in_default_stream) execute_in_default_stream();
    if (!in_default_stream) execute();
    Wait();
    EXPECT_EQ(hip().Calls("hipGraphLaunch") - launches, 1u);
    EXPECT_GE(hip().Calls("hipStreamWaitEvent") - waits, 1u);
  }
}

// Before 7.2 a graph keeps the pattern of a fill where the fills of all graphs keep theirs in turn.
TEST_P(HipDriverTest, FillsOfACommandBufferKeepTheirValues) {
  constexpr uint32_t kFills = 8;
  const auto record = [&](uint64_t offset, uint32_t fills, uint32_t base) {
    Ref<hal_command_buffer_t> commands;
    const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
    EXPECT_OK(hal_command_buffer_create(device_.get(), &params, commands.out()));
    EXPECT_OK(hal_command_buffer_begin(commands.get()));
    for (uint32_t i = 0; i < fills; ++i) {
      const uint32_t pattern = base + i;
      EXPECT_OK(hal_command_buffer_fill(commands.get(), hal_buffer_ref(buffer_.get(), offset + 4 * i, 4), &pattern,
                                        sizeof(pattern)));
      EXPECT_OK(hal_command_buffer_barrier(commands.get()));
    }
    EXPECT_OK(hal_command_buffer_end(commands.get()));
    return commands;
  };
  const auto run = [&](const Ref<hal_command_buffer_t>& commands) {
    const hal_timeline_point_t before = {timeline_.get(), value_};
    const hal_timeline_point_t after = {timeline_.get(), ++value_};
    EXPECT_OK(hal_device_queue_execute(
        device_.get(), hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1), 1),
        commands.get(), {}));
    Wait();
  };
  const Ref<hal_command_buffer_t> first = record(0, kFills, 100);
  run(first);
  // More of them than there are places.
  for (int i = 0; i < 20; ++i) run(record(1024, 128, 7000));
  run(first);
  Ref<hal_buffer_t> staging;
  hal_buffer_params_t params;
  hal_buffer_params_staging_initialize(&params, sizeof(params));
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 4 * kFills, staging.out()));
  const hal_timeline_point_t before = {timeline_.get(), value_};
  const hal_timeline_point_t after = {timeline_.get(), ++value_};
  ASSERT_OK(hal_device_queue_copy(
      device_.get(), hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1), 1),
      hal_buffer_ref(buffer_.get(), 0, 4 * kFills), hal_buffer_ref(staging.get(), 0, 4 * kFills)));
  Wait();
  std::vector<uint32_t> values(kFills);
  ASSERT_OK(hal_buffer_read(staging.get(), 0, values.data(), 4 * kFills));
  EXPECT_THAT(values, testing::ElementsAre(100, 101, 102, 103, 104, 105, 106, 107));
}

// Before 7.2 a graph of several chains is launched past its streams, if the application's leave the hardware queues
// with different numbers of streams.
TEST_P(HipDriverTest, GraphsRunBesideStreamsThatShareQueuesUnevenly) {
  ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
  std::vector<hipStream_t> streams(12);
  for (hipStream_t& stream : streams) {
    ASSERT_EQ(hip().hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  }
  for (size_t i = 0; i < streams.size(); i += 4) ASSERT_EQ(hip().hipStreamDestroy(streams[i]), hipSuccess);
  Ref<hal_command_buffer_t> commands;
  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  ASSERT_OK(hal_command_buffer_create(device_.get(), &params, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  const std::vector<uint8_t> data(64, 5);
  for (uint64_t i = 0; i < 8; ++i) {
    ASSERT_OK(hal_command_buffer_update(commands.get(), data.data(), hal_buffer_ref(buffer_.get(), 64 * i, 64)));
  }
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  for (int i = 0; i < 3; ++i) {
    const hal_timeline_point_t before = {timeline_.get(), value_};
    const hal_timeline_point_t after = {timeline_.get(), ++value_};
    ASSERT_OK(hal_device_queue_execute(
        device_.get(), hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1), 1),
        commands.get(), {}));
    Wait();
  }
  EXPECT_EQ(hip().Reports("graph-width"), 0u);
  for (size_t i = 0; i < streams.size(); ++i) {
    if (i % 4 != 0) ASSERT_EQ(hip().hipStreamDestroy(streams[i]), hipSuccess);
  }
  ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
}

INSTANTIATE_TEST_SUITE_P(Completion, HipDriverTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::hip
