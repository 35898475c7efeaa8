// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/temporary_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace halyard {
namespace {

/// Throws, with the system's message, unless `good`.
void Require(bool good, const std::string& what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

/// For mkdtemp() and mkstemp().
std::string NameToFill() { return (std::filesystem::temp_directory_path() / "halyard-test-XXXXXX").string(); }

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = NameToFill();
  Require(mkdtemp(name.data()) != nullptr, name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(std::string_view name, std::string_view text) const {
  std::string path = *this / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::vector<std::string> TemporaryFolder::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Require(file.is_open(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TemporaryFile::TemporaryFile(const std::vector<uint8_t>& contents) : path_(NameToFill()) {
  descriptor_ = mkstemp(path_.data());
  Require(descriptor_ >= 0, path_);
  Write(contents);
}

TemporaryFile::~TemporaryFile() {
  close(descriptor_);
  unlink(path_.c_str());
}

std::vector<uint8_t> TemporaryFile::Read() const {
  struct stat state = {};
  Require(fstat(descriptor_, &state) == 0, path_);
  std::vector<uint8_t> contents(static_cast<size_t>(state.st_size));
  Require(pread(descriptor_, contents.data(), contents.size(), 0) == state.st_size, path_);
  return contents;
}

void TemporaryFile::Write(const std::vector<uint8_t>& contents) const {
  Resize(0);
  const ssize_t written = pwrite(descriptor_, contents.data(), contents.size(), 0);
  Require(written == static_cast<ssize_t>(contents.size()), path_);
}

void TemporaryFile::Resize(uint64_t length) const {
  Require(ftruncate(descriptor_, static_cast<off_t>(length)) == 0, path_);
}

}  // namespace halyard
