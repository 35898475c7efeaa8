// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/file/host_bytes.h"

#include <cstring>
#include <memory>
#include <mutex>

#include "base/host_memory.h"
#include "base/process_wide.h"
#include "base/streaming_copy.h"
#include "driver_kit/object/live_objects.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {
namespace {

/// A download of so many bytes leaves nothing in the caches that its reader would find there.
constexpr uint64_t kBeyondCaches = uint64_t{16} << 20;

/// The operation stays within its length, which the core has checked.
class HostBytes final : public hal_file_t, public HostObject {
 public:
  HostBytes() : hal_file_t{} {}

  void Begin(void* memory, uint64_t bytes, Ref<hal_buffer_t> mapped);
  void End() noexcept {
    if (mapped_) FromC(VtableOf(mapped_.get())->unmap(mapped_.get())).Ignore();
    mapped_ = {};
  }
  Status Read(uint64_t offset, void* target, uint64_t count) {
    std::memcpy(target, data_ + offset, static_cast<size_t>(count));
    return kOk;
  }
  Status Write(uint64_t offset, const void* source, uint64_t count) {
    const auto bytes = static_cast<size_t>(count);
    if (length < kBeyondCaches) {
      std::memcpy(data_ + offset, source, bytes);
    } else {
      StreamingCopy(data_ + offset, source, bytes);
    }
    return kOk;
  }

 private:
  char* data_ = nullptr;
  Ref<hal_buffer_t> mapped_;
};

/// Files that no operation uses.
class IdleHostBytes : public HostObject {
 public:
  IdleHostBytes() { idle_.reserve(kMost); }

  std::unique_ptr<HostBytes> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<HostBytes> last = std::move(idle_.back());
        idle_.pop_back();
        return last;
      }
    }
    return std::make_unique<HostBytes>();
  }
  // What there is no room for is destroyed after the lock.
  void Put(std::unique_ptr<HostBytes> file) noexcept {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMost) idle_.push_back(std::move(file));
  }

 private:
  static constexpr size_t kMost = 256;

  std::mutex mutex_;  // protects idle_; a leaf
  HostVector<std::unique_ptr<HostBytes>> idle_;
};

// TakeHostBytes() has made the list, unless fork() or hal_shutdown() came in between.
void PutBack(hal_object_t* object) noexcept {
  std::unique_ptr<HostBytes> file(static_cast<HostBytes*>(reinterpret_cast<hal_file_t*>(object)));
  file->End();
  if (auto* const idle = ProcessWide<IdleHostBytes>::Find()) idle->Put(std::move(file));
}

constexpr hal_file_vtable_t kHostBytesTable = {sizeof(hal_file_vtable_t), PutBack,
                                               Entry<&HostBytes::Read>::Of<hal_file_t>,
                                               Entry<&HostBytes::Write>::Of<hal_file_t>};

void HostBytes::Begin(void* memory, uint64_t bytes, Ref<hal_buffer_t> mapped) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_FILE, &kHostBytesTable);
  access = HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE;
  length = bytes;
  data_ = static_cast<char*>(memory);
  mapped_ = std::move(mapped);
  LiveObjects::Made(HAL_OBJECT_KIND_FILE);  // its end counts, as that of every file
}

}  // namespace

Ref<hal_file_t> TakeHostBytes(void* data, uint64_t length, Ref<hal_buffer_t> mapped) {
  std::unique_ptr<HostBytes> file = ProcessWide<IdleHostBytes>::Get().Take();
  file->Begin(data, length, std::move(mapped));
  return Ref<hal_file_t>::Adopting(file.release());
}

}  // namespace halyard
