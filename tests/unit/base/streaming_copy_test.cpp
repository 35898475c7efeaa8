// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/streaming_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace halyard {
namespace {

constexpr size_t kMost = 300;   // bytes of a copy
constexpr size_t kBeside = 80;  // bytes before and behind it
constexpr uint8_t kUntouched = 0xee;

std::vector<uint8_t> Source() {
  std::vector<uint8_t> bytes(kMost + 2 * kBeside);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

TEST(StreamingCopyTest, WritesEveryRangeAndNothingBeside) {
  const std::vector<uint8_t> source = Source();
  for (size_t to = 0; to < 70; to += 3) {
    for (size_t from = 0; from < 70; from += 5) {
      for (size_t count = 0; count <= kMost; count += count < 70 ? 1 : 23) {
        std::vector<uint8_t> expected(source.size(), kUntouched);
        std::copy_n(source.begin() + static_cast<ptrdiff_t>(from), count,
                    expected.begin() + static_cast<ptrdiff_t>(to));
        std::vector<uint8_t> target(source.size(), kUntouched);
        StreamingCopy(target.data() + to, source.data() + from, count);
        ASSERT_EQ(target, expected) << count << " bytes from " << from << " to " << to;
      }
    }
  }
}

}  // namespace
}  // namespace halyard
