// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/executable/pipeline_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::MessageHas;

constexpr hal_binding_access_t kRead = HAL_BINDING_ACCESS_READ;
constexpr hal_binding_access_t kReadWrite = HAL_BINDING_ACCESS_READ_WRITE;

/// Layouts are plain data: of a device they need its limits only.
class PipelineLayoutTest : public ::testing::Test {
 protected:
  PipelineLayoutTest() {
    limits_.max_bindings = 4;
    limits_.max_descriptor_sets = 3;
    limits_.max_constants_size = 16;
    info_.limits = &limits_;
    device_.info = &info_;
    device_.object.kind = HAL_OBJECT_KIND_DEVICE;
  }

  hal_status_t CreateSet(const std::vector<hal_descriptor_binding_t>& bindings, hal_descriptor_set_layout_t** out) {
    return hal_descriptor_set_layout_create(&device_, bindings.size(), bindings.data(), out);
  }
  Ref<hal_descriptor_set_layout_t> Set(const std::vector<hal_descriptor_binding_t>& bindings) {
    Ref<hal_descriptor_set_layout_t> set;
    EXPECT_EQ(CreateSet(bindings, set.out()), HAL_STATUS_OK) << hal_last_error_message();
    return set;
  }
  hal_status_t Create(const std::vector<hal_descriptor_set_layout_t*>& sets, uint32_t constants_size) {
    return hal_pipeline_layout_create(&device_, sets.size(), sets.data(), constants_size, layout_.out());
  }

  hal_device_limits_t limits_ = {};
  hal_device_info_t info_ = {};
  hal_device_t device_ = {};
  Ref<hal_pipeline_layout_t> layout_;
};

TEST_F(PipelineLayoutTest, SetTellsItsBindings) {
  const auto set = Set({{1, kRead}, {7, kReadWrite}});
  size_t count = 0;
  const hal_descriptor_binding_t* bindings = hal_descriptor_set_layout_bindings(set.get(), &count);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(bindings[0].binding, 1u);
  EXPECT_EQ(bindings[0].access, kRead);
  EXPECT_EQ(bindings[1].binding, 7u);
}

TEST_F(PipelineLayoutTest, EmptyAndNullSets) {
  const auto set = Set({});
  size_t count = 9;
  EXPECT_EQ(hal_descriptor_set_layout_bindings(set.get(), &count), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(hal_descriptor_set_layout_bindings(nullptr, &count), nullptr);
  hal_descriptor_set_layout_retain(nullptr);
  hal_descriptor_set_layout_release(nullptr);
}

TEST_F(PipelineLayoutTest, SetRefusesWrongBindings) {
  hal_descriptor_set_layout_t* set = nullptr;
  EXPECT_EQ(CreateSet({{1, kRead}, {1, kRead}}, &set), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("bindings[1].binding is 1 after 1"));
  EXPECT_EQ(CreateSet({{2, kRead}, {1, kRead}}, &set), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(CreateSet({{2, static_cast<hal_binding_access_t>(3)}}, &set), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(CreateSet({{0, kRead}, {1, kRead}, {2, kRead}, {3, kRead}, {4, kRead}}, &set), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("binding_count is 5"));
  EXPECT_EQ(hal_descriptor_set_layout_create(&device_, 1, nullptr, &set), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_descriptor_set_layout_create(nullptr, 0, nullptr, &set), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_descriptor_set_layout_create(&device_, 0, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(set, nullptr);
}

TEST_F(PipelineLayoutTest, LayoutKeepsItsSets) {
  {
    const auto set = Set({{0, kRead}, {1, kReadWrite}});
    ASSERT_EQ(Create({set.get(), nullptr, set.get()}, 12), HAL_STATUS_OK);
  }
  hal_pipeline_layout_t* const layout = layout_.get();
  EXPECT_EQ(hal_pipeline_layout_set_count(layout), 3u);
  EXPECT_EQ(hal_pipeline_layout_binding_count(layout), 4u);
  EXPECT_EQ(hal_pipeline_layout_constants_size(layout), 12u);
  EXPECT_EQ(hal_pipeline_layout_set(layout, 1), nullptr);
  EXPECT_EQ(hal_pipeline_layout_set(layout, 3), nullptr);
  size_t count = 0;
  EXPECT_EQ(hal_descriptor_set_layout_bindings(hal_pipeline_layout_set(layout, 2), &count)[1].binding, 1u);
  EXPECT_EQ(count, 2u);
}

TEST_F(PipelineLayoutTest, LayoutRefusesWhatTheDeviceDoesNotTake) {
  const auto set = Set({{0, kRead}, {1, kRead}, {2, kRead}});
  EXPECT_EQ(Create({set.get(), set.get()}, 0), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("6"));
  EXPECT_EQ(Create({nullptr, nullptr, nullptr, nullptr}, 0), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Create({}, 17), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_pipeline_layout_create(&device_, 1, nullptr, 0, layout_.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_pipeline_layout_create(nullptr, 0, nullptr, 0, layout_.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_pipeline_layout_create(&device_, 0, nullptr, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_FALSE(layout_);
}

TEST_F(PipelineLayoutTest, NullLayoutsAreEmpty) {
  EXPECT_EQ(hal_pipeline_layout_set_count(nullptr), 0u);
  EXPECT_EQ(hal_pipeline_layout_set(nullptr, 0), nullptr);
  EXPECT_EQ(hal_pipeline_layout_binding_count(nullptr), 0u);
  EXPECT_EQ(hal_pipeline_layout_constants_size(nullptr), 0u);
  hal_pipeline_layout_retain(nullptr);
  hal_pipeline_layout_release(nullptr);
}

}  // namespace
}  // namespace halyard
