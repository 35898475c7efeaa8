// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a Metal device's buffers get their bytes from.
#ifndef HALYARD_METAL_MEMORY_METAL_MEMORY_H_
#define HALYARD_METAL_MEMORY_METAL_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/memory_counter.h"
#include "halyard/allocator.h"
#include "metal/device/metal_options.h"
#include "metal/memory/metal_residency.h"
#include "metal/native/metal_types.h"
#include "submission/block_cache.h"
#include "submission/queue_point.h"

namespace halyard {
class SubmissionDevice;
}

namespace halyard::metal {

/// What memory a buffer has: Metal's storage modes.
enum class MemoryKind {
  kPrivate,  ///< the device's own
  kShared,   ///< memory of the host that the device works on
  kManaged,  ///< a copy on each side, of devices with memory of their own
};

/// A buffer of Metal's with what else is to be known of it, so that Metal is asked once.
struct MemoryBlock : HostObject {
  OwnedBuffer buffer;
  uint64_t address = 0;      ///< its first byte for kernels. Metal 3
  char* contents = nullptr;  ///< its first byte for the host; NULL for private memory

  /// Looks at `buffer`.
  void Describe(const MetalTraits& traits);
};

/// The memory of one device. Thread-safe.
class MetalMemory {
 public:
  /// Every buffer begins at a multiple of it, in bytes.
  static constexpr uint64_t kMinAlignment = 256;

  MetalMemory(SubmissionDevice& device, NativeDevice native, const MetalTraits& traits, const MetalOptions& options,
              MetalResidency& residency);
  /// All that used memory is completed, and the queues are closed.
  ~MetalMemory();
  MetalMemory(const MetalMemory&) = delete;
  MetalMemory& operator=(const MetalMemory&) = delete;

  hal_memory_type_t TypeOf(MemoryKind kind) const;
  hal_buffer_usage_t UsageOf(MemoryKind kind) const;
  /// Whether the device has it at all.
  bool Has(MemoryKind kind) const { return kind != MemoryKind::kManaged || !traits_.unified_memory; }
  /// Which kind has all properties of `type`; the first in the order private, shared, managed.
  Status Choose(hal_memory_type_t type, hal_buffer_usage_t usage, MemoryKind* out_kind) const;

  /// Memory now. The block is the caller's, until Free().
  Status Allocate(MemoryKind kind, uint64_t length, MemoryBlock** out_block);
  /// Frees memory that the device no longer uses.
  void Free(MemoryBlock* block, uint64_t length) noexcept;

  /// @name Queue allocations
  /// No call waits for the device. Private memory alone is cached.
  /// @{
  /// Memory for an operation that comes after `*after`: cached if there is some, and then `*after` may become a later
  /// submission (see BlockCache); else new.
  Status Acquire(MemoryKind kind, uint64_t length, hal_queue_mask_t queues, QueuePoint* after, MemoryBlock** out_block);
  /// Frees memory that is used until a submission is completed: for the next queue allocation, or for the system then.
  void FreeAfter(MemoryKind kind, MemoryBlock* block, uint64_t length, QueuePoint after) noexcept;
  /// @}

  /// Memory that no buffer owns and no statistics count, such as staging.
  Status MakeUncounted(MemoryKind kind, uint64_t length, OwnedBuffer* out_buffer);

  /// Frees what is cached.
  void Trim() noexcept { static_cast<void>(FreeUnused()); }
  hal_allocator_statistics_t Statistics() const { return counter_.Statistics(); }
  uint64_t capacity() const { return counter_.capacity(); }
  uint64_t available() const { return counter_.left(); }
  uint64_t max_length() const { return traits_.max_buffer_length; }
  MetalResidency& residency() { return residency_; }

 private:
  /// Memory that goes once a submission is completed.
  struct Dying {
    MemoryBlock* block;
    uint64_t length;
    QueuePoint after;
  };

  /// Whether memory for reserved bytes can be had beside what is cached or still dying.
  bool HasRoom() const { return counter_.in_use() + unowned_.load(std::memory_order_relaxed) <= counter_.capacity(); }
  Status MakeRoom(uint64_t length);
  void Release(MemoryBlock* block) noexcept;
  void End(const Dying& dying) noexcept;
  bool IsCompleted(QueuePoint point) const;
  void KeepUntil(const Dying& dying) noexcept;
  /// Frees what has become free. Whether there was any.
  bool Reap() noexcept;
  bool EmptyCache() noexcept;
  bool FreeUnused() noexcept;

  SubmissionDevice& device_;
  const NativeDevice native_;
  const MetalTraits& traits_;
  MetalResidency& residency_;
  MemoryCounter counter_;
  BlockCache cache_;
  std::atomic<uint64_t> unowned_{0};  // bytes that no buffer has: cached, or used until a submission is completed
  std::mutex dying_mutex_;            // protects what follows; a leaf
  HostVector<Dying> dying_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_MEMORY_METAL_MEMORY_H_
