// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "support/failure.h"
#include "support/text.h"
#include "support/unique_descriptor.h"

namespace halyard::tools {
namespace {

// Pipes and devices do not tell their size; they are read in pieces.
constexpr size_t kPiece = size_t{1} << 16;

[[noreturn]] void FailToRead(const std::string& path) {
  Fail(ExitCode::kInput, "cannot read '", path, "': ", std::strerror(errno));
}

UniqueDescriptor Open(const std::string& path) {
  UniqueDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) FailToRead(path);
  return file;
}

// The number of bytes that the file says it has, or one piece if it cannot tell.
size_t ExpectedSize(const UniqueDescriptor& file, const std::string& path) {
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) FailToRead(path);
  if (S_ISDIR(info.st_mode)) Fail(ExitCode::kInput, "cannot read '", path, "': it is a folder");
  return info.st_size > 0 ? static_cast<size_t>(info.st_size) : kPiece;
}

// Reads until `buffer` is full or the file ends.
size_t ReadSome(const UniqueDescriptor& file, const std::string& path, std::byte* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = read(file.get(), buffer + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) FailToRead(path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

std::vector<std::byte> ReadAtMost(const std::string& path, size_t most) {
  const UniqueDescriptor file = Open(path);
  std::vector<std::byte> bytes;
  size_t done = 0;
  // One byte more than expected, so that the first round already sees the end.
  for (size_t next = ExpectedSize(file, path) + 1;; next = std::max(kPiece, done)) {
    if (done > most || next - 1 > most - done) {
      Fail(ExitCode::kInput, "cannot read '", path, "': it has more than ", BytesText(most));
    }
    bytes.resize(done + next);
    const size_t got = ReadSome(file, path, bytes.data() + done, next);
    done += got;
    if (got == next) continue;
    bytes.resize(done);
    return bytes;
  }
}

}  // namespace

std::vector<std::byte> ReadFile(const std::string& path) {
  return ReadAtMost(path, static_cast<size_t>(std::numeric_limits<int64_t>::max()));
}

std::string ReadTextFile(const std::string& path, size_t most) {
  const std::vector<std::byte> bytes = ReadAtMost(path, most);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace halyard::tools
