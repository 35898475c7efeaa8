// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once warm, a RangeAllocator allocates nothing.
#include "base/range_allocator.h"

#include <gtest/gtest.h>

#include <array>

#include "allocations/counting_allocator.h"

namespace halyard::allocations {
namespace {

TEST(RangeAllocatorAllocations, NoneOnceWarm) {
  if (!CountsMalloc()) GTEST_SKIP() << "malloc() is not counted in this build";
  RangeAllocator ranges(1 << 20);
  std::array<uint64_t, 500> offsets = {};
  const auto use = [&](uint64_t length) {
    for (uint64_t& offset : offsets) offset = *ranges.Allocate(length, 64);
    for (size_t i = 0; i < offsets.size(); i += 2) ranges.Free(offsets[i]);
    for (size_t i = 1; i < offsets.size(); i += 2) ranges.Free(offsets[i]);
  };
  const uint64_t before_all = Mallocs();
  use(100);
  const uint64_t before = Mallocs();
  EXPECT_GT(before, before_all) << "its nodes are counted";
  for (uint64_t length = 1; length <= 100; ++length) use(length);
  EXPECT_EQ(Mallocs(), before);
}

}  // namespace
}  // namespace halyard::allocations
