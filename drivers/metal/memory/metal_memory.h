// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a Metal device's buffers get their bytes from.
#ifndef HALYARD_METAL_MEMORY_METAL_MEMORY_H_
#define HALYARD_METAL_MEMORY_METAL_MEMORY_H_

#include <cstdint>

#include "base/status.h"
#include "halyard/allocator.h"
#include "metal/memory/metal_residency.h"
#include "metal/native/metal_context.h"
#include "metal/native/metal_types.h"
#include "submission/block_memory.h"

namespace halyard::metal {

/// A buffer of Metal's with what else is to be known of it, so that Metal is asked once.
struct MetalBlock final : MemoryBlock {
  OwnedBuffer buffer;
  uint64_t address = 0;      ///< its first byte for kernels. Metal 3
  char* contents = nullptr;  ///< its first byte for the host; NULL for private memory

  /// Looks at `buffer`.
  void Describe(const MetalTraits& traits);
};

/// The memory of one device. Private memory alone is cached. Thread-safe.
class MetalMemory final : public BlockMemory {
 public:
  /// Every buffer begins at a multiple of it, in bytes.
  static constexpr uint64_t kMinAlignment = 256;

  MetalMemory(SubmissionDevice& device, const MetalContext& context, MetalResidency& residency);
  ~MetalMemory();

  hal_memory_type_t TypeOf(MemoryKind kind) const;
  hal_buffer_usage_t UsageOf(MemoryKind kind) const;
  /// Whether the device has it at all.
  bool Has(MemoryKind kind) const { return kind != MemoryKind::kManaged || !context_.traits.unified_memory; }
  /// Which kind has all properties of `type`; the first in the order private, shared, managed.
  Status Choose(hal_memory_type_t type, hal_buffer_usage_t usage, MemoryKind* out_kind) const;

  /// Memory that no buffer owns and no statistics count, such as staging.
  Status MakeUncounted(MemoryKind kind, uint64_t length, OwnedBuffer* out_buffer);

  uint64_t max_length() const { return context_.traits.max_buffer_length; }
  MetalResidency& residency() { return residency_; }
  const MetalContext& context() const { return context_; }

 protected:
  Status MakeBlock(const BlockRequest& request, MemoryBlock** out_block) override;
  void DropBlock(MemoryBlock* block) noexcept override;

 private:
  const MetalContext& context_;
  MetalResidency& residency_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_MEMORY_METAL_MEMORY_H_
