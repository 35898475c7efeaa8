// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between memory of two devices in command buffers.
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/devices/peer_routes.h"
#include "cts/elements.h"
#include "cts/transfers/strided_copies.h"
#include "halyard/fault_injection.h"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::HasSubstr;

class PeerCopyRecordingTest : public PeerTest {
 protected:
  /// The device that takes part and gets no operation.
  Device Away() const { return by_.get() == from_.get() ? to_ : from_; }
  bool leaves() const { return by_.get() == from_.get(); }

  /// The direction of the route: from what is on `by_` to what is away, or back.
  hal_status_t CopyAcross(const CommandBuffer& commands, const Ref& home, const Ref& away) const {
    return leaves() ? commands.Copy(home, away) : commands.Copy(away, home);
  }
  hal_status_t Run(const CommandBuffer& commands, const std::vector<Ref>& table = {}) const {
    const Semaphore done = by_.CreateSemaphore();
    const hal_status_t status = by_.QueueExecute(kNoWaits, {{done, 1}}, commands, table);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
};

// Work of the device before and after each copy, and the same bytes there and back.
TEST_P(PeerCopyRecordingTest, ComesBetweenTheCommandsAroundIt) {
  const Buffer home = by_.CreateBuffer(4096);
  const Buffer back = by_.CreateBuffer(4096);
  const Buffer away = Away().CreateBuffer(4096);
  const CommandBuffer commands = by_.Record([&](const CommandBuffer& c) {
    ASSERT_OK(c.Fill(home, uint32_t{1}));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.Copy(home, away));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.Fill(home, uint32_t{2}));
    ASSERT_OK(c.Copy(Ref(away, 0, 2048), Ref(back, 2048, 2048)));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.Copy(Ref(home, 0, 2048), Ref(back, 0, 2048)));
    ASSERT_OK(c.Copy(Ref(back, 2048, 4), Ref(away, 0, 4)));
  });
  for (int i = 0; i < 3; ++i) ASSERT_OK(Run(commands));
  std::vector<uint32_t> expected(1024, 1);
  EXPECT_TRUE(SameElements(Away().Download<uint32_t>(away), expected));
  std::fill_n(expected.begin(), 512, 2);
  EXPECT_TRUE(SameElements(by_.Download<uint32_t>(back), expected));
}

TEST_P(PeerCopyRecordingTest, FollowsTheTable) {
  const std::vector<uint8_t> bytes = MixedBytes(6000);
  const Buffer away = Away().CreateBufferOf(bytes);
  const CommandBuffer commands = by_.Record(
      [&](const CommandBuffer& c) {
        ASSERT_OK(c.Fill(Slot(1), uint32_t{7}));
        ASSERT_OK(c.Barrier());
        ASSERT_OK(CopyAcross(c, Slot(0, 3, 5000), Ref(away, 9, 5000)));
        ASSERT_OK(c.Barrier());
        ASSERT_OK(c.Copy(Slot(0, 4, 8), Slot(1, 16, 8)));
      },
      0, 2);
  for (uint32_t i = 0; i < 3; ++i) {
    std::vector<uint8_t> here = MixedBytes(8000 + i, i + 1);
    std::vector<uint8_t> there = Away().Download<uint8_t>(away);
    const Buffer slot = by_.CreateBufferOf(here);
    const Buffer last = by_.CreateBuffer(64);
    const uint64_t at = uint64_t{8} * i;
    ASSERT_OK(Run(commands, {Ref(slot, at, 5100), Ref(last)}));
    auto* const first = here.data() + at + 3;
    if (leaves()) {
      std::copy_n(first, 5000, there.data() + 9);
    } else {
      std::copy_n(there.data() + 9, 5000, first);
    }
    EXPECT_TRUE(SameElements(by_.Download<uint8_t>(slot), here)) << "execution " << i;
    EXPECT_TRUE(SameElements(Away().Download<uint8_t>(away), there)) << "execution " << i;
    const std::vector<uint8_t> tail = by_.Download<uint8_t>(last);
    EXPECT_TRUE(std::equal(first + 1, first + 9, tail.data() + 16)) << "execution " << i;
    EXPECT_EQ(tail[15], 0u);
    EXPECT_EQ(tail[24], 7u);
  }
}

TEST_P(PeerCopyRecordingTest, CopiesRows) {
  constexpr Box kBox = {"Rows", 700, 50, 3, {3, 1100, 55000}, {1, 900, 90000}};
  const std::vector<uint8_t> bytes = MixedBytes(EndOf(kBox, kBox.source) + 3, 1);
  std::vector<uint8_t> expected = MixedBytes(EndOf(kBox, kBox.target) + 3, 2);
  const Buffer source = from_.CreateBufferOf(bytes);
  const Buffer target = to_.CreateBufferOf(expected);
  const hal_strided_copy_params_t fixed = StridedCopy(kBox, source, target);
  hal_strided_copy_params_t slotted = fixed;
  (leaves() ? slotted.source : slotted.target).buffer = nullptr;
  const CommandBuffer commands = by_.Record(
      [&](const CommandBuffer& c) {
        ASSERT_OK(hal_command_buffer_copy_strided(c, &slotted));
        ASSERT_OK(c.Barrier());
        ASSERT_OK(hal_command_buffer_copy_strided(c, &fixed));
      },
      0, 1);
  ASSERT_OK(Run(commands, {leaves() ? Ref(source) : Ref(target)}));
  CopyInModel(kBox, bytes, &expected);
  EXPECT_TRUE(SameElements(to_.Download<uint8_t>(target), expected));
}

TEST_P(PeerCopyRecordingTest, KeepsEventsAndGroupsWhole) {
  const Buffer home = by_.CreateBuffer(256);
  const Buffer away = Away().CreateBuffer(256);
  const Event before = by_.CreateEvent();
  const Event after = by_.CreateEvent();
  const CommandBuffer commands = by_.Record([&](const CommandBuffer& c) {
    ASSERT_OK(c.BeginDebugGroup("outer"));
    ASSERT_OK(c.Fill(home, uint32_t{1}));
    ASSERT_OK(c.SignalEvent(before));
    ASSERT_OK(c.WaitEvents({before}));
    ASSERT_OK(c.BeginDebugGroup("inner"));
    ASSERT_OK(c.Copy(home, away));
    ASSERT_OK(c.WaitEvents({before}));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.EndDebugGroup());
    ASSERT_OK(c.Fill(Ref(home, 0, 128), uint32_t{2}));
    ASSERT_OK(c.SignalEvent(after));
    ASSERT_OK(c.WaitEvents({before, after}));
    ASSERT_OK(c.Copy(Ref(home, 0, 128), Ref(home, 128, 128)));
    ASSERT_OK(c.EndDebugGroup());
    EXPECT_EQ(hal_command_buffer_end_debug_group(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  });
  ASSERT_OK(Run(commands));
  EXPECT_THAT(by_.Download<uint32_t>(home), Each(2u));
  EXPECT_THAT(Away().Download<uint32_t>(away), Each(1u));
}

TEST_P(PeerCopyRecordingTest, RunsOnceIfItIsOneShot) {
  const Buffer home = by_.CreateBufferOf(MixedBytes(1000));
  const Buffer away = Away().CreateBuffer(1000);
  const CommandBuffer commands = by_.Record(
      [&](const CommandBuffer& c) {
        ASSERT_OK(c.Copy(home, away));
        ASSERT_OK(c.Barrier());
        ASSERT_OK(c.Fill(home, uint32_t{0}));
      },
      HAL_COMMAND_BUFFER_ONE_SHOT);
  ASSERT_OK(Run(commands));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
  EXPECT_TRUE(SameElements(Away().Download<uint8_t>(away), MixedBytes(1000)));
}

TEST_P(PeerCopyRecordingTest, WithoutChecksIsTheSame) {
  const Buffer home = by_.CreateBufferOf(MixedBytes(1000, 1));
  const Buffer away = Away().CreateBufferOf(MixedBytes(1000, 2));
  const CommandBuffer commands =
      by_.Record([&](const CommandBuffer& c) { ASSERT_OK(CopyAcross(c, home, away)); }, HAL_COMMAND_BUFFER_UNVALIDATED);
  ASSERT_OK(Run(commands));
  EXPECT_TRUE(SameElements(Away().Download<uint8_t>(away), by_.Download<uint8_t>(home)));
}

// Executions of one command buffer on several threads, each with a table of its own.
TEST_P(PeerCopyRecordingTest, RunsManyAtOnce) {
  const Buffer away = Away().CreateBufferOf(Counting(1024));
  const CommandBuffer commands = by_.Record(
      [&](const CommandBuffer& c) {
        ASSERT_OK(c.Fill(Slot(0), uint32_t{3}));
        ASSERT_OK(c.Barrier());
        ASSERT_OK(c.Copy(away, Slot(0, 64, 4096)));
        ASSERT_OK(c.Barrier());
        ASSERT_OK(c.Copy(Slot(0, 64, 4), Slot(0, 8, 4)));
      },
      0, 1);
  std::vector<uint32_t> expected(16, 3);
  for (const uint32_t one : Counting(1024)) expected.push_back(one);
  expected[2] = expected[16];
  OnThreads(4, [&](size_t) {
    const Buffer own = by_.CreateBuffer(4096 + 64);
    const Semaphore done = by_.CreateSemaphore();
    for (uint64_t i = 0; i < 12; ++i) {
      ASSERT_OK(by_.QueueExecute({{done, i}}, {{done, i + 1}}, commands, {Ref(own)}));
    }
    ASSERT_OK(done.Wait(12));
    EXPECT_TRUE(SameElements(by_.Download<uint32_t>(own), expected));
  });
}

TEST_P(PeerCopyRecordingTest, AFailedWaitFailsTheWhole) {
  const Buffer home = by_.CreateBufferOf(Counting(64));
  const Buffer away = Away().CreateBufferOf(Counting(64));
  const CommandBuffer commands = by_.Record([&](const CommandBuffer& c) {
    ASSERT_OK(c.Fill(home, uint32_t{9}));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.Copy(home, away));
  });
  const Semaphore bad = Away().CreateSemaphore();
  const Semaphore done = by_.CreateSemaphore();
  ASSERT_OK(by_.QueueExecute({{bad, 1}}, {{done, 1}}, commands));
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS, "the input is bad"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the input is bad"));
  EXPECT_TRUE(SameElements(Away().Download<uint32_t>(away), Counting(64)));
  ASSERT_OK(Run(commands));
  EXPECT_THAT(Away().Download<uint32_t>(away), Each(9u));
}

TEST_P(PeerCopyRecordingTest, KeepsWhatItUses) {
  const std::vector<uint8_t> bytes = MixedBytes(70'001);
  Buffer home = by_.CreateBufferOf(bytes);
  Buffer away = Away().CreateBuffer(bytes.size());
  const Buffer last = by_.CreateBuffer(bytes.size());
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  CommandBuffer commands = by_.Record([&](const CommandBuffer& c) {
    ASSERT_OK(c.Copy(home, away));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.Copy(away, last));
  });
  ASSERT_OK(by_.QueueExecute({{go, 1}}, {{done, 1}}, commands));
  home.reset();
  away.reset();
  commands.reset();
  ASSERT_OK(go.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(by_.Download<uint8_t>(last), bytes));
}

TEST_P(PeerCopyRecordingTest, RefusesWhatACopyRefuses) {
  const Buffer home = by_.CreateBuffer(64);
  const Buffer away = Away().CreateBuffer(32);
  const Buffer storage = Away().CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_STORAGE));
  const auto record = [&](const Ref& source, const Ref& target) {
    const CommandBuffer commands = by_.CreateCommandBuffer();
    Check(commands.Begin(), "begin");
    return commands.Copy(source, target);
  };
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, record(Ref(home, 0, 64), Ref(away, 0, 64)));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, record(Ref(home, 0, 64), Ref(storage, 0, 64)));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, record(Ref(away), Ref(away)));
  const CommandBuffer filled = by_.CreateCommandBuffer();
  ASSERT_OK(filled.Begin());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, filled.Fill(away, uint32_t{1}));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("another device"));
  const CommandBuffer slotted =
      by_.Record([&](const CommandBuffer& c) { ASSERT_OK(c.Copy(Slot(0, 0, 32), Ref(away))); }, 0, 1);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(slotted, {Ref(away)}));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(slotted, {Ref(home, 0, 16)}));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(slotted));
}

TEST_P(PeerCopyRecordingTest, RefusesOneMemoryUnderTwoHandles) {
  alignas(4096) static uint8_t memory[8192];
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(&memory);
  external.length = sizeof(memory);
  const hal_buffer_params_t params = Mappable();
  Buffer home;
  Buffer away;
  const auto import = [&](const Device& device, Buffer* out) {
    return hal_allocator_import(device.allocator(), &params, &external, nullptr, nullptr, out->out());
  };
  if (import(by_, &home) != HAL_STATUS_OK || import(Away(), &away) != HAL_STATUS_OK) return;  // no such memory
  const CommandBuffer commands = by_.Record(
      [&](const CommandBuffer& c) { ASSERT_OK(CopyAcross(c, Slot(0, 0, 4096), Ref(away, 4096, 4096))); }, 0, 1);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(commands, {Ref(home, 1, 4096)}));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("source and target overlap"));
  EXPECT_OK(Run(commands, {Ref(home, 0, 4096)}));
  const CommandBuffer refused = by_.CreateCommandBuffer();
  ASSERT_OK(refused.Begin());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, CopyAcross(refused, Ref(home, 0, 4096), Ref(away, 4095, 4096)));
}

TEST_P(PeerCopyRecordingTest, AFreedQueueAllocationIsRefused) {
  const Semaphore order = Away().CreateSemaphore();
  Buffer away;
  ASSERT_OK(Away().QueueAlloca(kNoWaits, {{order, 1}}, 4096, &away));
  const Buffer home = by_.CreateBufferOf(Counting(1024));
  const CommandBuffer commands = by_.Record([&](const CommandBuffer& c) { ASSERT_OK(CopyAcross(c, home, away)); });
  const Semaphore done = by_.CreateSemaphore();
  ASSERT_OK(by_.QueueExecute({{order, 1}}, {{done, 1}}, commands));
  ASSERT_OK(Away().QueueDealloca({{done, 1}}, {{order, 2}}, away));
  ASSERT_OK(order.Wait(2));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
}

TEST_P(PeerCopyRecordingTest, FailsWithALostDeviceAndLeavesTheOther) {
  if (GetParam().same_uri) return;  // whose loss may be the loss of both
  const void* table = nullptr;
  const Device lost = OpenSecondDevice();
  if (hal_device_query_interface(lost, hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table) != HAL_STATUS_OK)
    GTEST_SKIP() << "the other device cannot be lost on purpose";
  const bool by_lost = GetParam().by_other;
  const Device by = by_lost ? lost : device();
  const Buffer mine = device().CreateBufferOf(MixedBytes(3'000'000));
  const Buffer theirs = lost.CreateBuffer(3'000'000);
  const CommandBuffer commands = by.Record([&](const CommandBuffer& c) {
    ASSERT_OK(GetParam().to_other ? c.Copy(mine, theirs) : c.Copy(theirs, mine));
    ASSERT_OK(c.Barrier());
    ASSERT_OK(c.Fill(by_lost ? theirs : mine, uint32_t{1}));
  });
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(by.QueueExecute({{go, 1}}, {{done, 1}}, commands));
  ASSERT_OK(static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(lost, hal_string_view("gone")));
  ASSERT_OK(go.Signal(1));
  const hal_status_t status = done.Wait(1);
  EXPECT_TRUE(status == HAL_STATUS_DEVICE_LOST || (status == HAL_STATUS_OK && !by_lost)) << hal_status_name(status);
  const Semaphore again = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{again, 1}}, mine, uint32_t{4}));
  EXPECT_OK(again.Wait(1));
}

INSTANTIATE_TEST_SUITE_P(Routes, PeerCopyRecordingTest, testing::ValuesIn(kPeerRoutes), ByName);

}  // namespace
}  // namespace halyard::cts
