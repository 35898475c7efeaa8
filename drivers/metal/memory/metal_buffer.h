// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer of a Metal device.
#ifndef HALYARD_METAL_MEMORY_METAL_BUFFER_H_
#define HALYARD_METAL_MEMORY_METAL_BUFFER_H_

#include <atomic>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "driver_kit/queue/hazards.h"
#include "halyard/driver_api.h"
#include "metal/memory/metal_memory.h"
#include "metal/native/metal_types.h"
#include "submission/block_buffer.h"

namespace halyard::metal {

/// Memory that a buffer was given by the application.
struct ImportedMemory {
  MetalBlock block;
  uint64_t offset = 0;  ///< bytes in it
  ImportRelease release;
};

/// An MTLBuffer and an offset in it: owned, given by the application, or yet to come.
///
/// Managed memory has a copy on each side, and stays coherent without a wait in a map. What work writes is copied to
/// the host behind that work (see MetalEncoding). What the host may have written is announced ahead of the commit that
/// reads it, which TakeModified() is for.
class MetalBuffer final : public hal_buffer_t, public BlockBuffer, public HostObject {
 public:
  /// Without memory yet.
  MetalBuffer(MetalMemory& owner, MemoryKind kind, uint64_t size, uint64_t alignment);
  /// Takes over `memory`, which no statistics count.
  MetalBuffer(MetalMemory& owner, MemoryKind kind, uint64_t size, ImportedMemory memory);
  ~MetalBuffer();

  bool has_memory() const override { return native() != nullptr; }
  /// NULL while there is no memory.
  NativeBuffer native() const { return native_.load(std::memory_order_acquire); }
  /// Where its first byte lies in native().
  uint64_t offset() const { return offset_; }
  /// Its first byte for kernels. Metal 3; with memory.
  uint64_t address() const { return address_; }
  /// Two MTLBuffers over the same pages count as different memory.
  MemoryPlace place() const { return transient() ? MemoryPlace::Alone(*this) : MemoryPlace{native(), offset_}; }
  bool managed() const { return kind_ == MemoryKind::kManaged; }
  bool on_host() const { return kind_ == MemoryKind::kShared; }
  /// A byte for the host; NULL if the host cannot reach it, or there is no memory.
  void* HostPointer(uint64_t offset) const;

  /// Managed memory: the bytes of native() that the host may have written since this was asked last. False if none.
  bool TakeModified(uint64_t* out_offset, uint64_t* out_length) const;
  /// For MetalEncoding: whether this is the first use in the encoder that `stamp` names. Another thread may make it
  /// look like the first again, which costs a call.
  bool FirstUseIn(uint64_t stamp) const {
    if (used_in_.load(std::memory_order_relaxed) == stamp) return false;
    used_in_.store(stamp, std::memory_order_relaxed);
    return true;
  }

  Status Map(hal_map_access_t access, uint64_t offset, uint64_t size, void** out_pointer);
  Status Unmap();
  Status ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory);

 private:
  uint64_t PaddedLength() const;
  BlockRequest Request() const override;
  void SetBlock(MemoryBlock* block) noexcept override;
  MemoryBlock* TakeBlock() noexcept override;
  void SetMemory(const MetalBlock& block);

  MetalMemory& memory_;
  const MemoryKind kind_;
  const uint64_t length_;     // bytes
  const uint64_t alignment_;  // bytes; 0 for what memory has anyway
  bool imported_ = false;     // as the next, set before any other thread has the buffer
  ImportedMemory import_;
  MetalBlock* block_ = nullptr;  // unless imported; written before native_, as what follows
  uint64_t offset_ = 0;
  uint64_t address_ = 0;
  char* contents_ = nullptr;
  std::atomic<NativeBuffer> native_{nullptr};
  mutable std::atomic<uint64_t> used_in_{0};

  mutable std::mutex modified_mutex_;  // protects what follows; a leaf
  uint32_t write_maps_ = 0;            // mappings that may write
  mutable uint64_t modified_begin_ = 0;
  mutable uint64_t modified_end_ = 0;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_MEMORY_METAL_BUFFER_H_
