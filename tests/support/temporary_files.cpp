// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/temporary_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

namespace halyard {
namespace {

/// Throws, with the system's message, unless `good`.
void Require(bool good, const std::string& what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

/// A name that nothing has yet, most probably.
std::filesystem::path NewName() {
  std::random_device random;
  return std::filesystem::temp_directory_path() /
         ("halyard-test-" + std::to_string(random()) + std::to_string(random()));
}

#if defined(_WIN32)  // where descriptors have a position alone, and end lines on their own unless told otherwise
constexpr int kPlain = O_BINARY;
int64_t ReadFromBegin(int descriptor, void* room, size_t size) {
  return lseek(descriptor, 0, SEEK_SET) == 0 ? read(descriptor, room, static_cast<unsigned>(size)) : -1;
}
int64_t WriteFromBegin(int descriptor, const void* bytes, size_t size) {
  return lseek(descriptor, 0, SEEK_SET) == 0 ? write(descriptor, bytes, static_cast<unsigned>(size)) : -1;
}
#else
constexpr int kPlain = 0;
int64_t ReadFromBegin(int descriptor, void* room, size_t size) { return pread(descriptor, room, size, 0); }
int64_t WriteFromBegin(int descriptor, const void* bytes, size_t size) { return pwrite(descriptor, bytes, size, 0); }
#endif

}  // namespace

TemporaryFolder::TemporaryFolder() {
  do path_ = NewName();
  while (!std::filesystem::create_directory(path_));
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
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

TemporaryFile::TemporaryFile(const std::vector<uint8_t>& contents) : path_(NewName().string()) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | kPlain, 0600);
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
  Require(ReadFromBegin(descriptor_, contents.data(), contents.size()) == static_cast<int64_t>(contents.size()), path_);
  return contents;
}

void TemporaryFile::Write(const std::vector<uint8_t>& contents) const {
  Resize(0);
  const int64_t written = WriteFromBegin(descriptor_, contents.data(), contents.size());
  Require(written == static_cast<int64_t>(contents.size()), path_);
}

void TemporaryFile::Resize(uint64_t length) const {
  Require(ftruncate(descriptor_, static_cast<off_t>(length)) == 0, path_);
}

}  // namespace halyard
