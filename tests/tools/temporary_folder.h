// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that goes away with the test, and what is done with files in it.
#ifndef HALYARD_TESTS_TOOLS_TEMPORARY_FOLDER_H_
#define HALYARD_TESTS_TOOLS_TEMPORARY_FOLDER_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of a file in it.
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view text) const;
  /// The names of all that is in it, sorted.
  std::vector<std::string> Names() const;

 private:
  std::filesystem::path path_;
};

/// The contents of a file; the test fails if it cannot be read.
std::string ReadText(const std::string& path);

}  // namespace halyard::tools

#endif  // HALYARD_TESTS_TOOLS_TEMPORARY_FOLDER_H_
