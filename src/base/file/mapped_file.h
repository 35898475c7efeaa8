// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files mapped into memory.
#ifndef HALYARD_BASE_FILE_MAPPED_FILE_H_
#define HALYARD_BASE_FILE_MAPPED_FILE_H_

#include <cstddef>
#include <span>
#include <utility>

#include "base/status.h"

namespace halyard {

/// A file as read-only memory, page-aligned. Move-only; unmaps on destruction.
///
/// The memory is the file: a program that replaces the file must do it by rename, since shortening it in place makes
/// reading the lost part a bus error.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  /// NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a directory or device) or DATA_LOSS (empty), with the path.
  Status Open(const char* path);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_MAPPED_FILE_H_
