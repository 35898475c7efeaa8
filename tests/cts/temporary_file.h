// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file on disk that lives as long as a test needs it.
#ifndef HALYARD_TESTS_CTS_TEMPORARY_FILE_H_
#define HALYARD_TESTS_CTS_TEMPORARY_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace halyard::cts {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<uint8_t>& contents = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  /// Open for reading and writing.
  int descriptor() const { return descriptor_; }

  std::vector<uint8_t> Read() const;
  /// Replaces the contents; the file stays the same one.
  void Write(const std::vector<uint8_t>& contents) const;
  /// Cuts the file, or extends it with zeros.
  void Resize(uint64_t length) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_TEMPORARY_FILE_H_
