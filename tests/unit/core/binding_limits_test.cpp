// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that bind at certain offsets only, and not too much at once.
#include <vector>

#include "fake_queue.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/queue.h"

namespace halyard {
namespace {

using testing::FakeQueueTest;
using testing::MessageHas;
using testing::Queue;

class BindingLimitsTest : public FakeQueueTest {
 protected:
  BindingLimitsTest() : executable_(Executable()), buffer_(Buffer(4096)) {
    Limits().struct_size = sizeof(hal_device_limits_t);
    Limits().binding_alignment = 256;
    Limits().max_binding_range = 1024;
    params_.constants = "12345678";
    params_.constants_size = 8;
  }

  /// The second binding of the export; the first one is always good.
  const hal_dispatch_params_t* With(const hal_buffer_ref_t& second) {
    bindings_ = {hal_buffer_ref(buffer_, 256, 1024), second};
    params_.bindings = hal_buffer_ref_list(bindings_.data(), bindings_.size());
    return &params_;
  }
  hal_status_t Dispatch(const hal_buffer_ref_t& ref) {
    return hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}), executable_, 0, With(ref));
  }
  /// Records a dispatch with a reference to slot 0, and perhaps more.
  hal_status_t Record(const hal_buffer_ref_t& ref, hal_command_buffer_t** out) {
    *out = CommandBuffer(0, 1);
    EXPECT_EQ(hal_command_buffer_begin(*out), HAL_STATUS_OK);
    return hal_command_buffer_dispatch(*out, executable_, 0, With(ref));
  }
  hal_status_t Execute(hal_command_buffer_t* commands, const hal_buffer_ref_t& slot) {
    return hal_device_queue_execute(device_, hal::SubmitParams({}, {}), commands, hal_buffer_ref_list(&slot, 1));
  }
  hal_command_buffer_t* Recorded(const hal_buffer_ref_t& ref) {
    hal_command_buffer_t* commands = nullptr;
    EXPECT_EQ(Record(ref, &commands), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK) << hal_last_error_message();
    return commands;
  }

  hal_executable_t* executable_;
  hal_buffer_t* buffer_;
  std::vector<hal_buffer_ref_t> bindings_;
  hal_dispatch_params_t params_ = HAL_DISPATCH_PARAMS_INIT;
};

TEST_F(BindingLimitsTest, OffsetsAreMultiples) {
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 512, 8)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 128, 8)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(
      MessageHas("hal_device_queue_dispatch: params->bindings.refs[1] is at byte 128; it must be a multiple of "
                 "256, the device's binding_alignment"));
}

TEST_F(BindingLimitsTest, OffsetsCountFromTheAllocation) {
  hal_buffer_t* const part = Subspan(buffer_, 128, 1024);
  EXPECT_EQ(Dispatch(hal_buffer_ref(part, 128, 8)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Dispatch(hal_buffer_ref(part, 0, 8)), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BindingLimitsTest, RangesAreNotLonger) {
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 0, 1025)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(
      MessageHas("params->bindings.refs[1] is 1025 bytes long; with the device's max_binding_range it can be at "
                 "most 1024"));
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 0, HAL_WHOLE_SIZE)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 3072, HAL_WHOLE_SIZE)), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_F(BindingLimitsTest, HoldForSlotsWhenTheyAreRecorded) {
  hal_command_buffer_t* commands = nullptr;
  EXPECT_EQ(Record(hal_slot_ref(0, 128, 8), &commands), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("is at byte 128"));
  EXPECT_EQ(Record(hal_slot_ref(0, 0, 1025), &commands), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("is 1025 bytes long"));
}

TEST_F(BindingLimitsTest, HoldForBindingTables) {
  hal_command_buffer_t* const commands = Recorded(hal_slot_ref(0, 256, HAL_WHOLE_SIZE));
  EXPECT_EQ(Execute(commands, hal_buffer_ref(buffer_, 256, 1280)), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Queue().Last().table[0].offset, 256u);
  EXPECT_EQ(Execute(commands, hal_buffer_ref(buffer_, 128, 512)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_device_queue_execute: table.refs[0] is at byte 128"));
  EXPECT_EQ(Execute(commands, hal_buffer_ref(buffer_, 0, 1281)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("it can be at most 1280")) << "of which the dispatch binds all but 256";
}

// What a dispatch binds a part of may be as long as it likes.
TEST_F(BindingLimitsTest, TablesOfPartsMayBeLonger) {
  hal_command_buffer_t* const commands = Recorded(hal_slot_ref(0, 512, 1024));
  EXPECT_EQ(Execute(commands, hal_buffer_ref(buffer_, 0, 4096)), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_F(BindingLimitsTest, DoNotHoldForTransfers) {
  EXPECT_EQ(hal_device_queue_fill(device_, hal::SubmitParams({}, {}), hal_buffer_ref(buffer_, 4, 4092), "abcd", 4),
            HAL_STATUS_OK)
      << hal_last_error_message();
}

// Drivers that were built before there were such limits.
TEST_F(BindingLimitsTest, AreNoneWhereTheDriverKnowsNone) {
  Limits().binding_alignment = 0;
  Limits().max_binding_range = 0;
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 3, 4000)), HAL_STATUS_OK) << hal_last_error_message();
  Limits().binding_alignment = 256;
  Limits().struct_size = offsetof(hal_device_limits_t, binding_alignment);
  EXPECT_EQ(Dispatch(hal_buffer_ref(buffer_, 3, 4000)), HAL_STATUS_OK) << hal_last_error_message();
}

}  // namespace
}  // namespace halyard
