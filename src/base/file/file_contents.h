// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files read whole.
#ifndef HALYARD_BASE_FILE_FILE_CONTENTS_H_
#define HALYARD_BASE_FILE_FILE_CONTENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/file/special_files.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "platform/file_descriptor.h"

namespace halyard {

/// Reads a file from its beginning to its end. Messages name the path and what the system says.
class FileReader {
 public:
  Status Open(const char* path, SpecialFiles special);
  /// Reads a file that is open; `path` is for messages.
  Status Take(FileDescriptor file, const char* path, SpecialFiles special);
  /// Reads into `room` as much as is there; 0 bytes at the end of the file.
  Status Read(std::span<std::byte> room, size_t* out_size);
  Status FailTooLong(uint64_t most) const;
  /// Bytes; 0 if the system cannot tell.
  size_t expected_size() const { return expected_size_; }

 private:
  HostString path_;
  FileDescriptor file_;
  size_t expected_size_ = 0;
};

/// Reads the rest of an open file into a vector of bytes. OUT_OF_RANGE (more than `most` bytes) or DATA_LOSS.
template <class Vector>
Status ReadAll(FileReader& reader, Vector* out, uint64_t most = INT64_MAX) {
  constexpr size_t kPiece = size_t{1} << 16;
  if (reader.expected_size() > most) return reader.FailTooLong(most);
  // One byte more than expected, so that there is room to see the end.
  out->resize(reader.expected_size() + 1);
  size_t size = 0;
  size_t count = 0;
  do {
    if (size == out->size()) out->resize(size + std::max(kPiece, size));
    HAL_TRY(reader.Read(std::span(*out).subspan(size), &count));
    size += count;
    if (size > most) return reader.FailTooLong(most);
  } while (count > 0);
  out->resize(size);
  return kOk;
}

/// Reads a whole file into a vector of bytes. NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (no regular file),
/// OUT_OF_RANGE (more than `most` bytes) or DATA_LOSS.
template <class Vector>
Status ReadFile(const char* path, Vector* out, SpecialFiles special = SpecialFiles::kRefuse,
                uint64_t most = INT64_MAX) {
  FileReader reader;
  HAL_TRY(reader.Open(path, special));
  return ReadAll(reader, out, most);
}

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_FILE_CONTENTS_H_
