// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a stream device: the native pool, the block cache and pinned blocks.
#ifndef HALYARD_STREAM_MEMORY_STREAM_MEMORY_H_
#define HALYARD_STREAM_MEMORY_STREAM_MEMORY_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/memory_counter.h"
#include "halyard/allocator.h"
#include "stream/memory/peer_access.h"
#include "stream/memory/scratch_blocks.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_options.h"
#include "submission/block_cache.h"
#include "submission/queue_point.h"

namespace halyard::stream {

class StreamContext;

/// What memory a buffer has.
enum class MemoryKind {
  kDevice,   ///< the device's own
  kHost,     ///< pinned memory of the host
  kManaged,  ///< the device's own, which the host can access too
};

/// Caches freed pinned blocks for reuse. Pinning and unpinning are slow, and unpinning waits for the device.
/// Thread-safe.
class HostBlocks {
 public:
  /// @param most_kept  bytes
  HostBlocks(NativeApi& api, uint64_t most_kept) : api_(api), most_kept_(most_kept) {}
  /// Within a NativeScope.
  ~HostBlocks() { Trim(); }
  HostBlocks(const HostBlocks&) = delete;
  HostBlocks& operator=(const HostBlocks&) = delete;

  /// At least `length` bytes. Within a NativeScope, as all below.
  Status Allocate(uint64_t length, void** out_memory);
  void Free(void* memory, uint64_t length) noexcept;
  /// Returns the cached blocks to the system.
  void Trim() noexcept;

 private:
  static constexpr uint64_t kSmallest = 4096;               // bytes
  static constexpr uint64_t kLargest = uint64_t{64} << 20;  // bytes; larger ones are not kept

  NativeApi& api_;
  const uint64_t most_kept_;                // bytes in all
  std::mutex mutex_;                        // protects what follows; a leaf
  std::array<HostVector<void*>, 64> kept_;  // by the logarithm of their size
  uint64_t kept_bytes_ = 0;
};

/// The memory of one device. Everything is within a NativeScope and thread-safe.
class StreamMemory {
 public:
  /// Every address is a multiple of it, in bytes.
  static constexpr uint64_t kMinAlignment = 256;

  StreamMemory(StreamContext& context, const StreamDeviceOptions& options);
  ~StreamMemory();
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  /// Makes the pool, unless options.async_allocation is false.
  Status Open(const StreamDeviceOptions& options);

  bool stream_ordered() const { return pool_ != nullptr; }
  /// Whether any managed memory is in use.
  bool has_managed() const { return managed_.load(std::memory_order_relaxed) != 0; }
  hal_memory_type_t TypeOf(MemoryKind kind) const;
  /// Whether the device has it at all.
  bool Has(MemoryKind kind) const { return kind != MemoryKind::kManaged || api_.traits().managed_memory; }
  /// Which kind has all properties of `type`; the first in the order of MemoryKind.
  Status Choose(hal_memory_type_t type, hal_buffer_usage_t usage, MemoryKind* out_kind) const;
  hal_buffer_usage_t UsageOf(MemoryKind kind) const;

  /// Allocates memory now. `*out_base` is the argument of Free().
  Status Allocate(MemoryKind kind, uint64_t length, NativeAddress* out_base);
  /// Frees memory that the device no longer uses.
  void Free(MemoryKind kind, NativeAddress base, uint64_t length) noexcept;
  /// Allocate and free device memory in the order of a stream.
  Status AllocateOn(NativeStream stream, uint64_t length, NativeAddress* out_base);
  Status FreeOn(NativeStream stream, NativeAddress base, uint64_t length);
  /// Takes cached device memory, for work that runs after `*after`, which may become a later submission: see
  /// BlockCache. Returns false if there is none. Without a NativeScope.
  bool AcquireCached(uint64_t length, hal_queue_mask_t queues, QueuePoint* after, NativeAddress* out_base) noexcept;
  /// Caches device memory, for work that runs after a submission. Returns false if the block is too large. Without a
  /// NativeScope.
  bool Cache(NativeAddress base, uint64_t length, QueuePoint after) noexcept;

  /// The same of memory that leaves by handles. Without FreeShared() of what was imported, which no statistics
  /// count: see NativeApi.
  Status AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory);
  void FreeShared(const NativeShared& memory, uint64_t length) noexcept;

  /// Pinned memory of the host that no buffer owns and no statistics count.
  Status BorrowHost(uint64_t length, void** out_memory) { return host_.Allocate(length, out_memory); }
  void ReturnHost(void* memory, uint64_t length) noexcept { host_.Free(memory, length); }
  /// Device memory that no buffer owns and no statistics count.
  Status BorrowDevice(uint64_t length, NativeAddress* out_address) { return AllocateDevice(length, out_address); }
  /// Called once no work uses the memory.
  void ReturnDevice(NativeAddress address) noexcept;
  /// The same for a few commands, in the order of a stream. Needs stream_ordered().
  Status BorrowScratch(NativeStream stream, uint64_t length, NativeAddress* out_address) {
    return AllocateFromPool(stream, length, out_address);
  }
  void ReturnScratch(NativeStream stream, NativeAddress address) noexcept { FreeToPool(stream, address); }

  /// The memory that dispatches use in addition to their bindings. Needs stream_ordered().
  ScratchBlocks& scratch_blocks() { return scratch_blocks_; }

  /// The way to the memory of other devices.
  PeerAccess& peers() { return peers_; }
  /// Lets another device reach what the pool has and will have.
  Status OpenTo(const NativeApi& peer) { return pool_ ? api_.OpenPool(pool_, peer) : kOk; }

  Status Trim();
  hal_allocator_statistics_t Statistics() const { return counter_.Statistics(); }
  uint64_t capacity() const { return counter_.capacity(); }
  /// Bytes that buffers of a kind can still get, as far as is known. Within a NativeScope.
  Status Available(MemoryKind kind, uint64_t* out_bytes) const;

 private:
  Status AllocateUncounted(MemoryKind kind, uint64_t length, NativeAddress* out_base);
  Status AllocateDevice(uint64_t length, NativeAddress* out_base);
  Status AllocateFromPool(NativeStream stream, uint64_t length, NativeAddress* out_base);
  void FreeToPool(NativeStream stream, NativeAddress base) noexcept;
  void ReturnToPool(const BlockCache::Block& block) noexcept;
  bool EmptyCache() noexcept;

  StreamContext& context_;
  NativeApi& api_;
  MemoryCounter counter_;
  HostBlocks host_;
  BlockCache cache_;
  ScratchBlocks scratch_blocks_;
  PeerAccess peers_;
  std::atomic<uint32_t> managed_{0};  // allocations of it
  NativePool pool_ = nullptr;
  NativeStream stream_ = nullptr;  // for memory that no queue orders
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_STREAM_MEMORY_H_
