// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contents of buffers: making them, and saying where they differ.
#ifndef HALYARD_TESTS_CTS_ELEMENTS_H_
#define HALYARD_TESTS_CTS_ELEMENTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halyard::cts {

/// first, first + 1, first + 2 …
inline std::vector<uint32_t> Counting(size_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<uint32_t>(i);
  return values;
}

/// Bytes among which neighbours differ, and so do those 2, 4, 8, 16, 256 … apart; another `seed`, other bytes.
inline std::vector<uint8_t> MixedBytes(size_t count, uint32_t seed = 1) {
  std::vector<uint8_t> bytes(count);
  uint32_t state = seed * 2654435761u + 1;
  for (uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

/// Succeeds if both hold the same; otherwise names the first place where they differ.
template <class T>
testing::AssertionResult SameElements(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual == expected) return testing::AssertionSuccess();
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure() << actual.size() << " elements, expected " << expected.size();
  }
  const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected.begin());
  return testing::AssertionFailure() << "element " << (a - actual.begin()) << " of " << actual.size() << " is " << +*a
                                     << ", expected " << +*e;
}

/// The bytes from `offset` on.
inline std::vector<uint8_t> Slice(const std::vector<uint8_t>& bytes, uint64_t offset, uint64_t length) {
  const auto begin = bytes.begin() + static_cast<ptrdiff_t>(offset);
  return {begin, begin + static_cast<ptrdiff_t>(length)};
}

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_ELEMENTS_H_
