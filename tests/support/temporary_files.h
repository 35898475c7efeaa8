// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders and files that go away with the test. What fails throws std::system_error, which fails the test.
#ifndef HALYARD_TESTS_SUPPORT_TEMPORARY_FILES_H_
#define HALYARD_TESTS_SUPPORT_TEMPORARY_FILES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halyard {

/// An empty folder.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The path of a file in it.
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view text) const;
  /// The names of all that is in it, sorted.
  std::vector<std::string> Names() const;

 private:
  std::filesystem::path path_;
};

/// The contents of a file.
std::string ReadText(const std::string& path);

/// A file with a name, open for reading and writing.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<uint8_t>& contents = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
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

}  // namespace halyard

#endif  // HALYARD_TESTS_SUPPORT_TEMPORARY_FILES_H_
