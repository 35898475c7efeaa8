// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/file/memory_file.h"

#include <cinttypes>
#include <cstring>
#include <memory>

#include "core/application_calls.h"
#include "core/validation/checks.h"
#include "driver_kit/object/live_objects.h"

namespace halyard {
namespace {

class MemoryFile final : public hal_file_t, public HostObject {
 public:
  /// Takes `release` over, which may be NULL.
  MemoryFile(void* data, uint64_t bytes, hal_file_access_t file_access, ReleaseCall* release);
  ~MemoryFile() {
    if (release_) ReleaseCall::OnRelease(release_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  Status Read(uint64_t offset, void* data, uint64_t count);
  Status Write(uint64_t offset, const void* data, uint64_t count);

 private:
  Status CheckRange(uint64_t offset, uint64_t count) const;

  char* data_;
  ReleaseCall* const release_;
};

constexpr hal_file_vtable_t kMemoryFileTable = {sizeof(hal_file_vtable_t), DestroyEntry<MemoryFile, hal_file_t>,
                                                Entry<&MemoryFile::Read>::Of<hal_file_t>,
                                                Entry<&MemoryFile::Write>::Of<hal_file_t>};

MemoryFile::MemoryFile(void* data, uint64_t bytes, hal_file_access_t file_access, ReleaseCall* release)
    : hal_file_t{}, data_(static_cast<char*>(data)), release_(release) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_FILE, &kMemoryFileTable);
  LiveObjects::Made(HAL_OBJECT_KIND_FILE);
  access = file_access;
  length = bytes;
}

Status MemoryFile::Read(uint64_t offset, void* data, uint64_t count) {
  HAL_TRY(CheckRange(offset, count));
  if (count > 0) std::memcpy(data, data_ + offset, static_cast<size_t>(count));
  return kOk;
}

Status MemoryFile::Write(uint64_t offset, const void* data, uint64_t count) {
  HAL_TRY(CheckRange(offset, count));
  if (count > 0) std::memcpy(data_ + offset, data, static_cast<size_t>(count));
  return kOk;
}

/// The core has checked it when the operation was submitted; here it costs nothing and guards the memory.
Status MemoryFile::CheckRange(uint64_t offset, uint64_t count) const {
  if (offset <= length && count <= length - offset) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "%" PRIu64 " bytes at offset %" PRIu64 " of a file of %" PRIu64 " bytes", count,
              offset, length);
}

}  // namespace

hal_file_t* MakeMemoryFile(void* data, uint64_t length, hal_file_access_t access, hal_file_release_fn_t release,
                           void* user_data) {
  auto call = release ? std::make_unique<ReleaseCall>(release, user_data) : nullptr;
  auto* const file = new MemoryFile(data, length, access, call.get());
  static_cast<void>(call.release());
  return file;
}

}  // namespace halyard
