// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core does with queue operations before a driver gets them.
#include "halyard/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_queue.h"
#include "halyard/cpp/submit.hpp"

namespace halyard {
namespace {

using testing::FakeQueueTest;
using testing::MessageHas;
using testing::Queue;

class QueueTest : public FakeQueueTest {
 protected:
  ~QueueTest() override { hal_file_release(file_); }

  /// A recording that fills 16 bytes of slot 0 at offset 8, in words, and all of slot 2.
  hal_command_buffer_t* FillSlots(hal_command_buffer_flags_t flags = 0) {
    hal_command_buffer_t* const commands = CommandBuffer(flags, 3);
    const uint32_t zero = 0;
    EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_fill(commands, hal_slot_ref(0, 8, 16), &zero, 4), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_fill(commands, hal_slot_ref(2, 4, HAL_WHOLE_SIZE), &zero, 4), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
    return commands;
  }
  hal_command_buffer_t* CopySlots(hal_buffer_ref_t source, hal_buffer_ref_t target) {
    hal_command_buffer_t* const commands = CommandBuffer(0, 2);
    EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_copy(commands, source, target), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
    return commands;
  }
  hal_command_buffer_t* Empty(hal_command_buffer_flags_t flags = 0) {
    hal_command_buffer_t* const commands = CommandBuffer(flags);
    EXPECT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
    return commands;
  }
  hal_status_t Execute(hal_command_buffer_t* commands, const std::vector<hal_buffer_ref_t>& table = {}) {
    return hal_device_queue_execute(device_, hal::SubmitParams({}, {}), commands,
                                    hal_buffer_ref_list(table.data(), table.size()));
  }
  hal_status_t Dealloca(hal_buffer_t* buffer) {
    return hal_device_queue_dealloca(device_, hal::SubmitParams({}, {}), buffer);
  }
  void OpenFile(hal_file_access_t access) {
    ASSERT_EQ(hal_file_from_memory(memory_, sizeof(memory_), access, nullptr, nullptr, &file_), HAL_STATUS_OK);
  }

  char memory_[32] = {};
  hal_file_t* file_ = nullptr;
};

// --- common to all ---

TEST_F(QueueTest, ListsAndQueuesArePassedOn) {
  hal_semaphore_t* const semaphore = Semaphore();
  const hal_timeline_point_t points[] = {{semaphore, 1}, {semaphore, 2}};
  ASSERT_EQ(hal_device_queue_barrier(
                device_, hal::SubmitParams(hal_semaphore_list(points, 1), hal_semaphore_list(points + 1, 1))),
            HAL_STATUS_OK);
  const hal_queue_operation_t& operation = Queue().Last().operation;
  EXPECT_EQ(operation.struct_size, offsetof(hal_queue_operation_t, label)) << "as nothing is labelled";
  EXPECT_EQ(operation.type, HAL_QUEUE_OPERATION_TYPE_BARRIER);
  EXPECT_EQ(operation.queues, 3u);
  EXPECT_EQ(operation.wait_list.points, points);
  EXPECT_EQ(operation.signal_list.count, 1u);
}

TEST_F(QueueTest, CommonArgumentsAreChecked) {
  hal_semaphore_t* const semaphore = Semaphore();
  const hal_timeline_point_t none = {nullptr, 1};
  const hal_timeline_point_t high = {semaphore, 1001};
  EXPECT_EQ(hal_device_queue_barrier(nullptr, hal::SubmitParams({}, {}, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({}, {}, 4)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({nullptr, 1}, {}, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&none, 1}, {}, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_device_queue_barrier: submit->wait_list.points[0].semaphore is NULL"));
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({}, {&none, 1}, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({}, {&high, 1}, 1)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("signal_list.points[0].value 1001 exceeds the device's max_semaphore_value 1000"));
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&high, 1}, {}, 1)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("wait_list.points[0].value 1001 exceeds the device's max_semaphore_value 1000"));
  EXPECT_EQ(Queue().operations.size(), 0u);
}

TEST_F(QueueTest, NoParametersStandForAnyQueueAndNoPoints) {
  const hal_submit_params_t zero = {sizeof(zero), 0, {}, {}, {}};
  const size_t shorter = offsetof(hal_submit_params_t, signal_list);  // a caller of an older version
  hal_submit_params_t old = HAL_INIT(hal_submit_params_t);
  old.struct_size = shorter;
  std::memset(&old.signal_list, 0xFF, sizeof(old.signal_list));
  for (const hal_submit_params_t* params :
       {static_cast<const hal_submit_params_t*>(nullptr), &zero, &std::as_const(old)}) {
    EXPECT_EQ(hal_device_queue_barrier(device_, params), HAL_STATUS_OK);
    const hal_queue_operation_t& operation = Queue().Last().operation;
    EXPECT_EQ(operation.queues, 3u);
    EXPECT_EQ(operation.wait_list.count + operation.signal_list.count, 0u);
  }
}

TEST_F(QueueTest, FieldsOfANewerVersionMustBeZero) {
  struct {
    hal_submit_params_t known = HAL_INIT(hal_submit_params_t);
    uint64_t newer = 0;
  } params;
  params.known.struct_size = sizeof(params);
  EXPECT_EQ(hal_device_queue_barrier(device_, &params.known), HAL_STATUS_OK);
  params.newer = 1;
  EXPECT_EQ(hal_device_queue_barrier(device_, &params.known), HAL_STATUS_UNIMPLEMENTED);
  params.known.struct_size = 0;
  EXPECT_EQ(hal_device_queue_barrier(device_, &params.known), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_device_queue_barrier: submit->struct_size is 0"));
}

TEST_F(QueueTest, ZeroIsWaitedForAndNotSignalled) {
  const hal_timeline_point_t zero = {Semaphore(), 0};
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({}, {&zero, 1}, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_device_queue_barrier: submit->signal_list.points[0].value is 0"));
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&zero, 1}, {}, 1)), HAL_STATUS_OK);
}

TEST_F(QueueTest, ValuesTooFarAheadOfTheTimeline) {
  Limits().max_semaphore_distance = 5;
  hal_semaphore_t* const semaphore = Semaphore();
  const hal_timeline_point_t near = {semaphore, 5};
  const hal_timeline_point_t far = {semaphore, 6};
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&near, 1}, {&far, 1}, 1)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("signal_list.points[0].value 6 is ahead of the timeline, which stands at 0"));
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&far, 1}, {}, 1)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({&near, 1}, {&near, 1}, 1)), HAL_STATUS_OK);
}

TEST_F(QueueTest, NumberThatIsNoStatusIsABug) {
  Queue().next_submit = static_cast<hal_status_t>(12345);
  EXPECT_EQ(hal_device_queue_barrier(device_, hal::SubmitParams({}, {}, 1)), HAL_STATUS_INTERNAL);
  EXPECT_TRUE(MessageHas("12345"));
}

TEST_F(QueueTest, CommandsAreCheckedAsInRecordings) {
  hal_buffer_t* const buffer = Buffer(64);
  const uint32_t pattern = 0x44332211;
  ASSERT_EQ(hal_device_queue_fill(device_, hal::SubmitParams({}, {}, 2), hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE),
                                  &pattern, 2),
            HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().operation.queues, 2u);
  EXPECT_EQ(Queue().Last().command.command.u.fill.pattern, 0x22112211u);
  EXPECT_EQ(hal_device_queue_fill(device_, hal::SubmitParams({}, {}, 2), hal_buffer_ref(buffer, 0, 65), &pattern, 1),
            HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_device_queue_update(device_, hal::SubmitParams({}, {}, 1), memory_,
                                    hal_buffer_ref(buffer, 60, HAL_WHOLE_SIZE)),
            HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().command.command.u.update.target.length, 4u);
  EXPECT_EQ(hal_device_queue_copy(device_, hal::SubmitParams({}, {}, 1), hal_buffer_ref(buffer, 0, 8),
                                  hal_buffer_ref(buffer, 7, 8)),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(
      hal_device_queue_copy(device_, hal::SubmitParams({}, {}, 1), hal_slot_ref(0, 0, 8), hal_buffer_ref(buffer, 7, 8)),
      HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Queue().operations.size(), 2u);
}

TEST_F(QueueTest, RunsWhereItsBuffersMayBeUsed) {
  const uint32_t zero = 0;
  hal_buffer_t* const buffer = Buffer(64, HAL_BUFFER_USAGE_DEFAULT, 2);
  ASSERT_EQ(hal_device_queue_fill(device_, hal::SubmitParams({}, {}), hal_buffer_ref(buffer, 0, 64), &zero, 4),
            HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().operation.queues, 2u);
  EXPECT_EQ(hal_device_queue_fill(device_, hal::SubmitParams({}, {}, 1), hal_buffer_ref(buffer, 0, 64), &zero, 4),
            HAL_STATUS_PERMISSION_DENIED);
  EXPECT_TRUE(MessageHas("target was made for queues 0x2, but is used on queues 0x1"));
}

TEST_F(QueueTest, HostCallsNeedACallback) {
  EXPECT_EQ(hal_device_queue_host_call(device_, hal::SubmitParams({}, {}, 1), nullptr, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  const auto callback = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  EXPECT_EQ(hal_device_queue_host_call(device_, hal::SubmitParams({}, {}, 1), callback, this), HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().operation.u.host_call.user_data, this);
}

// --- alloca, dealloca ---

TEST_F(QueueTest, AllocaMakesABufferAtOnce) {
  hal_buffer_t* const buffer = QueueAllocation(64);
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  ASSERT_EQ(hal_buffer_query_info(buffer, &info), HAL_STATUS_OK);
  EXPECT_EQ(info.device, device_);
  EXPECT_EQ(info.length, 64u);
  EXPECT_EQ(info.allocation, buffer);
  EXPECT_EQ(info.usage, HAL_BUFFER_USAGE_DEFAULT);
  EXPECT_EQ(Queue().Last().operation.u.allocate.length, 64u);
}

TEST_F(QueueTest, AllocaIsChecked) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_buffer_t* buffer = nullptr;
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({}, {}, 1), &params, 64, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({}, {}, 1), nullptr, 64, &buffer),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({}, {}, 1), &params, UINT64_MAX, &buffer),
            HAL_STATUS_RESOURCE_EXHAUSTED);
  params.alignment = 3;
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({}, {}, 1), &params, 64, &buffer),
            HAL_STATUS_INVALID_ARGUMENT);
  params = HAL_BUFFER_PARAMS_INIT;
  Queue().next_submit = HAL_STATUS_DEVICE_LOST;
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({}, {}, 1), &params, 64, &buffer),
            HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(buffer, nullptr);
}

TEST_F(QueueTest, DeallocaHappensOnce) {
  hal_buffer_t* const buffer = QueueAllocation(64);
  hal_buffer_t* const part = Subspan(buffer, 0, 8);
  EXPECT_EQ(Dealloca(part), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Dealloca(Buffer(16)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Dealloca(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_dealloca(other_device_, hal::SubmitParams({}, {}, 1), buffer),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Dealloca(buffer), HAL_STATUS_OK);
  EXPECT_EQ(Dealloca(buffer), HAL_STATUS_FAILED_PRECONDITION);
  const uint32_t zero = 0;
  EXPECT_EQ(hal_device_queue_fill(device_, hal::SubmitParams({}, {}, 1), hal_buffer_ref(part, 0, 8), &zero, 4),
            HAL_STATUS_FAILED_PRECONDITION);
}

TEST_F(QueueTest, AFailedDeallocaMayBeTriedAgain) {
  hal_buffer_t* const buffer = QueueAllocation(64);
  Queue().next_submit = HAL_STATUS_RESOURCE_EXHAUSTED;
  EXPECT_EQ(Dealloca(buffer), HAL_STATUS_RESOURCE_EXHAUSTED);
  Queue().next_submit = HAL_STATUS_OK;
  EXPECT_EQ(Dealloca(buffer), HAL_STATUS_OK);
}

// --- read, write ---

TEST_F(QueueTest, ReadsAndWritesAreResolved) {
  OpenFile(HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE);
  hal_buffer_t* const buffer = Buffer(64);
  hal_buffer_t* const part = Subspan(buffer, 16, 16);
  ASSERT_EQ(
      hal_device_queue_read(device_, hal::SubmitParams({}, {}, 1), file_, 16, hal_buffer_ref(part, 0, HAL_WHOLE_SIZE)),
      HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().operation.type, HAL_QUEUE_OPERATION_TYPE_READ);
  EXPECT_EQ(Queue().Last().operation.u.io.buffer.buffer, buffer);
  EXPECT_EQ(Queue().Last().operation.u.io.buffer.offset, 16u);
  EXPECT_EQ(Queue().Last().operation.u.io.buffer.length, 16u);
  ASSERT_EQ(hal_device_queue_write(device_, hal::SubmitParams({}, {}, 1), hal_buffer_ref(buffer, 0, 8), file_, 24),
            HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().operation.type, HAL_QUEUE_OPERATION_TYPE_WRITE);
}

TEST_F(QueueTest, FileRangesAreChecked) {
  OpenFile(HAL_FILE_ACCESS_READ);
  hal_buffer_t* const buffer = Buffer(64);
  EXPECT_EQ(hal_device_queue_read(device_, hal::SubmitParams({}, {}, 1), file_, 25, hal_buffer_ref(buffer, 0, 8)),
            HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("8 bytes at file_offset 25 of a file of 32 bytes"));
  EXPECT_EQ(
      hal_device_queue_read(device_, hal::SubmitParams({}, {}, 1), file_, UINT64_MAX, hal_buffer_ref(buffer, 0, 8)),
      HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_device_queue_write(device_, hal::SubmitParams({}, {}, 1), hal_buffer_ref(buffer, 0, 8), file_, 0),
            HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_device_queue_read(device_, hal::SubmitParams({}, {}, 1), nullptr, 0, hal_buffer_ref(buffer, 0, 8)),
            HAL_STATUS_INVALID_ARGUMENT);
  hal_buffer_t* const source = Buffer(64, HAL_BUFFER_USAGE_TRANSFER_SOURCE);
  EXPECT_EQ(hal_device_queue_read(device_, hal::SubmitParams({}, {}, 1), file_, 0, hal_buffer_ref(source, 0, 8)),
            HAL_STATUS_PERMISSION_DENIED);
  EXPECT_TRUE(Queue().operations.empty());
}

// --- execute ---

TEST_F(QueueTest, TheTableIsResolvedAndCut) {
  hal_buffer_t* const buffer = Buffer(128);
  hal_buffer_t* const part = Subspan(buffer, 32, 64);
  ASSERT_EQ(Execute(FillSlots(), {hal_buffer_ref(part, 4, HAL_WHOLE_SIZE), hal_buffer_ref(buffer, 999, 999),
                                  hal_buffer_ref(buffer, 0, 20), hal_buffer_ref(buffer, 999, 999)}),
            HAL_STATUS_OK)
      << hal_last_error_message();
  const std::vector<hal_buffer_ref_t>& table = Queue().Last().table;
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0].buffer, buffer);
  EXPECT_EQ(table[0].offset, 36u);
  EXPECT_EQ(table[0].length, 60u);
  EXPECT_EQ(table[1].buffer, nullptr) << "an unused slot is not looked at";
  EXPECT_EQ(table[2].length, 20u);
}

TEST_F(QueueTest, TheTableMustSatisfyTheRecording) {
  hal_command_buffer_t* const commands = FillSlots();
  hal_buffer_t* const buffer = Buffer(128);
  const hal_buffer_ref_t good = hal_buffer_ref(buffer, 0, 24);
  const auto with = [&](hal_buffer_ref_t first, hal_buffer_ref_t last) { return Execute(commands, {first, {}, last}); };
  EXPECT_EQ(with(good, good), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands, {good, good}), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("table.count is 2, but the command buffer uses slot 2"));
  EXPECT_EQ(Execute(commands), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(with(hal_buffer_ref(buffer, 0, 23), good), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("table.refs[0] has 23 bytes, but the command buffer uses 24 of that slot"));
  EXPECT_EQ(with(hal_buffer_ref(buffer, 2, 26), good), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(with(hal_buffer_ref(buffer, 0, 25), good), HAL_STATUS_OK) << "its length does not matter to slot 0";
  EXPECT_EQ(with(good, hal_buffer_ref(buffer, 0, 25)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(with(good, hal_buffer_ref(buffer, 0, 4)), HAL_STATUS_OK);
  EXPECT_EQ(with(good, hal_buffer_ref(buffer, 0, 0)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(with(good, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("table.refs[2] is empty, but the command buffer uses that slot"));
  EXPECT_EQ(with(good, hal_buffer_ref(Buffer(64, HAL_BUFFER_USAGE_STORAGE), 0, 64)), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_EQ(hal_device_queue_execute(device_, hal::SubmitParams({}, {}, 1), commands, {nullptr, 3}),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(QueueTest, LargeTables) {
  hal_command_buffer_t* const commands = CommandBuffer(0, 100);
  const uint32_t zero = 0;
  ASSERT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_fill(commands, hal_slot_ref(99, 0, 4), &zero, 4), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
  std::vector<hal_buffer_ref_t> table(100);
  table[99] = hal_buffer_ref(Buffer(8), 4, 4);
  EXPECT_EQ(Execute(commands, table), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Queue().Last().table[99].offset, 4u);
}

TEST_F(QueueTest, CopiesThatTheTableMakesOverlapAreRefused) {
  hal_buffer_t* const buffer = Buffer(64);
  hal_command_buffer_t* const commands = CopySlots(hal_slot_ref(0, 0, 16), hal_slot_ref(1, 8, 16));
  EXPECT_EQ(Execute(commands, {hal_buffer_ref(buffer, 0, 16), hal_buffer_ref(buffer, 8, 24)}), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands, {hal_buffer_ref(buffer, 0, 16), hal_buffer_ref(buffer, 4, 24)}),
            HAL_STATUS_INVALID_ARGUMENT);
  hal_command_buffer_t* const mixed = CopySlots(hal_buffer_ref(buffer, 16, 16), hal_slot_ref(0, 0, HAL_WHOLE_SIZE));
  EXPECT_EQ(Execute(mixed, {hal_buffer_ref(buffer, 0, 16)}), HAL_STATUS_OK);
  EXPECT_EQ(Execute(mixed, {hal_buffer_ref(buffer, 1, 16)}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Execute(mixed, {hal_buffer_ref(buffer, 0, 15)}), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(QueueTest, CopiesOfWholeSlotsMustAgree) {
  hal_buffer_t* const buffer = Buffer(64);
  hal_command_buffer_t* const commands =
      CopySlots(hal_slot_ref(0, 4, HAL_WHOLE_SIZE), hal_slot_ref(1, 0, HAL_WHOLE_SIZE));
  EXPECT_EQ(Execute(commands, {hal_buffer_ref(buffer, 0, 20), hal_buffer_ref(buffer, 20, 16)}), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands, {hal_buffer_ref(buffer, 0, 20), hal_buffer_ref(buffer, 20, 20)}),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("finds 16 and 20 bytes"));
}

TEST_F(QueueTest, RecordingsKnowWhenTheirBuffersWereGivenBack) {
  hal_buffer_t* const buffer = QueueAllocation(64);
  hal_command_buffer_t* const commands = CommandBuffer();
  const uint32_t zero = 0;
  ASSERT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_fill(commands, hal_buffer_ref(buffer, 0, 64), &zero, 4), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands), HAL_STATUS_OK);
  ASSERT_EQ(Dealloca(buffer), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands), HAL_STATUS_FAILED_PRECONDITION);
}

TEST_F(QueueTest, ReusableRecordingsAreExecutedAgain) {
  hal_command_buffer_t* const commands = Empty();
  EXPECT_EQ(Execute(commands), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands), HAL_STATUS_OK);
}

TEST_F(QueueTest, OneShotRecordingsAreNot) {
  hal_command_buffer_t* const commands = Empty(HAL_COMMAND_BUFFER_ONE_SHOT);
  Queue().next_submit = HAL_STATUS_RESOURCE_EXHAUSTED;
  EXPECT_EQ(Execute(commands), HAL_STATUS_RESOURCE_EXHAUSTED);
  Queue().next_submit = HAL_STATUS_OK;
  EXPECT_EQ(Execute(commands), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("one-shot"));
}

TEST_F(QueueTest, ARefusedTableDoesNotUseAOneShotUp) {
  hal_command_buffer_t* const commands = FillSlots(HAL_COMMAND_BUFFER_ONE_SHOT);
  EXPECT_EQ(Execute(commands), HAL_STATUS_OUT_OF_RANGE);
  const hal_buffer_ref_t good = hal_buffer_ref(Buffer(24), 0, 24);
  EXPECT_EQ(Execute(commands, {good, {}, good}), HAL_STATUS_OK);
}

TEST_F(QueueTest, OneOfSeveralThreadsExecutesAOneShot) {
  for (int round = 0; round < 50; ++round) {
    hal_command_buffer_t* const commands = Empty(HAL_COMMAND_BUFFER_ONE_SHOT);
    std::atomic<int> executed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] { executed += Execute(commands) == HAL_STATUS_OK; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(executed, 1);
  }
}

TEST_F(QueueTest, ExecuteIsChecked) {
  EXPECT_EQ(Execute(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Execute(CommandBuffer()), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_TRUE(MessageHas("command_buffer was not ended"));
  EXPECT_EQ(hal_device_queue_execute(other_device_, hal::SubmitParams({}, {}, 1), Empty(), {}),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(QueueTest, RecordingsRunWhereTheirBuffersMay) {
  hal_command_buffer_t* const commands = CommandBuffer(0, 1);
  const uint32_t zero = 0;
  hal_buffer_t* const buffer = Buffer(16, HAL_BUFFER_USAGE_DEFAULT, 2);
  ASSERT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_fill(commands, hal_buffer_ref(buffer, 0, 16), &zero, 4), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_fill(commands, hal_slot_ref(0, 0, 16), &zero, 4), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
  EXPECT_EQ(Execute(commands, {hal_buffer_ref(Buffer(16), 0, 16)}), HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().operation.queues, 2u);
  hal_buffer_t* const elsewhere = Buffer(16, HAL_BUFFER_USAGE_DEFAULT, 1);
  EXPECT_EQ(Execute(commands, {hal_buffer_ref(elsewhere, 0, 16)}), HAL_STATUS_PERMISSION_DENIED);
}

TEST_F(QueueTest, UnvalidatedTablesAreOnlyResolved) {
  hal_command_buffer_t* const commands = Empty(HAL_COMMAND_BUFFER_UNVALIDATED);
  hal_buffer_t* const buffer = Buffer(64, HAL_BUFFER_USAGE_STORAGE);
  ASSERT_EQ(Execute(commands, {{}, hal_buffer_ref(Subspan(buffer, 8, 8), 4, HAL_WHOLE_SIZE)}), HAL_STATUS_OK);
  const std::vector<hal_buffer_ref_t>& table = Queue().Last().table;
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].buffer, nullptr);
  EXPECT_EQ(table[1].offset, 12u);
  EXPECT_EQ(table[1].length, 4u);
}

}  // namespace
}  // namespace halyard
