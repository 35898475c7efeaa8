// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::MessageHas;

struct ShapeOf {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides = {};
  hal_element_type_t type = HAL_ELEMENT_TYPE_F32;

  hal_shape_t Get() const {
    return {type, static_cast<uint32_t>(sizes.size()), sizes.data(), strides.empty() ? nullptr : strides.data()};
  }
};

std::optional<uint64_t> Extent(const ShapeOf& shape) { return ShapeExtent(shape.Get()); }
Status Check(const ShapeOf& shape) { return CheckShape(shape.Get()); }

TEST(ShapeTest, DenseExtent) {
  EXPECT_EQ(Extent({{}}), 4u);
  EXPECT_EQ(Extent({{2, 3}}), 24u);
  EXPECT_EQ(Extent({{2, 0, 3}}), 0u);
}

TEST(ShapeTest, StridedExtentReachesToTheLastElement) {
  EXPECT_EQ(Extent({{2, 3}, {10, 1}}), 4u * (10 + 2 + 1));
  EXPECT_EQ(Extent({{2, 3}, {0, 0}}), 4u);
  EXPECT_EQ(Extent({{0, 3}, {10, 1}}), 0u);
}

TEST(ShapeTest, NegativeStridesReachBelowTheFirstElement) {
  const ShapeOf turned = {{2, 3}, {-3, 1}};
  EXPECT_EQ(Publish(Check(turned)), HAL_STATUS_OK);
  EXPECT_EQ(Extent(turned), 24u);
  EXPECT_EQ(ElementsBelowFirst(turned.Get()), 3u);
  EXPECT_EQ(Extent({{2, 3}, {-3, -1}}), 24u);
  EXPECT_EQ(Extent({{2, 2}, {INT64_MIN, 1}}), std::nullopt);
  EXPECT_EQ(Extent({{2, 2}, {INT64_MIN / 4, INT64_MAX}}), std::nullopt);
  EXPECT_EQ(Extent({{1}, {INT64_MIN}}), 4u);
  EXPECT_EQ(ElementsBelowFirst(ShapeOf{{0, 3}, {-3, 1}}.Get()), 0u);
}

TEST(ShapeTest, ExtentPast63BitsIsNone) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ(Extent({{big, big}}), std::nullopt);
  EXPECT_EQ(Extent({{2, 2}, {INT64_MAX, INT64_MAX}}), std::nullopt);
  EXPECT_EQ(Extent({{int64_t{1} << 61}}), std::nullopt);  // elements fit, bytes do not
  EXPECT_EQ(Extent({{int64_t{1} << 60}}), uint64_t{1} << 62);
}

TEST(ShapeTest, RefusesWhatIsNoShape) {
  EXPECT_EQ(Publish(Check({{2, -1}})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("sizes[1] is -1"));
  EXPECT_EQ(Publish(Check({{2}, {}, 0x777})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(Check({std::vector<int64_t>(kMaxRank + 1, 1)})), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(CheckShape({HAL_ELEMENT_TYPE_F32, 1, nullptr, nullptr})), HAL_STATUS_INVALID_ARGUMENT);
}

TEST(ShapeTest, AcceptsShapes) {
  EXPECT_EQ(Publish(Check({{}})), HAL_STATUS_OK);
  EXPECT_EQ(Publish(Check({{2, 0}, {1, 5}, HAL_ELEMENT_TYPE_NONE})), HAL_STATUS_OK);
  EXPECT_EQ(Publish(Check({std::vector<int64_t>(kMaxRank, 1)})), HAL_STATUS_OK);
}

}  // namespace
}  // namespace halyard
