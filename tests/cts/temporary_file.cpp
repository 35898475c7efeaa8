// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/temporary_file.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace halyard::cts {
namespace {

/// Throws, with the system's words, unless `good`.
void Require(bool good, const std::string& what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

TemporaryFile::TemporaryFile(const std::vector<uint8_t>& contents)
    : path_((std::filesystem::temp_directory_path() / "halyard-cts-XXXXXX").string()) {
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

}  // namespace halyard::cts
