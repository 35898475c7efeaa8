// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/memory/metal_memory.h"

#include <algorithm>
#include <cinttypes>
#include <memory>

#include "base/text/flag_words.h"
#include "metal/native/metal_calls.h"
#include "submission/submission_device.h"

namespace halyard::metal {
namespace {

constexpr hal_memory_type_t kMappable =
    HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED;

// Kernels move whole words, and read the last ones as such.
constexpr uint64_t kPadding = 16;  // bytes

uint64_t ToBase(MemoryBlock* block) { return reinterpret_cast<uintptr_t>(block); }
MemoryBlock* FromBase(uint64_t base) { return reinterpret_cast<MemoryBlock*>(static_cast<uintptr_t>(base)); }

}  // namespace

void MemoryBlock::Describe(const MetalTraits& traits) {
  contents = static_cast<char*>(Contents(buffer.get()));
  address = traits.gpu_addresses ? GpuAddress(buffer.get()) : 0;
}

MetalMemory::MetalMemory(SubmissionDevice& device, NativeDevice native, const MetalTraits& traits,
                         const MetalOptions& options, MetalResidency& residency)
    : device_(device),
      native_(native),
      traits_(traits),
      residency_(residency),
      counter_(options.memory),
      cache_(device, std::min(options.memory / 4, options.pool)) {}

MetalMemory::~MetalMemory() {
  for (BlockCache::Block block; cache_.Evict(0, &block);) Release(FromBase(block.base));
  for (const Dying& dying : dying_) Release(dying.block);
}

hal_memory_type_t MetalMemory::TypeOf(MemoryKind kind) const {
  switch (kind) {
    case MemoryKind::kShared:
      return HAL_MEMORY_TYPE_HOST_LOCAL | kMappable | (traits_.unified_memory ? HAL_MEMORY_TYPE_DEVICE_LOCAL : 0);
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
  for (const MemoryKind kind : {MemoryKind::kPrivate, MemoryKind::kShared, MemoryKind::kManaged}) {
    *out_kind = kind;
    if (Has(kind) && (type & ~TypeOf(kind)) == 0 && (usage & ~UsageOf(kind)) == 0) return kOk;
  }
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "no memory of the device has the type %s and the usage %s together; see hal_allocator_query_heaps()",
              MemoryTypeWords(type).c_str(), UsageWords(usage).c_str());
}

Status MetalMemory::MakeUncounted(MemoryKind kind, uint64_t length, OwnedBuffer* out_buffer) {
  if (length > traits_.max_buffer_length) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%" PRIu64 " bytes; a buffer of the device has at most %" PRIu64, length,
                traits_.max_buffer_length);
  }
  return NewBuffer(native_, kind, (std::max<uint64_t>(length, 1) + kPadding - 1) / kPadding * kPadding, out_buffer);
}

// Bytes of live buffers are counted. Memory that is between two of them exists all the same.
Status MetalMemory::MakeRoom(uint64_t length) {
  HAL_TRY(counter_.Reserve(length));
  if (HasRoom()) return kOk;
  Reap();
  if (!HasRoom()) EmptyCache();
  if (HasRoom()) return kOk;
  counter_.Cancel(length);
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
              "%" PRIu64 " bytes do not fit beside %" PRIu64 " in use and %" PRIu64
              " that submitted work still uses, of %" PRIu64,
              length, counter_.in_use(), unowned_.load(std::memory_order_relaxed), counter_.capacity());
}

Status MetalMemory::Allocate(MemoryKind kind, uint64_t length, MemoryBlock** out_block) {
  HAL_TRY(MakeRoom(length));
  auto block = std::make_unique<MemoryBlock>();
  Status status = MakeUncounted(kind, length, &block->buffer);
  // Others take memory of the GPU as well.
  if (status == HAL_STATUS_RESOURCE_EXHAUSTED && FreeUnused()) status = MakeUncounted(kind, length, &block->buffer);
  if (status == kOk) status = residency_.Add(block->buffer.get());
  if (status != kOk) {
    counter_.Cancel(length);
    return status;
  }
  counter_.Confirm(length);
  block->Describe(traits_);
  *out_block = block.release();
  return kOk;
}

void MetalMemory::Free(MemoryBlock* block, uint64_t length) noexcept {
  counter_.Free(length);
  Release(block);
}

void MetalMemory::End(const Dying& dying) noexcept {
  unowned_.fetch_sub(dying.length, std::memory_order_relaxed);
  Release(dying.block);
}

void MetalMemory::Release(MemoryBlock* block) noexcept {
  const AutoreleaseScope scope;
  residency_.Remove(block->buffer.get());
  delete block;
}

Status MetalMemory::Acquire(MemoryKind kind, uint64_t length, hal_queue_mask_t queues, QueuePoint* after,
                            MemoryBlock** out_block) {
  uint64_t base = 0;
  if (kind == MemoryKind::kPrivate && counter_.Reserve(length) == kOk) {
    if (cache_.Acquire(length, queues, after, &base)) {
      unowned_.fetch_sub(length, std::memory_order_relaxed);
      counter_.Confirm(length);
      *out_block = FromBase(base);
      return kOk;
    }
    counter_.Cancel(length);
  }
  const AutoreleaseScope scope;
  return Allocate(kind, length, out_block);
}

void MetalMemory::FreeAfter(MemoryKind kind, MemoryBlock* block, uint64_t length, QueuePoint after) noexcept {
  counter_.Free(length);
  unowned_.fetch_add(length, std::memory_order_relaxed);
  if (kind != MemoryKind::kPrivate || !cache_.Accepts(length)) return KeepUntil({block, length, after});
  BlockCache::Block evicted;
  if (cache_.Insert({ToBase(block), length, after}, &evicted)) {
    KeepUntil({FromBase(evicted.base), evicted.length, evicted.after});
  }
}

bool MetalMemory::IsCompleted(QueuePoint point) const {
  return point.epoch == 0 || device_.queue(point.queue).IsCompleted(point.epoch);
}

void MetalMemory::KeepUntil(const Dying& dying) noexcept {
  Reap();
  if (IsCompleted(dying.after)) return End(dying);
  const std::lock_guard lock(dying_mutex_);
  dying_.push_back(dying);
}

bool MetalMemory::Reap() noexcept {
  bool any = false;
  while (true) {
    Dying one;
    {
      const std::lock_guard lock(dying_mutex_);
      const auto found =
          std::find_if(dying_.begin(), dying_.end(), [&](const Dying& dying) { return IsCompleted(dying.after); });
      if (found == dying_.end()) return any;
      one = *found;
      *found = dying_.back();
      dying_.pop_back();
    }
    End(one);
    any = true;
  }
}

// Blocks that are still in use stay with the dying ones.
bool MetalMemory::EmptyCache() noexcept {
  bool any = false;
  for (BlockCache::Block block; cache_.Evict(0, &block);) {
    const Dying dying{FromBase(block.base), block.length, block.after};
    any |= IsCompleted(dying.after);
    KeepUntil(dying);
  }
  return any;
}

bool MetalMemory::FreeUnused() noexcept {
  const bool reaped = Reap();
  return EmptyCache() || reaped;
}

}  // namespace halyard::metal
