// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of the shared objects in images/.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_TEST_IMAGE_H_
#define HALYARD_TESTS_UNIT_SUPPORT_TEST_IMAGE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace halyard::testing {

/// Where the build has put it.
inline constexpr const char* kImagePath = HALYARD_TEST_IMAGE;

using ImageBytes = std::vector<std::byte>;

inline ImageBytes ReadImage(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(text.empty()) << path;
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The one of images/answer.c.
inline ImageBytes ReadTestImage() { return ReadImage(kImagePath); }

/// Changes what the image's Answer() returns.
inline void SetAnswer(ImageBytes* image, unsigned answer) {
  const unsigned placeholder = 0x5AFEC0DEu;
  const auto pattern = std::as_bytes(std::span(&placeholder, 1));
  const auto found = std::search(image->begin(), image->end(), pattern.begin(), pattern.end());
  ASSERT_NE(found, image->end());
  std::memcpy(&*found, &answer, sizeof(answer));
}

/// Writes a value over the bytes at `offset`.
template <class T>
void Patch(ImageBytes* image, size_t offset, T value) {
  ASSERT_LE(offset + sizeof(value), image->size());
  std::memcpy(image->data() + offset, &value, sizeof(value));
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_TEST_IMAGE_H_
