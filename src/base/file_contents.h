// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files read whole.
#ifndef HALYARD_BASE_FILE_CONTENTS_H_
#define HALYARD_BASE_FILE_CONTENTS_H_

#include <cstddef>
#include <span>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

/// The bytes of a file.
class FileContents {
 public:
  /// NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (no regular file) or DATA_LOSS, with the path and the system's
  /// words.
  Status Read(const char* path);

  std::span<const std::byte> bytes() const { return bytes_; }
  HostVector<std::byte> Take() { return std::move(bytes_); }

 private:
  Status ReadAll(int descriptor, const char* path);

  HostVector<std::byte> bytes_;
};

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_CONTENTS_H_
