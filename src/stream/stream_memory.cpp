// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_memory.h"

#include <algorithm>
#include <bit>
#include <cinttypes>

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
    if (length <= kLargest && kept_bytes_ + size <= kMaxKept) {
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
  for (HostVector<void*>& kept : kept_) {
    HostVector<void*> blocks;
    {
      const std::lock_guard lock(mutex_);
      blocks.swap(kept);
      kept_bytes_ = 0;
    }
    for (void* block : blocks) api_.FreeHost(block);
  }
}

StreamMemory::~StreamMemory() {
  if (stream_) {
    const MessageKeeper keeper;
    static_cast<void>(api_.SynchronizeStream(stream_));
    api_.DestroyStream(stream_);
  }
  if (pool_) api_.DestroyPool(pool_);
}

Status StreamMemory::Open(bool stream_ordered) {
  if (!stream_ordered) return kOk;
  if (Status status = api_.CreateStream(&stream_); status != kOk) return status;
  // All that was ever had is kept: to get it from the system again costs ten times a launch. Trim() gives it back.
  return api_.CreatePool(UINT64_MAX, &pool_);
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
  for (const MemoryKind kind : kKinds) {
    *out_kind = kind;
    if (Has(kind) && (type & ~TypeOf(kind)) == 0 && (usage & ~UsageOf(kind)) == 0) return kOk;
  }
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "no memory of the device has the type 0x%" PRIx64 " and the usage 0x%" PRIx64
              " together; see hal_allocator_query_heaps()",
              type, usage);
}

Status StreamMemory::Allocate(MemoryKind kind, uint64_t length, NativeAddress* out_base) {
  if (Status status = counter_.Reserve(length); status != kOk) return status;
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
      if (Status status = host_.Allocate(length, &memory); status != kOk) return status;
      *out_base = reinterpret_cast<uintptr_t>(memory);
      return kOk;
    }
    case MemoryKind::kManaged:
      return api_.AllocateManaged(length, out_base);
    default:
      return AllocateDevice(length, out_base);
  }
}

Status StreamMemory::AllocateDevice(uint64_t length, NativeAddress* out_base) {
  if (!pool_) return api_.AllocateDevice(length, out_base);
  if (Status status = api_.AllocateFromPool(pool_, length, stream_, out_base); status != kOk) return status;
  return api_.SynchronizeStream(stream_);  // so that it may be used from any other
}

void StreamMemory::Free(MemoryKind kind, NativeAddress base, uint64_t length) noexcept {
  const MessageKeeper keeper;
  if (kind == MemoryKind::kHost) {
    host_.Free(reinterpret_cast<void*>(static_cast<uintptr_t>(base)), std::max<uint64_t>(length, 1));
  } else if (kind == MemoryKind::kDevice && pool_) {
    static_cast<void>(api_.FreeToPool(base, stream_));
  } else {
    api_.FreeDevice(base);
  }
  counter_.Free(length);
}

Status StreamMemory::AllocateOn(NativeStream stream, uint64_t length, NativeAddress* out_base) {
  if (Status status = counter_.Reserve(length); status != kOk) return status;
  if (Status status = api_.AllocateFromPool(pool_, std::max<uint64_t>(length, 1), stream, out_base); status != kOk) {
    counter_.Cancel(length);
    return status;
  }
  counter_.Confirm(length);
  return kOk;
}

Status StreamMemory::FreeOn(NativeStream stream, NativeAddress base, uint64_t length) {
  if (Status status = api_.FreeToPool(base, stream); status != kOk) return status;
  counter_.Free(length);
  return kOk;
}

Status StreamMemory::Trim() {
  host_.Trim();
  return pool_ ? api_.TrimPool(pool_) : kOk;
}

}  // namespace halyard::stream
