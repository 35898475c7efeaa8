// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that kernels get in addition to their bindings. The kernel "borrow" writes its part of it, 64 bytes for each
// workgroup, and tells where that is.
#include <algorithm>
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

constexpr uint32_t kPart = 64;                      // bytes for each workgroup
constexpr uint64_t kSmallestBlock = 64 << 10;       // bytes that a stream keeps at least
constexpr uint32_t kLargePart = uint32_t{1} << 20;  // bytes for each workgroup, so that few take more than is kept

hal_parameter_t Scratch(uint32_t size) {
  hal_parameter_t scratch = {};
  scratch.kind = HAL_PARAMETER_KIND_SCRATCH;
  scratch.size = size;
  scratch.offset = 256;
  return scratch;
}

std::vector<hal_parameter_t> BorrowParameters(uint32_t size = kPart) {
  return {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE), Scratch(size)};
}

class ScratchTest : public InteropTest {
 protected:
  void Use(const std::string& parameters, uint32_t size = kPart) {
    device_of_test_ = OpenDevice(0, parameters);
    done_ = MakeSemaphore(device_of_test_);
    const TestKernel kernel("borrow", BorrowParameters(size));
    ASSERT_OK(hal_executable_create(device_of_test_.get(), &kernel.params(), borrow_.out()));
  }
  void TearDown() override {
    borrow_ = {};
    done_ = {};
    device_of_test_ = {};
    InteropTest::TearDown();
  }

  Ref<hal_buffer_t> MakeBuffer(uint64_t length) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    params.usage = HAL_BUFFER_USAGE_ALL;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device_of_test_.get()), &params, length, buffer.out()));
    return buffer;
  }
  /// The places that the first workgroups were given.
  static std::vector<uint64_t> PlacesIn(const Ref<hal_buffer_t>& buffer, uint64_t first, uint32_t count) {
    std::vector<uint64_t> places(count);
    EXPECT_OK(hal_buffer_read(buffer.get(), first * sizeof(uint64_t), places.data(), count * sizeof(uint64_t)));
    return places;
  }
  /// One after the other, each workgroup's part right behind the last one's. Gives where the first is.
  static uint64_t ExpectParts(const std::vector<uint64_t>& places) {
    EXPECT_EQ(places[0] % 256, 0u);
    for (size_t i = 1; i < places.size(); ++i) EXPECT_EQ(places[i], places[0] + i * kPart) << "workgroup " << i;
    return places[0];
  }

  static hal_dispatch_params_t Workgroups(const hal_buffer_ref_t& out, uint32_t count) {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(count, 1, 1);
    params.bindings = hal_buffer_ref_list(&out, 1);
    return params;
  }
  hal_status_t Dispatch(const Ref<hal_buffer_t>& buffer, uint32_t count, const Points& signals,
                        hal_queue_mask_t queue = 1) {
    const hal_buffer_ref_t out = hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE);
    const hal_dispatch_params_t params = Workgroups(out, count);
    return hal_device_queue_dispatch(device_of_test_.get(), hal::SubmitParams(List({}), List(signals), queue),
                                     borrow_.get(), 0, &params);
  }
  /// Dispatches and waits.
  std::vector<uint64_t> Run(uint32_t count) {
    const Ref<hal_buffer_t> buffer = MakeBuffer(count * sizeof(uint64_t));
    const Points signals = {{done_.get(), ++value_}};
    EXPECT_OK(Dispatch(buffer, count, signals));
    EXPECT_OK(Wait(done_, value_));
    return PlacesIn(buffer, 0, count);
  }

  /// Dispatches of `count` workgroups each; nothing, or a barrier, stands between them.
  Ref<hal_command_buffer_t> Record(const Ref<hal_buffer_t>& buffer, uint32_t dispatches, uint32_t count, bool ordered,
                                   const Ref<hal_buffer_t>& indirect = {});
  void Execute(const Ref<hal_command_buffer_t>& commands) {
    const Points signals = {{done_.get(), ++value_}};
    ASSERT_OK(hal_device_queue_execute(device_of_test_.get(), hal::SubmitParams(List({}), List(signals), 1),
                                       commands.get(), hal_buffer_ref_list(nullptr, 0)));
    ASSERT_OK(Wait(done_, value_));
  }

  Ref<hal_device_t> device_of_test_;
  Ref<hal_executable_t> borrow_;
  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

Ref<hal_command_buffer_t> ScratchTest::Record(const Ref<hal_buffer_t>& buffer, uint32_t dispatches, uint32_t count,
                                              bool ordered, const Ref<hal_buffer_t>& indirect) {
  const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  const uint64_t length = count * sizeof(uint64_t);
  Ref<hal_command_buffer_t> commands;
  EXPECT_OK(hal_command_buffer_create(device_of_test_.get(), &reusable, commands.out()));
  EXPECT_OK(hal_command_buffer_begin(commands.get()));
  for (uint32_t i = 0; i < dispatches; ++i) {
    const hal_buffer_ref_t out = hal_buffer_ref(buffer.get(), i * length, length);
    hal_dispatch_params_t params = Workgroups(out, count);
    if (indirect) {
      params.flags = HAL_DISPATCH_INDIRECT;
      params.indirect = hal_buffer_ref(indirect.get(), 0, sizeof(hal_dim3_t));
    }
    EXPECT_OK(hal_command_buffer_dispatch(commands.get(), borrow_.get(), 0, &params));
    if (ordered) EXPECT_OK(hal_command_buffer_barrier(commands.get()));
  }
  EXPECT_OK(hal_command_buffer_end(commands.get()));
  return commands;
}

TEST_P(ScratchTest, EachWorkgroupHasItsPart) {
  Use("&command_buffer=stream");
  ExpectParts(Run(1));
  ExpectParts(Run(5000));
}

TEST_P(ScratchTest, AStreamKeepsItsBlock) {
  Use("&command_buffer=stream");
  const uint64_t first = ExpectParts(Run(1));
  EXPECT_EQ(ExpectParts(Run(kSmallestBlock / kPart)), first);
  const uint64_t larger = ExpectParts(Run(kSmallestBlock / kPart + 1));
  EXPECT_EQ(ExpectParts(Run(1)), larger);
  EXPECT_EQ(ExpectParts(Run(2 * kSmallestBlock / kPart)), larger);
}

TEST_P(ScratchTest, TrimGivesTheBlockBack) {
  Use("&command_buffer=stream", kLargePart);
  const vendor::Current current(0);
  Run(1);
  uint64_t kept = 0;
  ASSERT_DONE(vendor::FreeMemory(&kept));
  Run(32);
  ASSERT_OK(hal_allocator_trim(hal_device_allocator(device_of_test_.get())));
  ASSERT_DONE(vendor::SynchronizeDevice());
  ASSERT_OK(hal_allocator_trim(hal_device_allocator(device_of_test_.get())));  // now it is free
  uint64_t left = 0;
  ASSERT_DONE(vendor::FreeMemory(&left));
  EXPECT_GE(left, kept);
  Run(2);
}

// More than a stream keeps: 65 MiB.
TEST_P(ScratchTest, MuchIsThereForOneDispatch) {
  Use("&command_buffer=stream&pool=0", kLargePart);
  const vendor::Current current(0);
  Run(1);
  uint64_t before = 0;
  ASSERT_DONE(vendor::FreeMemory(&before));
  EXPECT_EQ(Run(65)[0] % 256, 0u);
  ASSERT_DONE(vendor::SynchronizeDevice());
  uint64_t after = 0;
  ASSERT_DONE(vendor::FreeMemory(&after));
  EXPECT_GE(after, before);
}

TEST_P(ScratchTest, NodesOfAGraphInOrderShare) {
  Use("&command_buffer=graph");
  const Ref<hal_buffer_t> buffer = MakeBuffer(3 * 100 * sizeof(uint64_t));
  const Ref<hal_command_buffer_t> commands = Record(buffer, 3, 100, true);
  for (int round = 0; round < 3; ++round) {
    Execute(commands);
    for (uint64_t i = 0; i < 3; ++i) ExpectParts(PlacesIn(buffer, i * 100, 100));
  }
}

TEST_P(ScratchTest, NodesOfAGraphRunAtOnce) {
  constexpr uint32_t kNodes = 40;
  Use("&command_buffer=graph");
  const Ref<hal_buffer_t> buffer = MakeBuffer(kNodes * 100 * sizeof(uint64_t));
  const Ref<hal_command_buffer_t> commands = Record(buffer, kNodes, 100, false);
  for (int round = 0; round < 3; ++round) {
    Execute(commands);
    for (uint64_t i = 0; i < kNodes; ++i) ExpectParts(PlacesIn(buffer, i * 100, 100));
  }
}

TEST_P(ScratchTest, TheHostReadsCountsOfIndirectDispatches) {
  Use("&command_buffer=graph");
  const Ref<hal_buffer_t> counts = MakeBuffer(sizeof(hal_dim3_t));
  const hal_dim3_t count = hal_dim3(1500, 1, 1);
  ASSERT_OK(hal_buffer_write(counts.get(), 0, &count, sizeof(count)));
  const Ref<hal_buffer_t> buffer = MakeBuffer(2 * 1500 * sizeof(uint64_t));
  const Ref<hal_command_buffer_t> commands = Record(buffer, 2, 1500, false, counts);
  Execute(commands);
  for (uint64_t i = 0; i < 2; ++i) ExpectParts(PlacesIn(buffer, i * 1500, 1500));
}

TEST_P(ScratchTest, AStreamOfTheApplicationBorrows) {
  Use("&command_buffer=stream");
  const Stream stream = MakeStream();
  const Ref<hal_buffer_t> buffer = MakeBuffer(100 * sizeof(uint64_t));
  ASSERT_OK(interop().begin_stream(device_of_test_.get(), stream));
  EXPECT_OK(Dispatch(buffer, 100, {{done_.get(), 1}}));
  ASSERT_OK(interop().end_stream(device_of_test_.get()));
  ASSERT_OK(Wait(done_, 1));
  ExpectParts(PlacesIn(buffer, 0, 100));
}

// A thread that has begun the queue's own stream puts work there beside the queue: both grow its block.
TEST_P(ScratchTest, ThreadsShareAStream) {
  constexpr uint32_t kRounds = 40;
  constexpr uint32_t kStep = 300;  // workgroups
  Use("&command_buffer=stream");
  const Ref<hal_semaphore_t> other = MakeSemaphore(device_of_test_);
  const Ref<hal_buffer_t> buffers[] = {MakeBuffer(kRounds * kStep * sizeof(uint64_t)),
                                       MakeBuffer(kRounds * kStep * sizeof(uint64_t))};
  const Stream stream = QueueStream(device_of_test_, 0);
  const auto grow = [&](const Ref<hal_buffer_t>& buffer, const Ref<hal_semaphore_t>& semaphore) {
    for (uint32_t i = 1; i <= kRounds; ++i) EXPECT_OK(Dispatch(buffer, i * kStep, {{semaphore.get(), i}}));
  };
  std::thread thread([&] {
    ASSERT_OK(interop().begin_stream(device_of_test_.get(), stream));
    grow(buffers[1], other);
    EXPECT_OK(interop().end_stream(device_of_test_.get()));
  });
  grow(buffers[0], done_);
  thread.join();
  ASSERT_OK(Wait(done_, kRounds));
  ASSERT_OK(Wait(other, kRounds));
  for (const Ref<hal_buffer_t>& buffer : buffers) ExpectParts(PlacesIn(buffer, 0, kRounds * kStep));
}

TEST_P(ScratchTest, SeveralParametersHavePartsOfTheirOwn) {
  device_of_test_ = OpenDevice(0, "&command_buffer=stream");
  done_ = MakeSemaphore(device_of_test_);
  const TestKernel kernel("borrow", {Scratch(sizeof(uint64_t)), Scratch(kPart)});
  ASSERT_OK(hal_executable_create(device_of_test_.get(), &kernel.params(), borrow_.out()));
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count = hal_dim3(1000, 1, 1);
  const Points signals = {{done_.get(), 1}};
  ASSERT_OK(hal_device_queue_dispatch(device_of_test_.get(), hal::SubmitParams(List({}), List(signals), 1),
                                      borrow_.get(), 0, &params));
  ASSERT_OK(Wait(done_, 1));
}

TEST_P(ScratchTest, MoreThanTheDeviceHasIsRefused) {
  Use("&command_buffer=stream&memory=65536");
  ExpectParts(Run(1024));
  const Ref<hal_buffer_t> buffer = MakeBuffer(8);
  EXPECT_EQ(Dispatch(buffer, 1025, {{done_.get(), ++value_}}), HAL_STATUS_OK);
  EXPECT_EQ(Wait(done_, value_), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("dispatch of 'borrow': 1025x1x1 workgroups take 64 bytes of scratch "
                                                  "memory each; the device has 65536 bytes of memory"));
}

TEST_P(ScratchTest, WithoutMemoryInTheOrderOfAStreamItIsRefused) {
  const Ref<hal_device_t> device = OpenDevice(0, "&async_allocation=false");
  const TestKernel kernel("borrow", BorrowParameters());
  Ref<hal_executable_t> executable;
  EXPECT_EQ(hal_executable_create(device.get(), &kernel.params(), executable.out()), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("export 0 (\"borrow\"): it takes scratch memory"));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("async_allocation"));
}

TEST_P(ScratchTest, TooManyParametersAreRefused) {
  const TestKernel kernel("borrow", std::vector<hal_parameter_t>(9, Scratch(16)));
  Ref<hal_executable_t> executable;
  EXPECT_EQ(hal_executable_create(device_.get(), &kernel.params(), executable.out()), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("9 parameters are scratch memory; at most 8 are possible"));
}

INSTANTIATE_TEST_SUITE_P(Completion, ScratchTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
