// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/buffer_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;
using testing::State;

class BufferViewTest : public FakeDriverTest {
 protected:
  BufferViewTest() { device_ = OpenDevice(fake_); }
  ~BufferViewTest() override {
    hal_buffer_view_release(view_);
    hal_buffer_release(buffer_);
  }

  void Allocate(uint64_t length, hal_buffer_usage_t usage = HAL_BUFFER_USAGE_ALL) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.usage = usage;
    ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_), &params, length, &buffer_), HAL_STATUS_OK);
  }
  hal_status_t Create(hal_element_type_t type, const std::vector<int64_t>& sizes) {
    return hal_buffer_view_create(buffer_, type, sizes.size(), sizes.data(), &view_);
  }
  hal_status_t Offset(const std::vector<int64_t>& indices, uint64_t* out) {
    return hal_buffer_view_element_offset(view_, indices.size(), indices.data(), out);
  }

  FakeInterface fake_;
  hal_device_t* device_ = nullptr;
  hal_buffer_t* buffer_ = nullptr;
  hal_buffer_view_t* view_ = nullptr;
};

TEST_F(BufferViewTest, TellsWhatItIs) {
  Allocate(100);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F32, {2, 3, 4}), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_view_buffer(view_), buffer_);
  EXPECT_EQ(hal_buffer_view_element_count(view_), 24u);
  EXPECT_EQ(hal_buffer_view_length(view_), 96u);
  const hal_shape_t shape = hal_buffer_view_shape(view_);
  EXPECT_EQ(shape.element_type, HAL_ELEMENT_TYPE_F32);
  EXPECT_EQ(std::vector<int64_t>(shape.sizes, shape.sizes + shape.rank), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(std::vector<int64_t>(shape.strides, shape.strides + shape.rank), (std::vector<int64_t>{12, 4, 1}));
}

TEST_F(BufferViewTest, KeepsItsBuffer) {
  Allocate(4);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F32, {}), HAL_STATUS_OK);
  hal_buffer_release(buffer_);
  EXPECT_EQ(hal_buffer_length(hal_buffer_view_buffer(view_)), 4u);
  buffer_ = nullptr;
}

TEST_F(BufferViewTest, RefusesWhatDoesNotFit) {
  Allocate(100);
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_F32, {26}), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("104 bytes, but the buffer has 100"));
  EXPECT_EQ(view_, nullptr);
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_NONE, {1}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Create(0x999, {1}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_F32, {-1}), HAL_STATUS_INVALID_ARGUMENT);
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_F32, {big, big}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_F32, {0, big, big}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_create(buffer_, HAL_ELEMENT_TYPE_F32, SIZE_MAX, &big, &view_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_create(buffer_, HAL_ELEMENT_TYPE_F32, 1, nullptr, &view_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_create(nullptr, HAL_ELEMENT_TYPE_F32, 1, &big, &view_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_create(buffer_, HAL_ELEMENT_TYPE_F32, 1, &big, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferViewTest, NullViewsAreEmpty) {
  EXPECT_EQ(hal_buffer_view_buffer(nullptr), nullptr);
  EXPECT_EQ(hal_buffer_view_shape(nullptr).rank, 0u);
  EXPECT_EQ(hal_buffer_view_element_count(nullptr), 0u);
  EXPECT_EQ(hal_buffer_view_length(nullptr), 0u);
  hal_buffer_view_retain(nullptr);
  hal_buffer_view_release(nullptr);
}

TEST_F(BufferViewTest, ComputesOffsets) {
  Allocate(96);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F32, {2, 3, 4}), HAL_STATUS_OK);
  uint64_t offset = 1;
  EXPECT_EQ(Offset({0, 0, 0}, &offset), HAL_STATUS_OK);
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(Offset({1, 2, 3}, &offset), HAL_STATUS_OK);
  EXPECT_EQ(offset, 92u);
  EXPECT_EQ(Offset({0, 3, 0}, &offset), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("indices[1] is 3"));
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(Offset({0, -1, 0}, &offset), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(Offset({0, 0}, &offset), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Offset({0, 0, 0}, nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferViewTest, FormatsItsContents) {
  Allocate(16);
  const float values[] = {1, 2, 3, 4.5f};
  ASSERT_EQ(hal_buffer_write(buffer_, 0, values, sizeof(values)), HAL_STATUS_OK);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F32, {2, 2}), HAL_STATUS_OK);
  char text[64];
  size_t length = 0;
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, text, sizeof(text), &length), HAL_STATUS_OK);
  EXPECT_STREQ(text, "2x2xf32=[1 2][3 4.5]");
  EXPECT_EQ(length, 20u);
  EXPECT_EQ(hal_buffer_view_format(view_, 3, text, sizeof(text), nullptr), HAL_STATUS_OK);
  EXPECT_STREQ(text, "2x2xf32=[1 2][3 ...]");
  EXPECT_EQ(State().maps, State().unmaps);
}

TEST_F(BufferViewTest, CutTextTellsItsLength) {
  Allocate(16);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_I8, {4}), HAL_STATUS_OK);
  char text[6];
  size_t length = 0;
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, text, sizeof(text), &length), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_STREQ(text, "4xi8=");
  EXPECT_EQ(length, 12u);
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, nullptr, 0, &length), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(length, 12u);
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, nullptr, 10, &length), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferViewTest, EmptyViewsNeedNoMemory) {
  Allocate(0);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F16, {2, 0}), HAL_STATUS_OK);
  char text[64];
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, text, sizeof(text), nullptr), HAL_STATUS_OK);
  EXPECT_STREQ(text, "2x0xf16=");
  EXPECT_EQ(State().maps, 0);
}

TEST_F(BufferViewTest, FormattingNeedsMapping) {
  Allocate(16, HAL_BUFFER_USAGE_STORAGE);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_I8, {4}), HAL_STATUS_OK);
  char text[64] = "x";
  size_t length = 7;
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, text, sizeof(text), &length), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_TRUE(MessageHas("hal_buffer_view_format"));
  EXPECT_STREQ(text, "");
  EXPECT_EQ(length, 0u);
}

}  // namespace
}  // namespace halyard
