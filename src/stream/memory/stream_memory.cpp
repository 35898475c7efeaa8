// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/stream_memory.h"

#include <algorithm>
#include <bit>
#include <cinttypes>

#include "driver_kit/memory/buffer_parts.h"
#include "platform/system_facts.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
namespace {

constexpr hal_memory_type_t kMappable =
    HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED;
constexpr MemoryKind kKinds[] = {MemoryKind::kDevice, MemoryKind::kHost, MemoryKind::kManaged};

uint64_t BlockSize(uint64_t length, uint64_t smallest) { return std::bit_ceil(std::max(length, smallest)); }

}  // namespace

Status HostBlocks::Allocate(uint64_t length, void** out_memory) {
  if (length > kLargest) return api_.AllocateHost(length, out_memory);
  const uint64_t size = BlockSize(length, kSmallest);
  {
    const std::lock_guard lock(mutex_);
    HostVector<void*>& kept = kept_[static_cast<size_t>(std::countr_zero(size))];
    if (!kept.empty()) {
      *out_memory = kept.back();
      kept.pop_back();
      kept_bytes_ -= size;
      return kOk;
    }
    kept.reserve(kept.size() + 1);
  }
  return api_.AllocateHost(size, out_memory);
}

void HostBlocks::Free(void* memory, uint64_t length) noexcept {
  const uint64_t size = BlockSize(length, kSmallest);
  try {
    const std::lock_guard lock(mutex_);
    if (length <= kLargest && kept_bytes_ + size <= most_kept_) {
      kept_[static_cast<size_t>(std::countr_zero(size))].push_back(memory);
      kept_bytes_ += size;
      return;
    }
  } catch (...) {
    // no memory to keep it with
  }
  api_.FreeHost(memory);
}

void HostBlocks::Trim() noexcept {
  for (size_t logarithm = 0; logarithm < kept_.size(); ++logarithm) {
    HostVector<void*> blocks;
    {
      const std::lock_guard lock(mutex_);
      blocks.swap(kept_[logarithm]);
      kept_bytes_ -= uint64_t{blocks.size()} << logarithm;
    }
    for (void* block : blocks) api_.FreeHost(block);
  }
}

// A quarter of the memory at most is kept in pieces that fit nothing else.
StreamMemory::StreamMemory(StreamContext& context, const StreamDeviceOptions& options)
    : context_(context),
      api_(context.api()),
      counter_(options.memory),
      host_(api_, options.pinned_pool),
      cache_(context.device(), std::min(options.memory / 4, options.pool)),
      scratch_blocks_(context) {}

StreamMemory::~StreamMemory() {
  // All that used it is completed, and the queues are closed.
  for (BlockCache::Block block; cache_.Evict(0, &block);) FreeToPool(stream_, block.base);
  scratch_blocks_.TrimOn(stream_);
  if (stream_) {
    TryTwice([&] { return api_.SynchronizeStream(stream_); }).Ignore();
    api_.DestroyStream(stream_);
  }
  if (pool_) api_.DestroyPool(pool_);
}

Status StreamMemory::Open(const StreamDeviceOptions& options) {
  if (!options.async_allocation) return kOk;
  HAL_TRY(api_.CreateStream(&stream_));
  // By default all that was ever had is kept: to get it from the system again costs ten times a launch.
  return api_.CreatePool(options.pool, &pool_);
}

hal_memory_type_t StreamMemory::TypeOf(MemoryKind kind) const {
  switch (kind) {
    case MemoryKind::kHost:
      // The nearest there is to memory of both sides, where nothing better exists.
      return HAL_MEMORY_TYPE_HOST_LOCAL | kMappable | (Has(MemoryKind::kManaged) ? 0 : HAL_MEMORY_TYPE_DEVICE_LOCAL);
    case MemoryKind::kManaged:
      return HAL_MEMORY_TYPE_DEVICE_LOCAL | kMappable;
    default:
      return HAL_MEMORY_TYPE_DEVICE_LOCAL;
  }
}

hal_buffer_usage_t StreamMemory::UsageOf(MemoryKind kind) const {
  return kind == MemoryKind::kDevice ? HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING : HAL_BUFFER_USAGE_ALL;
}

Status StreamMemory::Choose(hal_memory_type_t type, hal_buffer_usage_t usage, MemoryKind* out_kind) const {
  return ChooseKind(*this, kKinds, type, usage, out_kind);
}

Status StreamMemory::Allocate(MemoryKind kind, uint64_t length, NativeAddress* out_base) {
  HAL_TRY(counter_.Reserve(length));
  if (Status status = AllocateUncounted(kind, std::max<uint64_t>(length, 1), out_base); status != kOk) {
    counter_.Cancel(length);
    return status;
  }
  counter_.Confirm(length);
  return kOk;
}

Status StreamMemory::AllocateUncounted(MemoryKind kind, uint64_t length, NativeAddress* out_base) {
  switch (kind) {
    case MemoryKind::kHost: {
      void* memory = nullptr;
      HAL_TRY(host_.Allocate(length, &memory));
      *out_base = reinterpret_cast<uintptr_t>(memory);
      return kOk;
    }
    case MemoryKind::kManaged:
      HAL_TRY(api_.AllocateManaged(length, out_base));
      managed_.fetch_add(1, std::memory_order_relaxed);
      return kOk;
    default:
      return AllocateDevice(length, out_base);
  }
}

Status StreamMemory::AllocateDevice(uint64_t length, NativeAddress* out_base) {
  if (!pool_) return api_.AllocateDevice(length, out_base);
  HAL_TRY(AllocateFromPool(stream_, length, out_base));
  const Status status = api_.SynchronizeStream(stream_);  // so that it may be used from any other
  if (status != kOk) ReturnScratch(stream_, *out_base);
  return status;
}

void StreamMemory::ReturnDevice(NativeAddress address) noexcept {
  if (pool_) {
    FreeToPool(stream_, address);
  } else {
    api_.FreeDevice(address);
  }
}

void StreamMemory::Free(MemoryKind kind, NativeAddress base, uint64_t length) noexcept {
  if (kind == MemoryKind::kHost) {
    host_.Free(reinterpret_cast<void*>(static_cast<uintptr_t>(base)), std::max<uint64_t>(length, 1));
  } else if (kind == MemoryKind::kDevice) {
    ReturnDevice(base);
  } else {
    api_.FreeDevice(base);
    managed_.fetch_sub(1, std::memory_order_relaxed);
  }
  counter_.Free(length);
}

Status StreamMemory::AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory) {
  HAL_TRY(counter_.Reserve(length));
  const Status status = api_.AllocateShared(handles, length, out_memory);
  if (status == kOk) {
    counter_.Confirm(length);
  } else {
    counter_.Cancel(length);
  }
  return status;
}

void StreamMemory::FreeShared(const NativeShared& memory, uint64_t length) noexcept {
  api_.FreeShared(memory);
  counter_.Free(length);
}

Status StreamMemory::AllocateOn(NativeStream stream, uint64_t length, NativeAddress* out_base) {
  HAL_TRY(counter_.Reserve(length));
  if (Status status = AllocateFromPool(stream, std::max<uint64_t>(length, 1), out_base); status != kOk) {
    counter_.Cancel(length);
    return status;
  }
  counter_.Confirm(length);
  return kOk;
}

Status StreamMemory::FreeOn(NativeStream stream, NativeAddress base, uint64_t length) {
  HAL_TRY(api_.FreeToPool(base, stream));
  counter_.Free(length);
  return kOk;
}

// What is kept is the first to go where memory is short.
Status StreamMemory::AllocateFromPool(NativeStream stream, uint64_t length, NativeAddress* out_base) {
  if (cache_.bytes() > 0 && counter_.in_use() + cache_.bytes() > counter_.capacity()) EmptyCache();
  const Status status = api_.AllocateFromPool(pool_, length, stream, out_base);
  if (status.code() != HAL_STATUS_RESOURCE_EXHAUSTED || !EmptyCache()) return status;
  status.Ignore();
  return api_.AllocateFromPool(pool_, length, stream, out_base);
}

bool StreamMemory::AcquireCached(uint64_t length, hal_queue_mask_t queues, QueuePoint* after,
                                 NativeAddress* out_base) noexcept {
  if (cache_.bytes() == 0) return false;
  if (!Succeeds(counter_.Reserve(length))) return false;
  if (!cache_.Acquire(std::max<uint64_t>(length, 1), queues, after, out_base)) {
    counter_.Cancel(length);
    return false;
  }
  counter_.Confirm(length);
  return true;
}

bool StreamMemory::Cache(NativeAddress base, uint64_t length, QueuePoint after) noexcept {
  const uint64_t size = std::max<uint64_t>(length, 1);
  if (!cache_.Accepts(size)) return false;
  counter_.Free(length);
  cache_.Insert({base, size, after}, [this](const BlockCache::Block& surplus) { ReturnToPool(surplus); });
  return true;
}

// Memory that cannot be freed is lost, and no caller can be told.
void StreamMemory::FreeToPool(NativeStream stream, NativeAddress base) noexcept {
  TryTwice([&] { return api_.FreeToPool(base, stream); }).Ignore();
}

// In the order of its last use.
void StreamMemory::ReturnToPool(const BlockCache::Block& block) noexcept {
  const NativeScope scope(api_);
  if (!scope.entered()) return;
  FreeToPool(context_.IsCompleted(block.after) ? stream_ : context_.stream(block.after.queue), block.base);
}

bool StreamMemory::EmptyCache() noexcept {
  bool any = false;
  for (BlockCache::Block block; cache_.Evict(0, &block); any = true) ReturnToPool(block);
  return any;
}

Status StreamMemory::Available(MemoryKind kind, uint64_t* out_bytes) const {
  *out_bytes = AvailableHostMemory();
  if (kind != MemoryKind::kHost) HAL_TRY(api_.AvailableMemory(out_bytes));
  *out_bytes = std::min(*out_bytes, counter_.left());
  return kOk;
}

Status StreamMemory::Trim() {
  host_.Trim();
  EmptyCache();
  scratch_blocks_.Trim();
  return pool_ ? api_.TrimPool(pool_) : kOk;
}

}  // namespace halyard::stream
