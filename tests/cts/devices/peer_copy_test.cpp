// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between memory of two devices, of one driver or of two: hal_device_queue_copy() and its strided form with a
// source or a target of another device.
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/devices/peer_routes.h"
#include "cts/elements.h"
#include "cts/random_dag.h"
#include "cts/transfers/strided_copies.h"
#include "halyard/fault_injection.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

class PeerCopyTest : public PeerTest {
 protected:
  hal_status_t Copy(const Points& waits, const Points& signals, const Ref& source, const Ref& target) const {
    return by_.QueueCopy(waits, signals, source, target);
  }
  /// Copies now.
  hal_status_t Copy(const Ref& source, const Ref& target) const {
    const Semaphore done = by_.CreateSemaphore();
    const hal_status_t status = Copy(kNoWaits, {{done, 1}}, source, target);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  hal_status_t CopyStrided(const Box& box, const Buffer& source, const Buffer& target) const {
    const Semaphore done = by_.CreateSemaphore();
    const hal_strided_copy_params_t params = StridedCopy(box, source, target);
    const Points signals = {{done, 1}};
    const hal_status_t status =
        hal_device_queue_copy_strided(by_, hal::SubmitParams(kNoWaits, signals, HAL_QUEUE_ANY), &params);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  void ExpectCopies(uint64_t source_offset, uint64_t target_offset, uint64_t length) const {
    const std::vector<uint8_t> bytes = MixedBytes(source_offset + length + 5, 1);
    std::vector<uint8_t> expected = MixedBytes(target_offset + length + 7, 2);
    const Buffer source = from_.CreateBufferOf(bytes);
    const Buffer target = to_.CreateBufferOf(expected);
    ASSERT_OK(Copy(Ref(source, source_offset, length), Ref(target, target_offset, length)));
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(source_offset), length,
                expected.begin() + static_cast<ptrdiff_t>(target_offset));
    EXPECT_TRUE(SameElements(to_.Download<uint8_t>(target), expected))
        << length << " bytes from " << source_offset << " to " << target_offset;
  }
};

TEST_P(PeerCopyTest, CopiesTheRangeAndNoMore) {
  for (const uint64_t length : {1, 2, 4, 63, 4097, 300'001}) {
    for (const uint64_t offset : {0, 7}) ExpectCopies(offset, 64 - offset, length);
  }
}

// Several pieces, and more of them than are under way at once.
TEST_P(PeerCopyTest, CopiesMuch) { ExpectCopies(3, 8, (uint64_t{9} << 20) + 5); }

TEST_P(PeerCopyTest, OfNothingOnlySignals) {
  const Buffer source = from_.CreateBuffer(16);
  const Buffer target = to_.CreateBufferOf(Counting(4));
  EXPECT_OK(Copy(Ref(source, 8, 0), Ref(target, 4, 0)));
  EXPECT_TRUE(SameElements(to_.Download<uint32_t>(target), Counting(4)));
}

TEST_P(PeerCopyTest, CopiesRows) {
  constexpr Box kBoxes[] = {
      {"Rows", 7, 5, 1, {3, 11, 0}, {1, 9, 0}},
      {"Slices", 16, 3, 4, {0, 32, 128}, {5, 16, 64}},
      {"Large", 5000, 150, 3, {1, 6000, 906000}, {2, 5001, 750150}},
  };
  for (const Box& box : kBoxes) {
    const std::vector<uint8_t> bytes = MixedBytes(EndOf(box, box.source) + 3, 1);
    std::vector<uint8_t> expected = MixedBytes(EndOf(box, box.target) + 3, 2);
    const Buffer source = from_.CreateBufferOf(bytes);
    const Buffer target = to_.CreateBufferOf(expected);
    ASSERT_OK(CopyStrided(box, source, target)) << box.name;
    CopyInModel(box, bytes, &expected);
    EXPECT_TRUE(SameElements(to_.Download<uint8_t>(target), expected)) << box.name;
  }
}

TEST_P(PeerCopyTest, ComesAfterItsWaitsAndBeforeItsSignals) {
  constexpr uint64_t kRounds = 20;
  const Buffer source = from_.CreateBuffer(4096);
  const Buffer target = to_.CreateBuffer(4096);
  const Buffer back = from_.CreateBuffer(4096);
  const Semaphore here = from_.CreateSemaphore();
  const Semaphore there = to_.CreateSemaphore();
  for (uint64_t i = 0; i < kRounds; ++i) {
    const uint64_t at = 3 * i;
    ASSERT_OK(from_.QueueFill({{there, at}}, {{here, at + 1}}, source, static_cast<uint32_t>(i + 1)));
    ASSERT_OK(Copy({{here, at + 1}}, {{there, at + 2}}, source, target));
    ASSERT_OK(Copy({{there, at + 2}}, {{there, at + 3}}, Ref(source, 0, 8), Ref(target, 8, 8)));
  }
  const Semaphore done = by_.CreateSemaphore();
  ASSERT_OK(by_.QueueCopy({{there, 3 * kRounds}}, {{done, 1}}, target, back));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(from_.Download<uint32_t>(back), testing::Each(uint32_t{kRounds}));
}

TEST_P(PeerCopyTest, OfQueueAllocations) {
  constexpr uint64_t kLength = (uint64_t{1} << 20) + 12;
  const Semaphore here = from_.CreateSemaphore();
  const Semaphore there = to_.CreateSemaphore();
  for (uint64_t i = 0; i < 3; ++i) {
    const uint64_t at = 3 * i;
    Buffer source;
    Buffer target;
    ASSERT_OK(from_.QueueAlloca({{here, at}}, {{here, at + 1}}, kLength, &source));
    ASSERT_OK(to_.QueueAlloca({{there, at}}, {{there, at + 1}}, kLength, &target));
    ASSERT_OK(from_.QueueFill({{here, at + 1}}, {{here, at + 2}}, source, static_cast<uint32_t>(i + 9)));
    ASSERT_OK(Copy({{here, at + 2}, {there, at + 1}}, {{there, at + 2}}, source, target));
    ASSERT_OK(from_.QueueDealloca({{there, at + 2}}, {{here, at + 3}}, source));
    ASSERT_OK(there.Wait(at + 2));
    EXPECT_THAT(to_.Download<uint32_t>(target), testing::Each(static_cast<uint32_t>(i + 9)));
    ASSERT_OK(to_.QueueDealloca({{there, at + 2}}, {{there, at + 3}}, target));
  }
  EXPECT_OK(here.Wait(9));
  EXPECT_OK(there.Wait(9));
}

TEST_P(PeerCopyTest, AFailedWaitFailsItAndNoOther) {
  const std::vector<uint8_t> bytes = MixedBytes(2'000'000);
  const Buffer source = from_.CreateBufferOf(bytes);
  const Semaphore bad = from_.CreateSemaphore();
  const Semaphore failed = to_.CreateSemaphore();
  const Semaphore done = to_.CreateSemaphore();
  const Buffer untouched = to_.CreateBufferOf(Counting(500'000));
  std::vector<Buffer> targets;
  ASSERT_OK(Copy({{bad, 1}}, {{failed, 1}}, source, untouched));
  for (uint64_t i = 0; i < 6; ++i) {
    targets.push_back(to_.CreateBuffer(bytes.size()));
    ASSERT_OK(Copy({{done, i}}, {{done, i + 1}}, source, targets.back()));
    if (i == 3) ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS, "the source is bad"));
  }
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, failed.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the source is bad"));
  ASSERT_OK(done.Wait(6));
  for (const Buffer& target : targets) EXPECT_TRUE(SameElements(to_.Download<uint8_t>(target), bytes));
  EXPECT_TRUE(SameElements(to_.Download<uint32_t>(untouched), Counting(500'000)));
}

TEST_P(PeerCopyTest, KeepsWhatItUses) {
  const std::vector<uint8_t> bytes = MixedBytes(700'001);
  Buffer source = from_.CreateBufferOf(bytes);
  Buffer target = to_.CreateBuffer(bytes.size());
  const Buffer last = device().CreateBuffer(bytes.size());
  const Semaphore go = CreateSemaphore();
  const Semaphore copied = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Copy({{go, 1}}, {{copied, 1}}, source, target));
  ASSERT_OK(device().QueueCopy({{copied, 1}}, {{done, 1}}, GetParam().to_other ? target : source, last));
  source.reset();
  target.reset();
  other_.reset();
  from_.reset();
  to_.reset();
  by_.reset();
  ASSERT_OK(go.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(last), bytes));
}

TEST_P(PeerCopyTest, IsPartOfWhatADrainWaitsFor) {
  const Buffer source = from_.CreateBufferOf(MixedBytes(5'000'000));
  const Buffer target = to_.CreateBuffer(5'000'000);
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Copy({{go, 1}}, {{done, 1}}, source, target));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, hal_device_drain(by_, 0));
  ASSERT_OK(go.Signal(1));
  ASSERT_OK(hal_device_drain(by_, kForever));
  EXPECT_EQ(done.Value(), 1u);
}

// Threads copy in both directions over the same devices.
TEST_P(PeerCopyTest, ManyAtOnce) {
  constexpr size_t kThreads = 4;
  constexpr uint64_t kCopies = 12;
  OnThreads(kThreads, [this](size_t index) {
    const std::vector<uint8_t> bytes = MixedBytes(100'000 + 77'777 * index, static_cast<uint32_t>(index));
    const Device& first = index % 2 ? from_ : to_;
    const Device& second = index % 2 ? to_ : from_;
    const Buffer ping = first.CreateBufferOf(bytes);
    const Buffer pong = second.CreateBuffer(bytes.size());
    const Buffer last = first.CreateBuffer(bytes.size());
    const Semaphore done = by_.CreateSemaphore();
    for (uint64_t i = 0; i < kCopies; ++i) {
      ASSERT_OK(Copy({{done, 2 * i}}, {{done, 2 * i + 1}}, ping, pong));
      ASSERT_OK(Copy({{done, 2 * i + 1}}, {{done, 2 * i + 2}}, pong, last));
    }
    ASSERT_OK(done.Wait(2 * kCopies));
    EXPECT_TRUE(SameElements(first.Download<uint8_t>(last), bytes));
  });
}

TEST_P(PeerCopyTest, RefusesWhatACopyRefuses) {
  const Buffer source = from_.CreateBuffer(64);
  const Buffer target = to_.CreateBuffer(32);
  const Buffer storage = to_.CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_STORAGE));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Copy(Ref(source, 0, 64), Ref(target, 0, 64)));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Copy(Ref(source, 0, 64), Ref(target, 0, 32)));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Copy(Ref(source, 0, 64), Ref(storage, 0, 64)));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("TRANSFER_TARGET"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Copy(hal_buffer_ref(nullptr, 0, 32), Ref(target, 0, 32)));
}

TEST_P(PeerCopyTest, RefusesOneMemoryUnderTwoHandles) {
  alignas(4096) static uint8_t memory[8192];
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(&memory);
  external.length = sizeof(memory);
  const hal_buffer_params_t params = Mappable();
  Buffer here;
  Buffer there;
  const auto import = [&](const Device& device, Buffer* out) {
    return hal_allocator_import(device.allocator(), &params, &external, nullptr, nullptr, out->out());
  };
  if (import(from_, &here) != HAL_STATUS_OK || import(to_, &there) != HAL_STATUS_OK) return;  // no such memory
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Copy(Ref(here, 0, 4096), Ref(there, 4095, 4096)));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("source and target overlap"));
  EXPECT_OK(Copy(Ref(here, 0, 4096), Ref(there, 4096, 4096)));
}

TEST_P(PeerCopyTest, IsAnOperationOfADeviceThatTakesPart) {
  const Device third = OpenSecondDevice();
  const Semaphore done = third.CreateSemaphore();
  const Buffer source = from_.CreateBuffer(64);
  const Buffer target = to_.CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, third.QueueCopy(kNoWaits, {{done, 1}}, source, target));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("submit the copy to the device of one of them"));
  const CommandBuffer commands = third.CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, commands.Copy(source, target));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("record the copy in a command buffer of the device of one of them"));
}

TEST_P(PeerCopyTest, FailsWithALostDeviceAndLeavesTheOther) {
  if (GetParam().same_uri) return;  // whose loss may be the loss of both
  const void* table = nullptr;
  Device lost = OpenSecondDevice();
  if (hal_device_query_interface(lost, hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table) != HAL_STATUS_OK)
    GTEST_SKIP() << "the other device cannot be lost on purpose";
  const Buffer mine = device().CreateBufferOf(MixedBytes(3'000'000));
  const Buffer theirs = lost.CreateBuffer(3'000'000);
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Ref here(mine);
  const Ref there(theirs);
  const bool out = GetParam().to_other;
  const Device& by = GetParam().by_other ? lost : device();
  ASSERT_OK(by.QueueCopy({{go, 1}}, {{done, 1}}, out ? here : there, out ? there : here));
  ASSERT_OK(static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(lost, hal_string_view("gone")));
  ASSERT_OK(go.Signal(1));
  // If the device that goes on moves the bytes alone, the copy may succeed.
  const hal_status_t status = done.Wait(1);
  EXPECT_TRUE(status == HAL_STATUS_DEVICE_LOST || (status == HAL_STATUS_OK && !GetParam().by_other));
  const Semaphore again = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{again, 1}}, mine, uint32_t{4}));
  EXPECT_OK(again.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Routes, PeerCopyTest, testing::ValuesIn(kPeerRoutes), ByName);

// Each operation of a random graph has a buffer on either device: its own number, and the numbers of its inputs, which
// it copies from their buffers.
class PeerCopyDagTest : public DeviceTestWith<DagOrder> {};

TEST_P(PeerCopyDagTest, FindsWhatItsInputsWrote) {
  constexpr size_t kOperations = 250;
  SeededRandom random;
  const Device other = OpenSecondDevice();
  const RandomDag dag(random, kOperations, 6);
  std::vector<Semaphore> timelines;
  for (size_t i = 0; i < dag.ends().size(); ++i) {
    timelines.push_back(i % 2 ? other.CreateSemaphore() : CreateSemaphore());
  }
  std::vector<Device> homes;
  std::vector<Buffer> buffers;
  std::vector<Semaphore> steps;
  for (const DagNode& node : dag.nodes()) {
    homes.push_back(random.OneIn(2) ? other : device());
    steps.push_back(homes.back().CreateSemaphore());
    buffers.push_back(homes.back().CreateBufferOf(std::vector<uint32_t>(node.inputs.size() + 1, 0)));
  }
  for (const size_t i : dag.Submissions(random, GetParam())) {
    const DagNode& node = dag.nodes()[i];
    const Device& home = homes[i];
    uint64_t step = 1;
    ASSERT_OK(home.QueueFill(RandomDag::Resolve(node.waits, timelines), {{steps[i], step}}, Ref(buffers[i], 0, 4),
                             static_cast<uint32_t>(i + 1)));
    for (size_t k = 0; k < node.inputs.size(); ++k, ++step) {
      const size_t input = node.inputs[k];
      const Device& by = random.OneIn(2) ? home : homes[input];
      ASSERT_OK(by.QueueCopy({{steps[i], step}}, {{steps[i], step + 1}}, Ref(buffers[input], 0, 4),
                             Ref(buffers[i], 4 * (k + 1), 4)));
    }
    ASSERT_OK(home.QueueBarrier({{steps[i], step}}, RandomDag::Resolve({node.signal}, timelines)));
  }
  for (size_t i = 0; i < timelines.size(); ++i) ASSERT_OK(timelines[i].Wait(dag.ends()[i]));
  for (size_t i = 0; i < kOperations; ++i) {
    std::vector<uint32_t> expected = {static_cast<uint32_t>(i + 1)};
    for (const size_t input : dag.nodes()[i].inputs) expected.push_back(static_cast<uint32_t>(input + 1));
    ASSERT_EQ(homes[i].Download<uint32_t>(buffers[i]), expected) << "operation " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, PeerCopyDagTest,
                         testing::Values(DagOrder::kForward, DagOrder::kBackward, DagOrder::kShuffled));

}  // namespace
}  // namespace halyard::cts
