// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core does with commands before a driver records them.
#include "halyard/command_buffer.h"

#include <gtest/gtest.h>

#include <vector>

#include "fake_queue.h"
#include "halyard/cpp/submit.hpp"

namespace halyard {
namespace {

using testing::FakeQueueTest;
using testing::MessageHas;
using testing::Queue;

class CommandBufferTest : public FakeQueueTest {
 protected:
  hal_command_buffer_t* Recording(hal_command_buffer_flags_t flags = 0, uint32_t binding_capacity = 0) {
    commands_ = CommandBuffer(flags, binding_capacity);
    EXPECT_EQ(hal_command_buffer_begin(commands_), HAL_STATUS_OK);
    return commands_;
  }
  hal_status_t Fill(hal_buffer_ref_t target, size_t pattern_size = 1, uint32_t pattern = 0x44332211) {
    return hal_command_buffer_fill(commands_, target, &pattern, pattern_size);
  }
  hal_status_t Copy(hal_buffer_ref_t source, hal_buffer_ref_t target) {
    return hal_command_buffer_copy(commands_, source, target);
  }
  hal_status_t Update(hal_buffer_ref_t target) { return hal_command_buffer_update(commands_, data_.data(), target); }
  const hal_command_t& Last() { return Queue().commands.back().command; }

  hal_command_buffer_t* commands_ = nullptr;
  std::vector<char> data_ = std::vector<char>(100000);
};

// --- states ---

TEST_F(CommandBufferTest, HasTheStatesInOrder) {
  hal_command_buffer_t* const commands = CommandBuffer();
  EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(hal_command_buffer_barrier(commands), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("hal_command_buffer_barrier: the command buffer was not begun"));
  EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(hal_command_buffer_barrier(commands), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(hal_command_buffer_barrier(commands), HAL_STATUS_FAILED_PRECONDITION);
}

TEST_F(CommandBufferTest, CreationIsChecked) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  hal_command_buffer_t* commands = nullptr;
  EXPECT_EQ(hal_command_buffer_create(nullptr, &params, &commands), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_create(device_, nullptr, &commands), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_create(device_, &params, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  params.flags = 8;
  EXPECT_EQ(hal_command_buffer_create(device_, &params, &commands), HAL_STATUS_INVALID_ARGUMENT);
  params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = UINT32_MAX;
  EXPECT_EQ(hal_command_buffer_create(device_, &params, &commands), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(commands, nullptr);
}

TEST_F(CommandBufferTest, ARefusedCommandFailsTheRecording) {
  Recording();
  hal_buffer_t* const buffer = Buffer(16);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 8, 9)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_command_buffer_end_debug_group(commands_), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 8, 8)), HAL_STATUS_OK);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_OUT_OF_RANGE);
    EXPECT_TRUE(MessageHas("hal_command_buffer_fill: target is 9 bytes at offset 8 of a buffer of 16 bytes"));
  }
  EXPECT_EQ(hal_device_queue_execute(device_, hal::SubmitParams({}, {}), commands_, {}),
            HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(hal_command_buffer_begin(commands_), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("hal_command_buffer_begin: the command buffer is unusable, because a command was refused"));
}

TEST_F(CommandBufferTest, ABufferWithoutTheUsageIsRefusedWithTheNames) {
  Recording();
  hal_buffer_t* const buffer = Buffer(16, HAL_BUFFER_USAGE_TRANSFER_SOURCE | HAL_BUFFER_USAGE_STORAGE);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 0, 16)), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_TRUE(
      MessageHas("hal_command_buffer_fill: target needs a buffer with usage TRANSFER_TARGET, but it has "
                 "TRANSFER_SOURCE|STORAGE"));
}

TEST_F(CommandBufferTest, ADriversRefusalDoesToo) {
  Recording();
  Queue().next_record = HAL_STATUS_RESOURCE_EXHAUSTED;
  EXPECT_EQ(Fill(hal_buffer_ref(Buffer(16), 0, 16)), HAL_STATUS_RESOURCE_EXHAUSTED);
  Queue().next_record = HAL_STATUS_OK;
  EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(MessageHas("hal_command_buffer_fill: the fake driver refuses"));
}

TEST_F(CommandBufferTest, ADriverThatCannotEndItIsNotAskedAgain) {
  Recording();
  Queue().next_end = HAL_STATUS_ABORTED;
  EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_ABORTED);
  Queue().next_end = HAL_STATUS_OK;
  EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_ABORTED);
}

TEST_F(CommandBufferTest, DebugGroupsMustBeClosed) {
  Recording();
  const hal_string_view_t label = HAL_STRING_LITERAL("group");
  EXPECT_EQ(hal_command_buffer_begin_debug_group(commands_, label), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_begin_debug_group(commands_, label), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_end_debug_group(commands_), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("1 debug groups are open"));
  EXPECT_EQ(hal_command_buffer_end_debug_group(commands_), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_OK);
}

// --- references ---

TEST_F(CommandBufferTest, SubspansBecomeAllocationsWithLengths) {
  Recording();
  hal_buffer_t* const buffer = Buffer(100);
  hal_buffer_t* const inner = Subspan(Subspan(buffer, 10, 80), 6, HAL_WHOLE_SIZE);
  EXPECT_EQ(Fill(hal_buffer_ref(inner, 4, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.fill.target.buffer, buffer);
  EXPECT_EQ(Last().u.fill.target.offset, 20u);
  EXPECT_EQ(Last().u.fill.target.length, 70u);
  EXPECT_EQ(Fill(hal_buffer_ref(inner, 0, 75)), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(CommandBufferTest, RangesDoNotOverflow) {
  Recording();
  hal_buffer_t* const buffer = Buffer(100);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 101, HAL_WHOLE_SIZE)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, UINT64_MAX, 2)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 50, UINT64_MAX - 10)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 100, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
}

TEST_F(CommandBufferTest, UsageDeviceAndReservedAreChecked) {
  Recording();
  EXPECT_EQ(Fill(hal_buffer_ref(Buffer(16, HAL_BUFFER_USAGE_STORAGE), 0, 16)), HAL_STATUS_PERMISSION_DENIED);
  hal_buffer_ref_t ref = hal_buffer_ref(Buffer(16), 0, 16);
  ref.reserved = 1;
  EXPECT_EQ(Fill(ref), HAL_STATUS_INVALID_ARGUMENT);
  hal_buffer_t* foreign = nullptr;
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  ASSERT_EQ(hal_allocator_allocate(other_device_->allocator, &params, 16, &foreign), HAL_STATUS_OK);
  EXPECT_EQ(Fill(hal_buffer_ref(foreign, 0, 16)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("another device"));
  hal_buffer_release(foreign);
}

TEST_F(CommandBufferTest, SlotsStayWithinTheCapacity) {
  Recording(0, 2);
  EXPECT_EQ(Fill(hal_slot_ref(1, 8, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.fill.target.buffer, nullptr);
  EXPECT_EQ(Last().u.fill.target.slot, 1u);
  EXPECT_EQ(Last().u.fill.target.length, HAL_WHOLE_SIZE);
  EXPECT_EQ(Fill(hal_slot_ref(2, 0, 8)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("slot 2, but the command buffer's binding_capacity is 2"));
  EXPECT_EQ(Fill(hal_slot_ref(0, UINT64_MAX, 8)), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(CommandBufferTest, GivenBackBuffersAreRefused) {
  hal_buffer_t* const buffer = QueueAllocation(16);
  Recording();
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 0, 16)), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_queue_dealloca(device_, hal::SubmitParams({}, {}), buffer), HAL_STATUS_OK);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 0, 16)), HAL_STATUS_FAILED_PRECONDITION);
}

// --- fill, update, copy ---

TEST_F(CommandBufferTest, FillRepeatsItsPattern) {
  Recording();
  hal_buffer_t* const buffer = Buffer(16);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 1, 3), 1), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.fill.pattern, 0x11111111u);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 2, 6), 2), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.fill.pattern, 0x22112211u);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 4, 8), 4), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.fill.pattern, 0x44332211u);
  EXPECT_EQ(Last().u.fill.pattern_size, 4u);
}

TEST_F(CommandBufferTest, FillIsAligned) {
  Recording(0, 1);
  hal_buffer_t* const buffer = Buffer(15);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 2, 4), 4), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 4, 6), 4), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE), 2), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Fill(hal_buffer_ref(Subspan(buffer, 1, 8), 0, 8), 4), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Fill(hal_slot_ref(0, 2, HAL_WHOLE_SIZE), 4), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Fill(hal_buffer_ref(buffer, 0, 12), 3), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_fill(commands_, hal_buffer_ref(buffer, 0, 4), nullptr, 4), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(CommandBufferTest, UpdateHasALength) {
  Recording(0, 1);
  hal_buffer_t* const buffer = Buffer(100000);
  EXPECT_EQ(Update(hal_buffer_ref(buffer, 0, HAL_UPDATE_MAX_LENGTH)), HAL_STATUS_OK);
  EXPECT_EQ(Update(hal_buffer_ref(buffer, 0, HAL_UPDATE_MAX_LENGTH + 1)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Update(hal_buffer_ref(buffer, 99990, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.update.target.length, 10u);
  EXPECT_EQ(Update(hal_slot_ref(0, 0, 10)), HAL_STATUS_OK);
  EXPECT_EQ(Update(hal_slot_ref(0, 0, HAL_WHOLE_SIZE)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_update(commands_, nullptr, hal_buffer_ref(buffer, 0, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_update(commands_, nullptr, hal_buffer_ref(buffer, 0, 0)), HAL_STATUS_OK);
}

TEST_F(CommandBufferTest, CopyTakesTheOtherSidesLength) {
  Recording(0, 2);
  hal_buffer_t* const a = Buffer(32);
  hal_buffer_t* const b = Buffer(64);
  EXPECT_EQ(Copy(hal_buffer_ref(a, 4, 8), hal_buffer_ref(b, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.copy.target.length, 8u);
  EXPECT_EQ(Copy(hal_buffer_ref(b, 0, HAL_WHOLE_SIZE), hal_buffer_ref(a, 4, 8)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.copy.source.length, 8u);
  EXPECT_EQ(Copy(hal_buffer_ref(a, 4, HAL_WHOLE_SIZE), hal_slot_ref(0, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.copy.target.length, 28u);
  EXPECT_EQ(Copy(hal_buffer_ref(a, 0, HAL_WHOLE_SIZE), hal_buffer_ref(b, 32, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.copy.source.length, 32u);
  EXPECT_EQ(Copy(hal_slot_ref(0, 0, HAL_WHOLE_SIZE), hal_slot_ref(1, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.copy.source.length, HAL_WHOLE_SIZE);
}

TEST_F(CommandBufferTest, CopyLengthsMustAgree) {
  Recording();
  hal_buffer_t* const a = Buffer(32);
  hal_buffer_t* const b = Buffer(64);
  EXPECT_EQ(Copy(hal_buffer_ref(a, 0, 8), hal_buffer_ref(b, 0, 9)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("source has 8 bytes, but target has 9"));
  EXPECT_EQ(Copy(hal_buffer_ref(a, 0, HAL_WHOLE_SIZE), hal_buffer_ref(b, 0, HAL_WHOLE_SIZE)),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Copy(hal_buffer_ref(a, 33, HAL_WHOLE_SIZE), hal_buffer_ref(b, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Copy(hal_buffer_ref(b, 0, 64), hal_buffer_ref(a, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(CommandBufferTest, CopyDoesNotOverlapItself) {
  Recording(0, 2);
  hal_buffer_t* const buffer = Buffer(64);
  EXPECT_EQ(Copy(hal_buffer_ref(buffer, 0, 16), hal_buffer_ref(buffer, 16, 16)), HAL_STATUS_OK);
  EXPECT_EQ(Copy(hal_buffer_ref(buffer, 0, 16), hal_buffer_ref(buffer, 15, 16)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Copy(hal_buffer_ref(buffer, 15, 16), hal_buffer_ref(buffer, 0, 16)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Copy(hal_buffer_ref(buffer, 8, 0), hal_buffer_ref(buffer, 8, 0)), HAL_STATUS_OK);
  EXPECT_EQ(Copy(hal_buffer_ref(Subspan(buffer, 32, 16), 0, 16), hal_buffer_ref(Subspan(buffer, 40, 16), 0, 16)),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Copy(hal_slot_ref(0, 0, 16), hal_slot_ref(0, 8, 16)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Copy(hal_slot_ref(0, 0, 16), hal_slot_ref(0, 16, 16)), HAL_STATUS_OK);
  EXPECT_EQ(Copy(hal_slot_ref(0, 0, HAL_WHOLE_SIZE), hal_slot_ref(0, 8, HAL_WHOLE_SIZE)), HAL_STATUS_INVALID_ARGUMENT);
}

// --- events ---

TEST_F(CommandBufferTest, EventsAreWaitedForOnceSignalled) {
  Recording();
  hal_event_t* const event = Event();
  EXPECT_EQ(hal_command_buffer_signal_event(commands_, event), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 1, &event), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 1, &event), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_signal_event(commands_, event), HAL_STATUS_FAILED_PRECONDITION);
}

TEST_F(CommandBufferTest, WaitsNameTheEventThatIsNotSignalled) {
  Recording();
  hal_event_t* const events[] = {Event(), Event()};
  EXPECT_EQ(hal_command_buffer_signal_event(commands_, events[0]), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 2, events), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("events[1] is not signalled"));
  EXPECT_EQ(hal_command_buffer_signal_event(commands_, events[1]), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 2, events), HAL_STATUS_OK);
}

TEST_F(CommandBufferTest, EventArgumentsAreChecked) {
  Recording();
  hal_event_t* foreign = nullptr;
  ASSERT_EQ(hal_event_create(other_device_, &foreign), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_signal_event(commands_, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_signal_event(commands_, foreign), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 1, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  hal_event_t* null_event = nullptr;
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 1, &null_event), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("events[0] is NULL"));
  EXPECT_EQ(hal_command_buffer_wait_events(commands_, 0, nullptr), HAL_STATUS_OK);
  hal_event_release(foreign);
}

// --- unvalidated, NULL ---

TEST_F(CommandBufferTest, UnvalidatedRecordingsAreOnlyResolved) {
  Recording(HAL_COMMAND_BUFFER_UNVALIDATED, 1);
  hal_buffer_t* const buffer = Buffer(16, HAL_BUFFER_USAGE_STORAGE);
  EXPECT_EQ(Fill(hal_buffer_ref(Subspan(buffer, 4, 8), 1, HAL_WHOLE_SIZE), 4), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.fill.target.offset, 5u);
  EXPECT_EQ(Last().u.fill.target.length, 7u);
  EXPECT_EQ(Copy(hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE), hal_slot_ref(7, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OK);
  EXPECT_EQ(Last().u.copy.target.length, 16u);
  EXPECT_EQ(hal_command_buffer_end(commands_), HAL_STATUS_OK);
}

TEST_F(CommandBufferTest, NullCommandBuffersAreRefused) {
  const uint32_t zero = 0;
  const hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  hal_event_t* const event = Event();
  EXPECT_EQ(hal_command_buffer_begin(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_end(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_barrier(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_fill(nullptr, {}, &zero, 4), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_update(nullptr, &zero, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_copy(nullptr, {}, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_dispatch(nullptr, nullptr, 0, &dispatch), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_signal_event(nullptr, event), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_wait_events(nullptr, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_begin_debug_group(nullptr, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_command_buffer_end_debug_group(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  hal_command_buffer_retain(nullptr);
  hal_command_buffer_release(nullptr);
}

}  // namespace
}  // namespace halyard
