// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binding tables: recordings that take buffers from slots, which each execution fills.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;

class BindingTableTest : public DeviceTest {
 protected:
  CommandBuffer Record(uint32_t capacity, const std::function<void(const CommandBuffer&)>& commands) const {
    return device().Record(commands, 0, capacity);
  }
  /// Fills all of slot 0.
  CommandBuffer RecordFill(uint32_t value) const {
    return Record(1, [=](const CommandBuffer& c) { Check(c.Fill(Slot(0), value), "fill"); });
  }
  /// Executes without waits and waits for the end.
  hal_status_t Run(const CommandBuffer& commands, const std::vector<Ref>& table = {}) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueExecute(kNoWaits, {{done, 1}}, commands, table);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  Buffer Zeros(size_t words) const { return device().CreateBufferOf(std::vector<uint32_t>(words, 0)); }
};

// --- Direct, from the table, mixed ---

/// Which of the three bindings of a dispatch come from the table: bit i stands for binding i.
class BindingMixTest : public DeviceTestWith<Number> {};

TEST_P(BindingMixTest, KernelGetsTheRightBuffers) {
  const uint64_t from_table = GetParam();
  const Executable kernels = LoadKernels("basic");
  const std::vector<Buffer> buffers = {device().CreateBufferOf<uint32_t>({3}), device().CreateBufferOf<uint32_t>({5}),
                                       device().CreateBufferOf<uint32_t>({0})};
  Dispatch dispatch;
  dispatch.Constant(uint32_t{2});
  std::vector<Ref> table;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (from_table >> i & 1) {
      dispatch.Bind(Slot(static_cast<uint32_t>(table.size())));
      table.push_back(buffers[i]);
    } else {
      dispatch.Bind(buffers[i]);
    }
  }
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) { Check(c.Dispatch(kernels, "mix_cells", dispatch), "dispatch"); }, 0, 3);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, table));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(buffers[2]), Each((2u * 31 + 3) * 31 + 5));
}

INSTANTIATE_TEST_SUITE_P(FromTable, BindingMixTest,
                         testing::Values(Number{"None", 0}, Number{"First", 1}, Number{"Second", 2},
                                         Number{"FirstAndSecond", 3}, Number{"Third", 4}, Number{"FirstAndThird", 5},
                                         Number{"SecondAndThird", 6}, Number{"All", 7}),
                         ByNameOf);

TEST_F(BindingTableTest, TransfersTakeSlotsToo) {
  const std::vector<uint32_t> data = Counting(4, 50);
  const CommandBuffer commands = Record(2, [&](const CommandBuffer& c) {
    Check(c.Fill(Slot(0), uint32_t{1}), "fill");
    Check(c.Barrier(), "barrier");
    Check(c.Update(data.data(), Slot(0, 8, 16)), "update");
    Check(c.Barrier(), "barrier");
    Check(c.Copy(Slot(0, 4, 24), Slot(1, 12, 24)), "copy");
  });
  const Buffer first = Zeros(10);
  const Buffer second = Zeros(10);
  ASSERT_OK(Run(commands, {first, second}));
  EXPECT_TRUE(SameElements(Download<uint32_t>(first), {1, 1, 50, 51, 52, 53, 1, 1, 1, 1}));
  EXPECT_TRUE(SameElements(Download<uint32_t>(second), {0, 0, 0, 1, 50, 51, 52, 53, 1, 0}));
}

TEST_F(BindingTableTest, OneBufferInTwoSlots) {
  const CommandBuffer commands = Record(2, [](const CommandBuffer& c) {
    Check(c.Fill(Slot(0), uint32_t{1}), "fill");
    Check(c.Fill(Slot(1), uint32_t{2}), "fill");
  });
  const Buffer buffer = Zeros(8);
  ASSERT_OK(Run(commands, {Ref(buffer, 0, 16), Ref(buffer, 16, 16)}));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), {1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST_F(BindingTableTest, OneSlotInManyCommands) {
  const Executable kernels = LoadKernels("basic");
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    for (int i = 0; i < 100; ++i) {
      Check(c.Dispatch(kernels, "add_one", Dispatch().Bind(Slot(0))), "dispatch");
      Check(c.Barrier(), "barrier");
    }
  });
  const Buffer buffer = Zeros(64);
  ASSERT_OK(Run(commands, {buffer}));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(100u));
}

// --- Ranges ---

struct SlotRange {
  const char* name;
  uint64_t table_offset;
  uint64_t table_length;
  uint64_t slot_offset;
  uint64_t slot_length;
  uint64_t begin;  ///< what it comes to in a buffer of 64 words
  uint64_t end;
};
void PrintTo(const SlotRange& range, std::ostream* out) { *out << range.name; }

class BindingTableRangeTest : public DeviceTestWith<SlotRange> {};

TEST_P(BindingTableRangeTest, AddsUp) {
  const SlotRange& range = GetParam();
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) {
        Check(c.Fill(Slot(0, range.slot_offset, range.slot_length), uint32_t{9}), "fill");
      },
      0, 1);
  const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(64, 0));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(
      device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(buffer, range.table_offset, range.table_length)}));
  ASSERT_OK(done.Wait(1));
  std::vector<uint32_t> expected(64, 0);
  for (uint64_t i = range.begin; i < range.end; ++i) expected[i] = 9;
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), expected));
}

SlotRange Scaled(const SlotRange& range, uint64_t scale) {
  const auto length = [&](uint64_t bytes) { return bytes == HAL_WHOLE_SIZE ? bytes : bytes * scale; };
  return {range.name,
          range.table_offset * scale,
          length(range.table_length),
          range.slot_offset * scale,
          length(range.slot_length),
          range.begin * scale,
          range.end * scale};
}

// A kernel begins at the same place; all is so much larger that bindings can begin there.
TEST_P(BindingTableRangeTest, AddsUpForKernels) {
  const uint64_t scale = device().BindingOffset(4) / 4;
  const SlotRange range = Scaled(GetParam(), scale);
  const Executable kernels = LoadKernels("basic");
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) {
        const Ref slot = Slot(0, range.slot_offset, range.slot_length);
        Check(c.Dispatch(kernels, "add_one", Dispatch().WorkItems(range.end - range.begin).Bind(slot)), "dispatch");
      },
      0, 1);
  const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(64 * scale, 0));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(
      device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(buffer, range.table_offset, range.table_length)}));
  ASSERT_OK(done.Wait(1));
  std::vector<uint32_t> expected(64 * scale, 0);
  for (uint64_t i = range.begin; i < range.end; ++i) expected[i] = 1;
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), expected));
}

const SlotRange kSlotRanges[] = {
    {"Whole", 0, HAL_WHOLE_SIZE, 0, HAL_WHOLE_SIZE, 0, 64},
    {"TableOffset", 64, HAL_WHOLE_SIZE, 0, HAL_WHOLE_SIZE, 16, 64},
    {"TableRange", 64, 32, 0, HAL_WHOLE_SIZE, 16, 24},
    {"SlotOffset", 0, HAL_WHOLE_SIZE, 64, HAL_WHOLE_SIZE, 16, 64},
    {"SlotRange", 0, HAL_WHOLE_SIZE, 64, 32, 16, 24},
    {"BothOffsets", 32, HAL_WHOLE_SIZE, 32, HAL_WHOLE_SIZE, 16, 64},
    {"BothRanges", 32, 128, 32, 64, 16, 32},
    {"SlotEndsWithTheTable", 32, 64, 32, 32, 16, 24},
    {"SlotReachesTheTablesEnd", 32, 64, 32, HAL_WHOLE_SIZE, 16, 24},
    {"LastWord", 128, HAL_WHOLE_SIZE, 124, HAL_WHOLE_SIZE, 63, 64},
    {"EmptyAtTheEnd", 128, HAL_WHOLE_SIZE, 128, HAL_WHOLE_SIZE, 64, 64},
};
INSTANTIATE_TEST_SUITE_P(Ranges, BindingTableRangeTest, testing::ValuesIn(kSlotRanges), ByName);

struct ShortSlot {
  const char* name;
  uint64_t slot_offset;
  uint64_t slot_length;
  uint64_t needed;  ///< bytes of the slot that the command buffer uses
};
void PrintTo(const ShortSlot& slot, std::ostream* out) { *out << slot.name; }

class BindingTableShortSlotTest : public DeviceTestWith<ShortSlot> {};

TEST_P(BindingTableShortSlotTest, JustSufficesOrIsOutOfRange) {
  const ShortSlot& slot = GetParam();
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) { Check(c.Fill(Slot(0, slot.slot_offset, slot.slot_length), uint8_t{1}), "fill"); },
      0, 1);
  const Buffer buffer = device().CreateBufferOf(std::vector<uint8_t>(1000, 0));
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(buffer, 100, slot.needed - 1)}));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(buffer, 1001 - slot.needed)}));
  EXPECT_THAT(Download<uint8_t>(buffer), Each(0));
  EXPECT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(buffer, 100, slot.needed)}));
  EXPECT_OK(device().QueueExecute({{done, 1}}, {{done, 2}}, commands, {Ref(buffer, 1000 - slot.needed)}));
  EXPECT_OK(done.Wait(2));
}

INSTANTIATE_TEST_SUITE_P(Slots, BindingTableShortSlotTest,
                         testing::Values(ShortSlot{"OneByte", 0, 1, 1}, ShortSlot{"Length", 0, 100, 100},
                                         ShortSlot{"OffsetAndLength", 50, 100, 150},
                                         ShortSlot{"EmptyAtOffset", 200, 0, 200},
                                         ShortSlot{"RestAfterOffset", 300, HAL_WHOLE_SIZE, 300}),
                         ByName);

TEST_F(BindingTableTest, LongestUseOfASlotCounts) {
  const CommandBuffer commands = Record(1, [](const CommandBuffer& c) {
    Check(c.Fill(Slot(0, 0, 16), uint8_t{1}), "fill");
    Check(c.Fill(Slot(0, 60, 40), uint8_t{1}), "fill");
    Check(c.Fill(Slot(0, 20, 16), uint8_t{1}), "fill");
  });
  const Buffer buffer = CreateBuffer(200);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands, {Ref(buffer, 0, 99)}));
  EXPECT_OK(Run(commands, {Ref(buffer, 0, 100)}));
}

TEST_F(BindingTableTest, SubspanIsASlotsEnd) {
  const CommandBuffer commands =
      Record(1, [](const CommandBuffer& c) { Check(c.Fill(Slot(0, 0, 100), uint8_t{1}), "fill"); });
  const Buffer buffer = CreateBuffer(400);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer, 100, 99, part.out()));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands, {part}));
}

// --- Several submissions ---

TEST_F(BindingTableTest, EachSubmissionHasItsTable) {
  const CommandBuffer commands = RecordFill(4);
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < 10; ++i) buffers.push_back(Zeros(1 + i));
  for (size_t i = 0; i < 10; i += 2) ASSERT_OK(Run(commands, {buffers[i]}));
  for (size_t i = 0; i < 10; ++i) EXPECT_THAT(Download<uint32_t>(buffers[i]), Each(i % 2 == 0 ? 4u : 0u));
}

TEST_F(BindingTableTest, SubmissionsInFlightDoNotMixTheirTables) {
  const CommandBuffer commands = RecordFill(4);
  const Semaphore gate = CreateSemaphore();
  std::vector<Buffer> buffers;
  std::vector<Semaphore> done;
  for (uint64_t i = 0; i < 20; ++i) {
    buffers.push_back(Zeros(8));
    done.push_back(CreateSemaphore());
    ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done[i], 1}}, commands, {Ref(buffers[i], 0, 4 * (i % 8))},
                                    device().Queue(i)));
  }
  ASSERT_OK(gate.Signal(1));
  for (size_t i = 0; i < 20; ++i) {
    ASSERT_OK(done[i].Wait(1));
    std::vector<uint32_t> expected(8, 0);
    std::fill_n(expected.begin(), i % 8, 4);
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffers[i]), expected));
  }
}

TEST_F(BindingTableTest, IsCapturedAtTheCall) {
  const CommandBuffer commands = RecordFill(6);
  const Buffer meant = Zeros(4);
  const Buffer other = Zeros(4);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  std::vector<hal_buffer_ref_t> table = {Ref(meant, 4, 8)};
  ASSERT_OK(hal_device_queue_execute(device(), hal::SubmitParams(Points({{gate, 1}}), Points({{done, 1}})), commands,
                                     hal_buffer_ref_list(table.data(), table.size())));
  table[0] = Ref(other);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(meant), {0, 6, 6, 0}));
  EXPECT_THAT(Download<uint32_t>(other), Each(0u));
}

TEST_F(BindingTableTest, KeepsItsBuffersUntilDone) {
  const CommandBuffer commands = Record(2, [](const CommandBuffer& c) { Check(c.Copy(Slot(0), Slot(1)), "copy"); });
  const Buffer result = Zeros(64);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  {
    const Buffer source = device().CreateBufferOf(Counting(64));
    ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done, 1}}, commands, {source, result}));
  }
  const Buffer reuse = Zeros(64);  // where a freed buffer's memory would be had again
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(result), Counting(64)));
}

// --- Missing and unused slots ---

TEST_F(BindingTableTest, TooFewSlotsAreOutOfRange) {
  const CommandBuffer commands = Record(3, [](const CommandBuffer& c) { Check(c.Fill(Slot(2), uint8_t{1}), "fill"); });
  const Buffer buffer = Zeros(4);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands, {buffer, buffer}));
  EXPECT_OK(Run(commands, {buffer, buffer, buffer}));
}

TEST_F(BindingTableTest, UsedSlotMustHaveABuffer) {
  const CommandBuffer commands = Record(2, [](const CommandBuffer& c) {
    Check(c.Fill(Slot(0), uint8_t{1}), "fill");
    Check(c.Fill(Slot(1), uint8_t{1}), "fill");
  });
  const Buffer buffer = Zeros(4);
  EXPECT_THAT(Run(commands, {buffer, Buffer()}), AnyOf(HAL_STATUS_INVALID_ARGUMENT, HAL_STATUS_OUT_OF_RANGE));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("1"));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(0u)) << "nothing of a refused execution runs";
}

TEST_F(BindingTableTest, UnusedSlotsMayBeEmpty) {
  const CommandBuffer commands = Record(4, [](const CommandBuffer& c) { Check(c.Fill(Slot(2), uint32_t{1}), "fill"); });
  const Buffer buffer = Zeros(4);
  EXPECT_OK(Run(commands, {Buffer(), Buffer(), buffer, Buffer()}));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(1u));
}

TEST_F(BindingTableTest, UnusedCapacityNeedsNoTable) {
  EXPECT_OK(Run(Record(16, [](const CommandBuffer&) {})));
}

TEST_F(BindingTableTest, FarSlotOfAWideTable) {
  const CommandBuffer commands =
      Record(1000, [](const CommandBuffer& c) { Check(c.Fill(Slot(999), uint32_t{1}), "fill"); });
  const Buffer buffer = Zeros(4);
  std::vector<Ref> table(999, Ref(Buffer()));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(commands, table));
  table.emplace_back(buffer);
  EXPECT_OK(Run(commands, table));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(1u));
}

TEST_F(BindingTableTest, QueueOperationsHaveNoTable) {
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, device().QueueFill(kNoWaits, kNoSignals, Slot(0, 0, 4), uint8_t{1}));
}

TEST_F(BindingTableTest, WithoutCapacityThereAreNoSlots) {
  const CommandBuffer commands = device().CreateCommandBuffer();
  ASSERT_OK(commands.Begin());
  EXPECT_NE(commands.Fill(Slot(0, 0, 4), uint8_t{1}), HAL_STATUS_OK);
  EXPECT_NE(commands.End(), HAL_STATUS_OK);
}

// --- Usage ---

TEST_F(BindingTableTest, AllUsagesOfASlotAreNeeded) {
  const Executable kernels = LoadKernels("basic");
  const CommandBuffer commands = Record(1, [&](const CommandBuffer& c) {
    Check(c.Fill(Slot(0), uint32_t{1}), "fill");
    Check(c.Barrier(), "barrier");
    Check(c.Dispatch(kernels, "add_one", Dispatch().WorkItems(16).Bind(Slot(0))), "dispatch");
  });
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED,
                Run(commands, {CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_TARGET))}));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Run(commands, {CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_STORAGE))}));
  EXPECT_OK(
      Run(commands, {CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_TARGET | HAL_BUFFER_USAGE_STORAGE))}));
}

TEST_F(BindingTableTest, BufferOfAnotherDeviceIsInvalid) {
  const Device other = OpenSecondDevice();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(RecordFill(1), {other.CreateBuffer(64)}));
}

}  // namespace
}  // namespace halyard::cts
