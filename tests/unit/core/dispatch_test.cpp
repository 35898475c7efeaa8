// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core checks and fills in of a dispatch.
#include <gtest/gtest.h>

#include <vector>

#include "fake_queue.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/queue.h"

namespace halyard {
namespace {

using testing::FakeQueueTest;
using testing::MessageHas;
using testing::Queue;

constexpr uint32_t kScale = 0;
constexpr uint32_t kAny = 1;

class DispatchTest : public FakeQueueTest {
 protected:
  DispatchTest() : executable_(Executable()), buffer_(Buffer(64)) {
    params_.constants = "12345678";
    params_.constants_size = 8;
    bindings_ = {hal_buffer_ref(buffer_, 0, HAL_WHOLE_SIZE), hal_buffer_ref(Subspan(buffer_, 16, 32), 8, 8)};
    any_.workgroup_size = {4, 2, 1};
  }

  hal_status_t Scale() {
    params_.bindings = hal_buffer_ref_list(bindings_.data(), bindings_.size());
    return hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}), executable_, kScale, &params_);
  }
  hal_status_t Any() { return hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}), executable_, kAny, &any_); }
  const hal_dispatch_params_t& Seen() { return Queue().Last().command.params; }

  hal_executable_t* executable_;
  hal_buffer_t* buffer_;
  std::vector<hal_buffer_ref_t> bindings_;
  hal_dispatch_params_t params_ = HAL_DISPATCH_PARAMS_INIT;
  hal_dispatch_params_t any_ = HAL_DISPATCH_PARAMS_INIT;
};

TEST_F(DispatchTest, IsResolvedAndFilledIn) {
  params_.workgroup_count = {3, 2, 1};
  ASSERT_EQ(Scale(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Seen().workgroup_size.x, 8u);
  EXPECT_EQ(Seen().workgroup_count.x, 3u);
  const std::vector<hal_buffer_ref_t>& bindings = Queue().Last().command.bindings;
  ASSERT_EQ(bindings.size(), 2u);
  EXPECT_EQ(bindings[0].length, 64u);
  EXPECT_EQ(bindings[1].buffer, buffer_);
  EXPECT_EQ(bindings[1].offset, 24u);
}

TEST_F(DispatchTest, OldStructsTakeTheDefaults) {
  any_.struct_size = offsetof(hal_dispatch_params_t, dynamic_local_memory);
  any_.dynamic_local_memory = 1u << 30;  // the caller's struct has no such field
  EXPECT_EQ(Any(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Seen().dynamic_local_memory, 0u);
  any_.struct_size = 0;
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DispatchTest, NamesAnExportOfThisDevice) {
  EXPECT_EQ(hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}, 1), nullptr, 0, &any_),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}, 1), executable_, 0, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}, 1), executable_, 2, &any_),
            HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("ordinal is 2, but the executable has 2 exports"));
  EXPECT_EQ(hal_device_queue_dispatch(other_device_, hal::SubmitParams({}, {}, 1), executable_, 1, &any_),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DispatchTest, GivesAllConstants) {
  params_.constants_size = 4;
  EXPECT_EQ(Scale(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("params->constants_size is 4, but \"scale\" takes 8 bytes"));
  params_.constants_size = 8;
  params_.constants = nullptr;
  EXPECT_EQ(Scale(), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DispatchTest, GivesAllBindings) {
  bindings_.pop_back();
  EXPECT_EQ(Scale(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("\"scale\" takes 2 bindings"));
  params_.bindings = {nullptr, 2};
  EXPECT_EQ(hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}, 1), executable_, kScale, &params_),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DispatchTest, BindingsAreChecked) {
  bindings_[1] = hal_buffer_ref(buffer_, 60, 5);
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("params->bindings.refs[1] is 5 bytes at offset 60"));
  bindings_[1] = hal_buffer_ref(Buffer(16, HAL_BUFFER_USAGE_TRANSFER), 0, 16);
  EXPECT_EQ(Scale(), HAL_STATUS_PERMISSION_DENIED);
  bindings_[1] = hal_slot_ref(0, 0, 16);
  EXPECT_EQ(Scale(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("there is no binding table"));
}

TEST_F(DispatchTest, WorkgroupSizeIsChecked) {
  any_.workgroup_size = {0, 0, 0};
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("\"any\" declares no workgroup size"));
  any_.workgroup_size = {4, 0, 1};
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
  any_.workgroup_size = {65, 1, 1};
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  any_.workgroup_size = {64, 2, 2};
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_device_queue_dispatch: workgroup size 64x2x2"));
  params_.workgroup_size = {16, 2, 1};
  ASSERT_EQ(Scale(), HAL_STATUS_OK);
  EXPECT_EQ(Seen().workgroup_size.x, 16u);
}

TEST_F(DispatchTest, SidesOfWorkgroupsMayBeFixed) {
  auto& info = const_cast<hal_export_info_t&>(*hal_executable_export_info(executable_, kAny));
  info.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  info.fixed_sides = {0, 2, 0};
  for (const hal_dim3_t& size : {hal_dim3_t{4, 2, 1}, hal_dim3_t{8, 2, 2}}) {
    any_.workgroup_size = size;
    EXPECT_EQ(Any(), HAL_STATUS_OK) << hal_last_error_message();
  }
  any_.workgroup_size = {8, 1, 2};
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("params->workgroup_size is (8, 1, 2), but \"any\" was compiled with 2 in y"));
  info.struct_size = offsetof(hal_export_info_t, fixed_sides);  // a driver that was built before there were any
  EXPECT_EQ(Any(), HAL_STATUS_OK) << hal_last_error_message();
  info.workgroup_size = {8, 2, 2};
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT) << "what it does know holds";
  EXPECT_TRUE(MessageHas("compiled for (8, 2, 2) alone"));
}

// What a kernel was compiled for at most binds every device, not only those whose drivers look.
TEST_F(DispatchTest, WorkgroupsHaveAtMostWhatTheKernelWasCompiledFor) {
  auto& info = const_cast<hal_export_info_t&>(*hal_executable_export_info(executable_, kAny));
  info.max_workgroup_volume = 6;
  any_.workgroup_size = {3, 2, 1};
  EXPECT_EQ(Any(), HAL_STATUS_OK) << hal_last_error_message();
  any_.workgroup_size = {4, 2, 1};
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas(
      "params->workgroup_size is (4, 2, 1), but \"any\" was compiled for at most 6 work-items in a workgroup"));
  any_.workgroup_size = {0, 0, 0};
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("declares no workgroup size; it was compiled for at most 6 work-items"));
}

TEST_F(DispatchTest, WorkgroupCountIsChecked) {
  any_.workgroup_count = {0, 10, 10};
  EXPECT_EQ(Any(), HAL_STATUS_OK);
  any_.workgroup_count = {101, 1, 1};
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  any_.workgroup_count = {1, 1, 11};
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("workgroup count 1x1x11"));
}

TEST_F(DispatchTest, LocalMemoryIsTheSumOfBoth) {
  params_.dynamic_local_memory = 192;
  EXPECT_EQ(Scale(), HAL_STATUS_OK);
  params_.dynamic_local_memory = 193;
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("257"));
  params_.dynamic_local_memory = UINT32_MAX;
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(DispatchTest, IndirectNamesTheCounts) {
  any_.flags = HAL_DISPATCH_INDIRECT;
  any_.workgroup_count = {UINT32_MAX, 0, 0};  // ignored
  any_.indirect = hal_buffer_ref(Subspan(buffer_, 4, 40), 8, HAL_WHOLE_SIZE);
  ASSERT_EQ(Any(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Seen().indirect.buffer, buffer_);
  EXPECT_EQ(Seen().indirect.offset, 12u);
  EXPECT_EQ(Seen().indirect.length, 12u);
  any_.indirect = hal_buffer_ref(buffer_, 2, 12);
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
  any_.indirect = hal_buffer_ref(buffer_, 56, HAL_WHOLE_SIZE);
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  any_.indirect = hal_buffer_ref(buffer_, 0, 8);
  EXPECT_EQ(Any(), HAL_STATUS_OUT_OF_RANGE);
  any_.indirect = hal_buffer_ref(Buffer(16, HAL_BUFFER_USAGE_STORAGE), 0, 12);
  EXPECT_EQ(Any(), HAL_STATUS_PERMISSION_DENIED);
  any_.flags = 2;
  EXPECT_EQ(Any(), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DispatchTest, IndirectIsClearedUnlessAskedFor) {
  any_.indirect = hal_buffer_ref(buffer_, 60, 60);
  ASSERT_EQ(Any(), HAL_STATUS_OK);
  EXPECT_EQ(Seen().indirect.buffer, nullptr);
}

TEST_F(DispatchTest, ShapesLieInsideTheirBindings) {
  int64_t sizes[] = {2, 4};
  int64_t strides[] = {8, 1};
  hal_shape_t shapes[] = {{HAL_ELEMENT_TYPE_F32, 2, sizes, strides}, {HAL_ELEMENT_TYPE_NONE, 2, sizes, nullptr}};
  params_.binding_shapes = shapes;
  EXPECT_EQ(Scale(), HAL_STATUS_OK) << hal_last_error_message();
  strides[0] = 13;  // 13 + 3 + 1 floats
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("params->binding_shapes[0] reaches over 68 bytes, but its binding has 64"));
  strides[0] = -12;  // the same span as 12, from the second row to the end of the first
  EXPECT_EQ(Scale(), HAL_STATUS_OK) << hal_last_error_message();
  strides[0] = -13;
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("params->binding_shapes[0] reaches over 68 bytes, but its binding has 64"));
  strides[0] = INT64_MAX;
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
  strides[0] = INT64_MIN;
  EXPECT_EQ(Scale(), HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(DispatchTest, ShapesOfSlotsAreAskedOfTheTable) {
  hal_command_buffer_t* const commands = CommandBuffer(0, 1);
  int64_t size = 10;
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 1, &size, nullptr};
  const hal_shape_t shapes[] = {shape, shape};
  bindings_ = {hal_buffer_ref(buffer_, 0, 40), hal_slot_ref(0, 8, HAL_WHOLE_SIZE)};
  params_.bindings = hal_buffer_ref_list(bindings_.data(), 2);
  params_.binding_shapes = shapes;
  ASSERT_EQ(hal_command_buffer_begin(commands), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_dispatch(commands, executable_, kScale, &params_), HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(hal_command_buffer_end(commands), HAL_STATUS_OK);
  hal_buffer_ref_t table = hal_buffer_ref(buffer_, 0, 48);
  EXPECT_EQ(hal_device_queue_execute(device_, hal::SubmitParams({}, {}, 1), commands, {&table, 1}), HAL_STATUS_OK);
  table.length = 47;
  EXPECT_EQ(hal_device_queue_execute(device_, hal::SubmitParams({}, {}, 1), commands, {&table, 1}),
            HAL_STATUS_OUT_OF_RANGE);
}

TEST_F(DispatchTest, ManyBindings) {
  std::vector<hal_parameter_t> parameters;
  for (uint32_t i = 0; i < 40; ++i) parameters.push_back(hal_parameter_binding(i, HAL_BINDING_ACCESS_READ));
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view("many");
  info.parameters = parameters.data();
  info.parameter_count = 40;
  testing::TwoExports given;
  given.params.exports = &info;
  given.params.export_count = 1;
  hal_executable_t* executable = nullptr;
  ASSERT_EQ(hal_executable_create(device_, &given.params, &executable), HAL_STATUS_OK) << hal_last_error_message();
  const std::vector<hal_buffer_ref_t> bindings(40, hal_buffer_ref(buffer_, 8, HAL_WHOLE_SIZE));
  any_.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
  EXPECT_EQ(hal_device_queue_dispatch(device_, hal::SubmitParams({}, {}, 1), executable, 0, &any_), HAL_STATUS_OK);
  EXPECT_EQ(Queue().Last().command.bindings.size(), 40u);
  EXPECT_EQ(Queue().Last().command.bindings[39].length, 56u);
  hal_executable_release(executable);
}

}  // namespace
}  // namespace halyard
