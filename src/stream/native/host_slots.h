// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small pieces of pinned memory, through which the device passes numbers to the host.
#ifndef HALYARD_STREAM_NATIVE_HOST_SLOTS_H_
#define HALYARD_STREAM_NATIVE_HOST_SLOTS_H_

#include <mutex>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

class HostSlots;

/// Owns one slot of kSize bytes; empty by default.
class HostSlot {
 public:
  static constexpr size_t kSize = 16;  // bytes

  HostSlot() = default;
  HostSlot(HostSlots* slots, void* memory) : slots_(slots), memory_(memory) {}
  HostSlot(HostSlot&& other) noexcept : slots_(other.slots_), memory_(std::exchange(other.memory_, nullptr)) {}
  HostSlot& operator=(HostSlot&& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~HostSlot();

  explicit operator bool() const { return memory_ != nullptr; }
  void* data() { return memory_; }
  const void* data() const { return memory_; }
  NativeAddress address() const { return reinterpret_cast<uintptr_t>(memory_); }

 private:
  HostSlots* slots_ = nullptr;
  void* memory_ = nullptr;
};

/// A device's slots. Thread-safe. Must outlive them.
class HostSlots {
 public:
  explicit HostSlots(NativeApi& api) : api_(api) {}
  /// Within a NativeScope.
  ~HostSlots();
  HostSlots(const HostSlots&) = delete;
  HostSlots& operator=(const HostSlots&) = delete;

  /// Within a NativeScope.
  Status Acquire(HostSlot* out_slot);

 private:
  friend class HostSlot;
  void Release(void* memory) noexcept;
  Status AddBlock();

  static constexpr size_t kBlockSize = 4096;  // bytes

  NativeApi& api_;
  std::mutex mutex_;  // protects what follows; a leaf, except for native calls when a block is added
  HostVector<void*> free_;
  HostVector<void*> blocks_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_HOST_SLOTS_H_
