// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short form of inputs of the container's fuzzer: metadata without its size, its hash and the images.
#ifndef HALYARD_TESTS_FUZZ_CONTAINER_FUZZER_FILE_H_
#define HALYARD_TESTS_FUZZ_CONTAINER_FUZZER_FILE_H_

#include <cstring>
#include <span>

#include "image/halx/file_layout.h"

namespace halyard {

/// Bytes of every file that is made around metadata: room for images at 4096 and 8192.
inline constexpr size_t kFuzzerFileSize = 2 * kImageAlignment + 64;

/// Puts what a file has around metadata: size, padding to a multiple of 8, a right hash, and zeros for images.
inline HostVector<std::byte> MakeFileAround(std::span<const std::byte> metadata) {
  metadata = metadata.first(std::min<size_t>(metadata.size(), kImageAlignment - 64));
  HostVector<std::byte> file(kSizePrefixSize);
  file.insert(file.end(), metadata.begin(), metadata.end());
  while (file.size() % kMetadataAlignment != 0) file.push_back({});
  const auto size = static_cast<uint32_t>(file.size() - kSizePrefixSize);
  std::memcpy(file.data(), &size, sizeof(size));
  AppendMetadataHash(&file);
  file.resize(kFuzzerFileSize);
  return file;
}

}  // namespace halyard

#endif  // HALYARD_TESTS_FUZZ_CONTAINER_FUZZER_FILE_H_
