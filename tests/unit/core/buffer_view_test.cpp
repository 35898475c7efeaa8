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

/// What only a fake driver shows, and the messages of refusals. The suite checks all else (tests/cts).
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

  FakeInterface fake_;
  hal_device_t* device_ = nullptr;
  hal_buffer_t* buffer_ = nullptr;
  hal_buffer_view_t* view_ = nullptr;
};

TEST_F(BufferViewTest, RefusalSaysHowManyBytesThereAre) {
  Allocate(100);
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_F32, {26}), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("104 bytes, but the buffer has 100"));
}

TEST_F(BufferViewTest, AbsurdShapes) {
  Allocate(100);
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ(Create(HAL_ELEMENT_TYPE_F32, {0, big, big}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_view_create(buffer_, HAL_ELEMENT_TYPE_F32, SIZE_MAX, &big, &view_), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(BufferViewTest, NamesTheIndexThatIsOutside) {
  Allocate(96);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F32, {2, 3, 4}), HAL_STATUS_OK);
  const int64_t indices[] = {0, 3, 0};
  uint64_t offset = 1;
  EXPECT_EQ(hal_buffer_view_element_offset(view_, 3, indices, &offset), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("indices[1] is 3"));
  EXPECT_EQ(offset, 0u);
}

TEST_F(BufferViewTest, FormattingUnmapsTheBuffer) {
  Allocate(16);
  const float values[] = {1, 2, 3, 4.5f};
  ASSERT_EQ(hal_buffer_write(buffer_, 0, values, sizeof(values)), HAL_STATUS_OK);
  ASSERT_EQ(Create(HAL_ELEMENT_TYPE_F32, {2, 2}), HAL_STATUS_OK);
  char text[64];
  EXPECT_EQ(hal_buffer_view_format(view_, 3, text, sizeof(text), nullptr), HAL_STATUS_OK);
  EXPECT_STREQ(text, "2x2xf32=[1 2][3 ...]");
  size_t length = 0;
  EXPECT_EQ(hal_buffer_view_format(view_, SIZE_MAX, nullptr, 0, &length), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(length, 20u);
  EXPECT_EQ(State().maps, State().unmaps);
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
