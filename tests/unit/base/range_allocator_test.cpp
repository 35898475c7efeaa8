// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/range_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <vector>

namespace halyard {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(RangeAllocator, TakesAllOfItsSize) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{1000}, 64 * kMiB, 64 * kMiB + 12345, RangeAllocator::kMaxSize}) {
    RangeAllocator ranges(size);
    EXPECT_EQ(ranges.LargestFree(), size);
    EXPECT_EQ(ranges.Allocate(size, 4096), 0u);
    EXPECT_EQ(ranges.UsedBytes(), size);
    EXPECT_EQ(ranges.LargestFree(), 0u);
    EXPECT_EQ(ranges.Allocate(1, 1), std::nullopt);
    EXPECT_TRUE(ranges.Free(0));
    EXPECT_TRUE(ranges.IsEmpty());
    EXPECT_EQ(ranges.LargestFree(), size);
  }
}

TEST(RangeAllocator, OfNothingGivesNothing) {
  RangeAllocator ranges(0);
  EXPECT_TRUE(ranges.IsEmpty());
  EXPECT_EQ(ranges.LargestFree(), 0u);
  EXPECT_EQ(ranges.Allocate(0, 1), std::nullopt);
}

TEST(RangeAllocator, RefusesWhatNoSizeHolds) {
  RangeAllocator ranges(64 * kMiB);
  EXPECT_EQ(ranges.Allocate(64 * kMiB + 1, 1), std::nullopt);
  EXPECT_EQ(ranges.Allocate(UINT64_MAX, RangeAllocator::kMaxSize), std::nullopt);
  EXPECT_EQ(ranges.Allocate(1, RangeAllocator::kMaxSize), 0u);
  EXPECT_EQ(ranges.Allocate(1, RangeAllocator::kMaxSize), std::nullopt);
}

TEST(RangeAllocator, PaddingStaysFree) {
  RangeAllocator ranges(1000);
  EXPECT_EQ(ranges.Allocate(1, 1), 0u);
  EXPECT_EQ(ranges.Allocate(500, 256), 256u);
  EXPECT_EQ(ranges.UsedBytes(), 501u);
  EXPECT_EQ(ranges.Allocate(255, 1), 1u);
}

TEST(RangeAllocator, ALengthOfZeroIsARangeOfItsOwn) {
  RangeAllocator ranges(2);
  const auto first = ranges.Allocate(0, 1);
  const auto second = ranges.Allocate(0, 1);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
}

TEST(RangeAllocator, FreesOnlyWhatIsUsed) {
  RangeAllocator ranges(100);
  ASSERT_EQ(ranges.Allocate(10, 1), 0u);
  EXPECT_FALSE(ranges.Free(1));
  EXPECT_FALSE(ranges.Free(10));
  EXPECT_TRUE(ranges.Free(0));
  EXPECT_FALSE(ranges.Free(0));
}

// A freed range is found again by an allocation of its length, although it is no longer than its class begins.
TEST(RangeAllocator, AFreedRangeIsTakenByTheNextOfItsLength) {
  RangeAllocator ranges(kMiB);
  const auto first = ranges.Allocate(1057, 1);
  ASSERT_TRUE(first && ranges.Allocate(1, 1));
  ASSERT_TRUE(ranges.Free(*first));
  EXPECT_EQ(ranges.Allocate(1057, 1), first);
}

/// What is used, and what lies between.
class Model {
 public:
  explicit Model(uint64_t size) : size_(size) {}

  void Add(uint64_t offset, uint64_t length) {
    const auto next = used_.lower_bound(offset);
    ASSERT_LE(length, size_ - offset);
    if (next != used_.end()) {
      ASSERT_LE(offset + length, next->first) << "overlaps the next";
    }
    if (next != used_.begin()) {
      ASSERT_LE(std::prev(next)->first + std::prev(next)->second, offset) << "overlaps the one before";
    }
    used_.emplace(offset, length);
  }
  uint64_t RemoveAny(std::mt19937& random) {
    const auto found = std::next(used_.begin(), static_cast<ptrdiff_t>(random() % used_.size()));
    const uint64_t offset = found->first;
    used_.erase(found);
    return offset;
  }
  uint64_t LargestFree() const {
    uint64_t begin = 0, largest = 0;
    for (const auto& [offset, length] : used_) {
      largest = std::max(largest, offset - begin);
      begin = offset + length;
    }
    return std::max(largest, size_ - begin);
  }
  uint64_t UsedBytes() const {
    uint64_t bytes = 0;
    for (const auto& [offset, length] : used_) bytes += length;
    return bytes;
  }
  const std::map<uint64_t, uint64_t>& used() const { return used_; }

 private:
  const uint64_t size_;
  std::map<uint64_t, uint64_t> used_;
};

// The shortest length at which a class begins that holds `length`.
uint64_t RoundedToClass(uint64_t length) {
  const auto bits = std::bit_width(length);
  const uint64_t step = bits <= 6 ? 1 : uint64_t{1} << (bits - 6);
  return (length + step - 1) / step * step;
}

class Walk {
 public:
  Walk(uint64_t size, unsigned seed) : size_(size), ranges_(size), model_(size), random_(seed) {}

  void Run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
      const bool shrinks = step / 1000 % 2 == 1;  // so that it is nearly full and nearly empty by turns
      if (!model_.used().empty() && random_() % 8 < (shrinks ? 5 : 3)) {
        ASSERT_TRUE(ranges_.Free(model_.RemoveAny(random_)));
      } else {
        Allocate();
      }
      if (step % 64 == 0) Compare();
    }
    while (!model_.used().empty()) ASSERT_TRUE(ranges_.Free(model_.RemoveAny(random_)));
    EXPECT_TRUE(ranges_.IsEmpty());
    EXPECT_EQ(ranges_.LargestFree(), size_) << "free ranges side by side are one";
  }

 private:
  void Allocate() {
    const uint64_t length = 1 + (random_() & ((uint64_t{1} << random_() % 17) - 1));
    const uint64_t alignment = uint64_t{1} << random_() % 13;
    const auto offset = ranges_.Allocate(length, alignment);
    if (offset) {
      ASSERT_EQ(*offset % alignment, 0u);
      model_.Add(*offset, length);
    } else {
      ASSERT_LT(model_.LargestFree(), RoundedToClass(length + alignment - 1)) << length << " at " << alignment;
    }
  }
  void Compare() {
    ASSERT_EQ(ranges_.UsedBytes(), model_.UsedBytes());
    ASSERT_EQ(ranges_.LargestFree(), model_.LargestFree());
  }

  const uint64_t size_;
  RangeAllocator ranges_;
  Model model_;
  std::mt19937 random_;
};

TEST(RangeAllocator, KeepsItsPromisesOnARandomWalk) {
  Walk(kMiB, 1).Run(100'000);
  Walk(kMiB - 4097, 2).Run(20'000);
}

}  // namespace
}  // namespace halyard
