// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/transient_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>

#include "platform/environment.h"
#include "platform/folder.h"

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

}  // namespace

Status TransientFile::Create(std::span<const std::byte> bytes) {
  Failure failure(CreateInMemory(bytes));
  // Without memory or descriptors a folder does not help.
  if (!failure || failure.code() == HAL_STATUS_RESOURCE_EXHAUSTED) return failure.Take();
  HostString reasons(failure.message());
  bool exhausted = false;
  HostVector<const char*> folders;
  if (const char* const chosen = EnvironmentVariable("TMPDIR")) folders.push_back(chosen);
  folders.insert(folders.end(), TemporaryFolders().begin(), TemporaryFolders().end());
  for (const char* const folder : folders) {
    Discard();
    failure = Failure(CreateInFolder(folder, bytes));
    if (!failure) return kOk;
    exhausted = exhausted || failure.code() == HAL_STATUS_RESOURCE_EXHAUSTED;
    reasons.append("; ").append(failure.message());
  }
  return FailWith(exhausted ? HAL_STATUS_RESOURCE_EXHAUSTED : HAL_STATUS_UNAVAILABLE, reasons);
}

Status TransientFile::CreateInMemory(std::span<const std::byte> bytes) {
  const int error = CreateMemoryFile(&file_);
  if (error == ENOSYS) return FailWith(HAL_STATUS_UNAVAILABLE, "this system has no files in memory");
  if (error != 0) return FailToMake("memory", error);
  HAL_TRY(Write(bytes));
  std::array<char, 128> room;
  path_ = SpellMemoryFile(file_, NextNumber(), room);
  const int unread = CheckMayRead(path_.c_str());
  return unread == 0 ? kOk : FailToMake("memory, which /proc leads to", unread);
}

Status TransientFile::CreateInFolder(const char* parent, std::span<const std::byte> bytes) {
  if (!MayHoldCode(parent)) return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is mounted noexec", parent);
  HostString folder = HostString(parent).append("/halyard-XXXXXX");
  if (const int error = MakeNewFolder(folder.data()); error != 0) return FailToMake(parent, error);
  folder_ = std::move(folder);
  path_ = folder_ + "/image-" + Decimal(NextNumber()) + ".so";
  if (const int error = file_.Create(-1, path_.c_str(), 0600); error != 0) return FailToMake(parent, error);
  HAL_TRY(Write(bytes));
  return file_.Close() ? kOk : FailToMake(parent, EIO);
}

Status TransientFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    size_t written = 0;
    int error = file_.Write(bytes, &written);
    if (error == 0 && written == 0) error = ENOSPC;
    if (error != 0) return FailToMake(folder_.empty() ? "memory" : folder_.c_str(), error);
    bytes = bytes.subspan(written);
  }
  return kOk;
}

void TransientFile::Discard() noexcept {
  file_.Close();
  if (folder_.empty()) return;
  Remove(-1, path_.c_str());
  RemoveFolder(folder_.c_str());
  folder_.clear();
}

}  // namespace halyard
