// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr int kAttempts = 100;

[[noreturn]] void FailToWrite(const std::string& path, const char* why = nullptr) {
  Fail(ExitCode::kOutput, "cannot write '", path, "': ", why ? why : std::strerror(errno));
}

// The file that a chain of links ends at, whether or not it exists.
std::string FollowLinks(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

enum class Target { kNew, kRegular, kFolder, kOther };

Target Classify(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return Target::kNew;
  if (S_ISREG(info.st_mode)) return Target::kRegular;
  return S_ISDIR(info.st_mode) ? Target::kFolder : Target::kOther;
}

// A file of our own beside `target`.
UniqueDescriptor OpenTemporary(const std::string& target, std::string* out_name) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    *out_name = Concat(target, ".tmp-", getpid(), "-", attempt);
    UniqueDescriptor file(open(out_name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file || errno != EEXIST) return file;
  }
  return {};
}

}  // namespace

void CheckWritable(const std::string& path) {
  if (path.empty()) FailToWrite(path, "its name is empty");
  const Target kind = Classify(path);
  if (kind == Target::kFolder) FailToWrite(path, "it is a folder");
  if (kind == Target::kOther) {
    if (access(path.c_str(), W_OK) != 0) FailToWrite(path);
    return;
  }
  const std::string folder = FolderOf(FollowLinks(path));
  if (Classify(folder) != Target::kFolder) FailToWrite(path, Concat("there is no folder '", folder, "'").c_str());
  if (access(folder.c_str(), W_OK | X_OK) != 0) FailToWrite(path);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(FollowLinks(path_)) {
  CheckWritable(path_);
  if (Classify(path_) == Target::kOther) {
    file_ = UniqueDescriptor(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  } else {
    file_ = OpenTemporary(target_, &temporary_);
  }
  if (!file_) {
    temporary_.clear();
    FailToWrite(path_);
  }
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailToWrite(path_);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::Commit() {
  struct stat info = {};
  const bool replaces = !temporary_.empty() && stat(target_.c_str(), &info) == 0;
  // A file that is replaced keeps its permissions; that this may be refused is no reason to lose the result.
  if (replaces && fchmod(file_.get(), info.st_mode & 07777) != 0) errno = 0;
  if (!file_.Close()) FailToWrite(path_);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) FailToWrite(path_);
  temporary_.clear();
}

void WriteFile(const std::string& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.Write(bytes);
  file.Commit();
}

}  // namespace halyard::tools
