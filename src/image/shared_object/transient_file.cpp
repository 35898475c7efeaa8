// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/transient_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "base/environment.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace halyard {
namespace {

// The loader takes a path that it has seen before for the library that it loaded then.
uint32_t NextNumber() {
  static std::atomic<uint32_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

HostString Decimal(uint32_t number) {
  std::array<char, 12> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

Status FailToMake(const char* where, int error) {
  return FailWithErrno(error, HostString("no file for a shared object image in ").append(where));
}

/// Where code may be loaded from. Folders of temporary files are often mounted such that it may not.
bool LetsRun(const char* folder) {
#if defined(ST_NOEXEC)
  struct statvfs info = {};
  return statvfs(folder, &info) != 0 || (info.f_flag & ST_NOEXEC) == 0;
#else
  static_cast<void>(folder);
  return true;
#endif
}

}  // namespace

Status TransientFile::Create(std::span<const std::byte> bytes) {
  ScopedErrorMessage keeper;  // one place may lack what the next one has
  const Status status = CreateSomewhere(bytes);
  if (status != kOk) keeper.Dismiss();
  return status;
}

Status TransientFile::CreateSomewhere(std::span<const std::byte> bytes) {
  Status status = CreateInMemory(bytes);
  // Without memory or descriptors a folder does not help.
  if (status == kOk || status == HAL_STATUS_RESOURCE_EXHAUSTED) return status;
  HostString reasons(LastErrorMessage());
  bool exhausted = false;
  const char* const chosen = EnvironmentVariable("TMPDIR");
  for (const char* const folder : {chosen, "/tmp", "/dev/shm", "/var/tmp"}) {
    if (!folder) continue;
    Discard();
    status = CreateInFolder(folder, bytes);
    if (status == kOk) return kOk;
    exhausted = exhausted || status == HAL_STATUS_RESOURCE_EXHAUSTED;
    reasons.append("; ").append(LastErrorMessage());
  }
  return FailWith(exhausted ? HAL_STATUS_RESOURCE_EXHAUSTED : HAL_STATUS_UNAVAILABLE, reasons);
}

Status TransientFile::CreateInMemory(std::span<const std::byte> bytes) {
#if defined(__linux__)
  file_ = FileDescriptor(memfd_create("halyard-image", MFD_CLOEXEC));
  if (!file_) return FailToMake("memory", errno);
  HAL_TRY(Write(bytes));
  // Descriptor numbers are used again. So each image gets a spelling of its own: a number, in "//" and "/." for its
  // bits.
  path_ = "/proc/self/fd";
  for (uint32_t bits = NextNumber(), i = 0; i < 32; ++i, bits >>= 1) path_.append((bits & 1) ? "/." : "//");
  path_.append("/").append(Decimal(static_cast<uint32_t>(file_.get())));
  if (access(path_.c_str(), R_OK) == 0) return kOk;
  return FailToMake("memory, which /proc leads to", errno);
#else
  static_cast<void>(bytes);
  return FailWith(HAL_STATUS_UNAVAILABLE, "this system has no files in memory");
#endif
}

Status TransientFile::CreateInFolder(const char* parent, std::span<const std::byte> bytes) {
  if (!LetsRun(parent)) return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is mounted noexec", parent);
  HostString folder = HostString(parent).append("/halyard-XXXXXX");
  if (!mkdtemp(folder.data())) return FailToMake(parent, errno);  // for this user alone
  folder_ = std::move(folder);
  path_ = folder_ + "/image-" + Decimal(NextNumber()) + ".so";
  file_ = FileDescriptor(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) return FailToMake(parent, errno);
  HAL_TRY(Write(bytes));
  return file_.Close() ? kOk : FailToMake(parent, EIO);
}

Status TransientFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FailToMake(folder_.empty() ? "memory" : folder_.c_str(), written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return kOk;
}

void TransientFile::Discard() noexcept {
  file_.Close();
  if (folder_.empty()) return;
  unlink(path_.c_str());
  rmdir(folder_.c_str());
  folder_.clear();
}

}  // namespace halyard
