// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/memory/metal_memory.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <memory>

#include "driver_kit/memory/buffer_parts.h"
#include "metal/native/metal_calls.h"
#include "submission/submission_device.h"

namespace halyard::metal {
namespace {

constexpr hal_memory_type_t kMappable =
    HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED;

// Kernels move whole words, and read the last ones as such.
constexpr uint64_t kPadding = 16;  // bytes

}  // namespace

void MetalBlock::Describe(const MetalTraits& traits) {
  contents = static_cast<char*>(Contents(buffer.get()));
  address = traits.gpu_addresses ? GpuAddress(buffer.get()) : 0;
}

MetalMemory::MetalMemory(SubmissionDevice& device, const MetalContext& context, MetalResidency& residency)
    : BlockMemory(device, context.options.memory, context.options.pool), context_(context), residency_(residency) {}

MetalMemory::~MetalMemory() { DropAll(); }

hal_memory_type_t MetalMemory::TypeOf(MemoryKind kind) const {
  switch (kind) {
    case MemoryKind::kShared:
      return HAL_MEMORY_TYPE_HOST_LOCAL | kMappable |
             (context_.traits.unified_memory ? HAL_MEMORY_TYPE_DEVICE_LOCAL : 0);
    case MemoryKind::kManaged:
      return HAL_MEMORY_TYPE_DEVICE_LOCAL | kMappable;
    default:
      return HAL_MEMORY_TYPE_DEVICE_LOCAL;
  }
}

hal_buffer_usage_t MetalMemory::UsageOf(MemoryKind kind) const {
  return kind == MemoryKind::kPrivate ? HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING : HAL_BUFFER_USAGE_ALL;
}

Status MetalMemory::Choose(hal_memory_type_t type, hal_buffer_usage_t usage, MemoryKind* out_kind) const {
  return ChooseKind(*this, std::array{MemoryKind::kPrivate, MemoryKind::kShared, MemoryKind::kManaged}, type, usage,
                    out_kind);
}

Status MetalMemory::MakeUncounted(MemoryKind kind, uint64_t length, OwnedBuffer* out_buffer) {
  if (length > context_.traits.max_buffer_length) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%" PRIu64 " bytes; a buffer of the device has at most %" PRIu64, length,
                context_.traits.max_buffer_length);
  }
  return NewBuffer(context_.native.get(), kind, (std::max<uint64_t>(length, 1) + kPadding - 1) / kPadding * kPadding,
                   out_buffer);
}

Status MetalMemory::MakeBlock(const BlockRequest& request, MemoryBlock** out_block) {
  const AutoreleaseScope scope;
  auto block = std::make_unique<MetalBlock>();
  HAL_TRY(MakeUncounted(static_cast<MemoryKind>(request.kind), request.length, &block->buffer));
  HAL_TRY(residency_.Add(block->buffer.get()));
  block->Describe(context_.traits);
  *out_block = block.release();
  return kOk;
}

void MetalMemory::DropBlock(MemoryBlock* block) noexcept {
  const AutoreleaseScope scope;
  residency_.Remove(static_cast<MetalBlock*>(block)->buffer.get());
  delete block;
}

}  // namespace halyard::metal
