// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer of a stream device.
#ifndef HALYARD_STREAM_MEMORY_STREAM_BUFFER_H_
#define HALYARD_STREAM_MEMORY_STREAM_BUFFER_H_

#include <atomic>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "driver_kit/queue/hazards.h"
#include "halyard/driver_api.h"
#include "stream/memory/stream_memory.h"

namespace halyard::stream {

class SharedDeviceMemory;
class StreamContext;

/// Memory of the application that a buffer imported.
struct ImportedMemory {
  NativeAddress address = 0;
  void* host = nullptr;                  ///< NULL if the host cannot reach it
  void* registered = nullptr;            ///< what HostRegistrations pinned for it
  const StreamContext* owner = nullptr;  ///< of memory that another device shares; else NULL
  /// Memory that processes share; NULL for other memory. `release` frees it.
  const SharedDeviceMemory* shared = nullptr;
  ImportRelease release;
};

/// A buffer that owns its memory, uses imported memory, or gets its memory later from a queue operation.
class StreamBuffer final : public hal_buffer_t, public HostObject {
 public:
  /// Without memory yet.
  StreamBuffer(StreamContext& owner, MemoryKind kind, uint64_t size, uint64_t alignment);
  StreamBuffer(StreamContext& owner, uint64_t size, hal_memory_type_t type, const ImportedMemory& memory);
  ~StreamBuffer();

  /// Whether a queue_alloca allocates its memory, some time after the buffer was made.
  bool transient() const { return transient_; }
  void set_transient() { transient_ = true; }
  /// Whether its memory is allocated and freed in the order of a stream.
  bool stream_ordered() const;
  /// @name Getting and freeing memory
  /// A buffer gets memory once: now, or in the order of a stream (within a NativeScope).
  /// @{
  Status Commit();
  void Decommit() noexcept;
  Status CommitOn(NativeStream stream);
  Status DecommitOn(NativeStream stream);
  /// The same with cached memory, for work that runs after a submission; see StreamMemory. They return false if the
  /// operation needs a stream.
  bool CommitCached(hal_queue_mask_t any_of, QueuePoint* after) noexcept;
  bool DecommitToCache(QueuePoint after) noexcept;
  /// @}

  /// The first byte for the device; 0 while there is no memory.
  NativeAddress address() const { return address_.load(std::memory_order_acquire); }
  MemoryPlace place() const { return transient() ? MemoryPlace::Alone(*this) : MemoryPlace::At(address()); }
  StreamContext& context() const { return context_; }
  /// The device whose own memory it is; NULL if all devices of the API use it alike.
  const StreamContext* owner() const {
    if (kind_ != MemoryKind::kDevice) return nullptr;
    return import_.owner ? import_.owner : &context_;
  }
  /// Whether the bytes lie in the host's memory.
  bool on_host() const { return kind_ == MemoryKind::kHost; }
  /// Identifies the way in which its memory was made: equal for two buffers if it was made in the same way.
  uint32_t origin() const {
    return static_cast<uint32_t>(kind_) * 4 + static_cast<uint32_t>(imported_) * 2 + static_cast<uint32_t>(transient_);
  }
  /// Whether the memory is managed, and the host may have used it since the last call.
  bool TakeFromHost() const {
    return kind_ == MemoryKind::kManaged && address() != 0 && with_host_.exchange(false, std::memory_order_relaxed);
  }
  /// The address of a byte for the host to read or write; NULL if the host cannot reach it, or there is no memory.
  void* GiveToHost(uint64_t offset);

  Status Map(hal_map_access_t access, uint64_t offset, uint64_t length, void** out_pointer);
  Status ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory);

 private:
  uint64_t PaddedLength() const;
  void SetMemory(NativeAddress base);
  NativeAddress TakeMemory() noexcept;

  StreamContext& context_;
  const MemoryKind kind_;
  const uint64_t length_;     // bytes
  const uint64_t alignment_;  // bytes; 0 for the alignment that memory always has
  const bool imported_;
  bool transient_ = false;  // set before any other thread has the buffer
  const ImportedMemory import_;
  NativeAddress base_ = 0;  // as it was allocated; written before address_
  std::atomic<NativeAddress> address_{0};
  mutable std::atomic<bool> with_host_{true};  // see TakeFromHost()
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_STREAM_BUFFER_H_
