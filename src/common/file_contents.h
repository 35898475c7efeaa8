// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files read whole.
#ifndef HALYARD_COMMON_FILE_CONTENTS_H_
#define HALYARD_COMMON_FILE_CONTENTS_H_

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>

#include "common/host_memory.h"
#include "common/status.h"

namespace halyard {

/// The bytes of a file.
class FileContents {
 public:
  /// NOT_FOUND, PERMISSION_DENIED or DATA_LOSS, with the path and the system's words.
  Status Read(const char* path) {
    std::FILE* const file = std::fopen(path, "rb");
    if (!file) {
      const hal_status_t status = errno == EACCES ? HAL_STATUS_PERMISSION_DENIED : HAL_STATUS_NOT_FOUND;
      return Fail(status, "cannot open '%s': %s", path, std::strerror(errno));
    }
    const bool complete = Append(file);
    const int error = errno;
    std::fclose(file);
    if (complete) return kOk;
    return Fail(HAL_STATUS_DATA_LOSS, "cannot read '%s': %s", path, std::strerror(error));
  }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  bool Append(std::FILE* file) {
    constexpr size_t kStep = size_t{256} << 10;
    size_t size = 0;
    while (true) {
      bytes_.resize(size + kStep);
      const size_t read = std::fread(bytes_.data() + size, 1, kStep, file);
      size += read;
      if (read < kStep) break;
    }
    bytes_.resize(size);
    return std::ferror(file) == 0;
  }

  HostVector<std::byte> bytes_;
};

}  // namespace halyard

#endif  // HALYARD_COMMON_FILE_CONTENTS_H_
