// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/file/output_path.h"
#include "platform/folder.h"
#include "platform/process.h"

namespace halyard {
namespace {

Status FailToWrite(const HostString& path, int error) {
  return FailWithErrno(error, HostString("cannot write '") + path + "'");
}

/// A name beside `path` that no other thread or process takes.
HostString TemporaryName(const HostString& path) {
  static std::atomic<unsigned> counter{0};
  char suffix[48];
  std::snprintf(suffix, sizeof(suffix), ".%llu-%u.tmp", static_cast<unsigned long long>(ProcessId()),
                counter.fetch_add(1, std::memory_order_relaxed));
  return path + suffix;
}

}  // namespace

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(permissions_, other.permissions_);
  path_.swap(other.path_);
  temporary_.swap(other.temporary_);
  std::swap(file_, other.file_);
  std::swap(lock_, other.lock_);
  return *this;
}

AtomicFile::~AtomicFile() { Discard(); }

void AtomicFile::Discard() noexcept {
  file_.Close();
  if (!temporary_.empty()) Remove(folder_, temporary_.c_str());
  temporary_.clear();
  lock_.Close();
}

int AtomicFile::OpenTemporary() {
  constexpr int kTries = 100;  // a process that was killed may have left one of that name
  for (int i = 0; i < kTries; ++i) {
    HostString name = TemporaryName(path_);
    const int error = file_.Create(folder_, name.c_str(), permissions_);
    if (error == EEXIST) continue;
    if (error != 0) return error;
    temporary_ = std::move(name);
    return 0;
  }
  return EEXIST;
}

Status AtomicFile::Create(const char* path, SpecialFiles special) {
  Discard();
  folder_ = -1;
  permissions_ = 0666;
  if (Status status = ResolveOutputPath(path, &path_); status != kOk) return Annotate(status, "cannot write: ");
  FileFacts present;
  const bool replaces = ReadFacts(path_.c_str(), &present) == 0;
  if (replaces && !present.is_regular) {
    if (special == SpecialFiles::kUse) return OpenDirectly();
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cannot write '%s': it is there already and not a regular file", path);
  }
  if (const int error = OpenTemporary(); error != 0) return FailToWrite(path_, error);
  const int error = replaces ? file_.SetPermissions(present.permissions) : 0;
  if (error == 0) return kOk;
  Discard();
  return FailToWrite(path_, error);
}

// Between the two steps a process that takes it for abandoned may remove it.
int AtomicFile::OpenLocked() {
  while (true) {
    if (const int error = OpenTemporary(); error != 0) return error;
    if (const int error = lock_.Duplicate(file_.get()); error != 0) return error;
    lock_.Lock(true);  // where that does not work, no process removes it
    FileFacts facts;
    if (const int error = lock_.ReadFacts(&facts); error != 0) return error;
    if (facts.link_count > 0) return 0;
  }
}

Status AtomicFile::CreateIn(const FileDescriptor& folder, const char* name) {
  Discard();
  folder_ = folder.get();
  permissions_ = 0644;
  path_ = name;
  const int error = OpenLocked();
  if (error == 0) return kOk;
  Discard();
  return FailToWrite(path_, error);
}

bool AtomicFile::RemoveAbandoned(const FileDescriptor& folder, const char* name) {
  FileDescriptor file;
  return file.Open(folder.get(), name, FileUse::kRead, kOpenNoLinks) == 0 && file.Lock(false) == 0 &&
         Remove(folder.get(), name) == 0;
}

Status AtomicFile::OpenDirectly() {
  const int error = file_.Open(-1, path_.c_str(), FileUse::kWrite, kOpenWaits | kOpenNoLinks);
  return error == 0 ? kOk : FailToWrite(path_, error);
}

Status AtomicFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    size_t written = 0;
    int error = file_.Write(bytes, &written);
    if (error == 0 && written == 0) error = EIO;
    if (error != 0) return FailToWrite(path_, error);
    bytes = bytes.subspan(written);
  }
  return kOk;
}

Status AtomicFile::Commit() {
  const int error = CloseAndRename();
  if (error == 0) temporary_.clear();
  Discard();
  return error == 0 ? kOk : FailToWrite(path_, error);
}

int AtomicFile::CloseAndRename() {
  const bool direct = temporary_.empty();
  // The contents must be on the medium before the name is. Some file systems report a full disk no earlier.
  const int failure = direct ? 0 : file_.Sync();
  if (!file_.Close() && failure == 0) return errno;
  if (direct || failure != 0) return failure;
  return Rename(folder_, temporary_.c_str(), path_.c_str());
}

Status WriteFileAtomically(std::string_view path, std::string_view contents) {
  AtomicFile file;
  HAL_TRY(file.Create(HostString(path).c_str()));
  HAL_TRY(file.Write(std::as_bytes(std::span(contents))));
  return file.Commit();
}

}  // namespace halyard
