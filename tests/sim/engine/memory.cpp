// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "engine/file_memory.h"

namespace halyard::sim {
namespace {

constexpr size_t kAlignment = 512;
// Freed memory is overwritten up to here, so that a late reader sees nonsense; all of a large range would cost too
// much.
constexpr size_t kScribble = size_t{1} << 16;

size_t Rounded(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

bool Contains(const Allocation& allocation, uintptr_t address) {
  return address >= allocation.base && address - allocation.base < allocation.size;
}

template <typename Map>
std::shared_ptr<Allocation> FindIn(const Map& map, uintptr_t address) {
  auto next = map.upper_bound(address);
  if (next == map.begin()) return nullptr;
  const auto& candidate = std::prev(next)->second;
  return Contains(*candidate, address) ? candidate : nullptr;
}

}  // namespace

std::string Describe(const Access& access, const Allocation* allocation) {
  std::ostringstream text;
  text << access.what << " touches " << access.size << " bytes at 0x" << std::hex << access.address << std::dec;
  if (allocation != nullptr) {
    text << ", which is byte " << access.address - allocation->base << " of allocation " << allocation->id << " of "
         << allocation->size << " bytes";
  }
  return text.str();
}

Error Memory::Obtain(Allocation& allocation) {
  if (allocation.size == 0) return Error::kInvalidValue;
  if (allocation.size > SIZE_MAX - kAlignment) return Error::kOutOfMemory;
  void* memory = ObtainHost(allocation);
  if (memory == nullptr) return Error::kOutOfMemory;
  allocation.base = reinterpret_cast<uintptr_t>(memory);
  allocation.id = next_id_++;
  return Error::kSuccess;
}

void* Memory::ObtainHost(Allocation& allocation) {
  if (allocation.kind != MemoryKind::kDevice || allocation.size % kShareable != 0) {
    return std::aligned_alloc(kAlignment, Rounded(allocation.size));
  }
  allocation.file = MakeFile(allocation.device->ordinal, allocation.size);
  return allocation.file < 0 ? nullptr : MapFile(allocation.file, allocation.size);
}

void Memory::GiveBack(const Allocation& allocation) {
  void* const memory = reinterpret_cast<void*>(allocation.base);
  if (allocation.file < 0) return std::free(memory);
  munmap(memory, allocation.size);
}

Error Memory::Allocate(MemoryKind kind, std::shared_ptr<Context> context, size_t size,
                       std::shared_ptr<Allocation>* out) {
  Device& device = context->device;
  const bool on_device = kind == MemoryKind::kDevice || kind == MemoryKind::kManaged;
  if (on_device && size > device.MemoryFree()) return Error::kOutOfMemory;
  auto allocation = std::make_shared<Allocation>();
  allocation->size = size;
  allocation->kind = kind;
  allocation->context = std::move(context);
  allocation->device = &device;
  const Error error = Obtain(*allocation);
  if (error != Error::kSuccess) return error;
  if (on_device) device.memory_used += size;
  live_.emplace(allocation->base, allocation);
  *out = std::move(allocation);
  return Error::kSuccess;
}

// Frees to a pool that are not carried out yet; returns how many bytes they free.
size_t Memory::CollectFrees(const Pool& pool, std::vector<std::shared_ptr<Completion>>* frees) const {
  size_t bytes = 0;
  for (const auto& [base, allocation] : live_) {
    if (allocation->pool.get() != &pool || allocation->freed == nullptr) continue;
    bytes += allocation->size;
    frees->push_back(allocation->freed);
  }
  return bytes;
}

Error Memory::AllocateFromPool(const std::shared_ptr<Pool>& pool, std::shared_ptr<Context> context, size_t size,
                               std::shared_ptr<Allocation>* out, std::vector<std::shared_ptr<Completion>>* after) {
  Device& device = *pool->device;
  if (pool->max_size != 0 && size > pool->max_size - pool->used) return Error::kOutOfMemory;
  const size_t needed = device.memory_used - (pool->reserved - pool->used) + size;
  if (needed > device.memory_size && needed - device.memory_size > CollectFrees(*pool, after)) {
    return Error::kOutOfMemory;
  }
  auto allocation = std::make_shared<Allocation>();
  allocation->size = size;
  allocation->kind = MemoryKind::kPool;
  allocation->context = std::move(context);
  allocation->device = &device;
  allocation->pool = pool;
  allocation->reached = false;
  const Error error = Obtain(*allocation);
  if (error != Error::kSuccess) return error;
  device.memory_used -= pool->reserved;
  pool->used += size;
  pool->reserved = std::max(pool->reserved, pool->used);
  device.memory_used += pool->reserved;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  live_.emplace(allocation->base, allocation);
  *out = std::move(allocation);
  return Error::kSuccess;
}

Error Memory::Register(MemoryKind kind, std::shared_ptr<Context> context, uintptr_t base, size_t size) {
  if (base == 0 || size == 0) return Error::kInvalidValue;
  const auto next = live_.lower_bound(base);
  if (Find(base) != nullptr || (next != live_.end() && next->first < base + size)) return Error::kAlreadyRegistered;
  auto allocation = std::make_shared<Allocation>();
  allocation->base = base;
  allocation->size = size;
  allocation->kind = kind;
  allocation->device = &context->device;
  allocation->context = std::move(context);
  allocation->id = next_id_++;
  // The program got this memory from the host's heap, which may have had it from here.
  std::erase_if(freed_, [&](const auto& entry) {
    return !entry.second->OwnsMemory() && entry.first < base + size && base < entry.first + entry.second->size;
  });
  live_.emplace(base, std::move(allocation));
  return Error::kSuccess;
}

void Memory::Deregister(uintptr_t base, size_t size) {
  std::erase_if(live_, [&](const auto& entry) {
    return entry.second->kind == MemoryKind::kRegistered && entry.first < base + size &&
           base < entry.first + entry.second->size;
  });
}

void Memory::Free(const std::shared_ptr<Allocation>& allocation) {
  live_.erase(allocation->base);
  Device& device = *allocation->device;
  if (allocation->pool != nullptr) {
    Pool& pool = *allocation->pool;
    device.memory_used -= pool.reserved;
    pool.used -= allocation->size;
    pool.Account();
    device.memory_used += pool.reserved;
  } else if (allocation->kind == MemoryKind::kDevice || allocation->kind == MemoryKind::kManaged) {
    device.memory_used -= allocation->size;
  }
  Quarantine(allocation);
}

void Memory::Quarantine(const std::shared_ptr<Allocation>& allocation) {
  if (allocation->file >= 0) close(allocation->file);  // its memory is mapped for a while
  if (allocation->OwnsMemory()) {
    std::memset(reinterpret_cast<void*>(allocation->base), 0xDD, std::min(allocation->size, kScribble));
    freed_bytes_ += allocation->size;
  }
  freed_[allocation->base] = allocation;
  freed_order_.push_back(allocation->base);
  while (freed_bytes_ > kQuarantineBytes || freed_order_.size() > kQuarantineCount) {
    if (!Forget()) return;
  }
}

// False if work that was submitted still touches the oldest: it would hit memory of others.
bool Memory::Forget() {
  const auto found = freed_.find(freed_order_.front());
  freed_order_.pop_front();
  if (found == freed_.end()) return true;
  if (found->second->pending != 0) {
    freed_order_.push_back(found->first);
    return false;
  }
  if (found->second->OwnsMemory()) {
    freed_bytes_ -= found->second->size;
    GiveBack(*found->second);
  }
  freed_.erase(found);
  return true;
}

std::shared_ptr<Allocation> Memory::Find(uintptr_t address) const { return FindIn(live_, address); }
std::shared_ptr<Allocation> Memory::FindFreed(uintptr_t address) const { return FindIn(freed_, address); }

std::shared_ptr<Allocation> Memory::FindForFree(uintptr_t base, const char* call) const {
  const auto found = live_.find(base);
  if (found != live_.end() && !found->second->free_queued) return found->second;
  std::ostringstream text;
  text << call << " of 0x" << std::hex << base;
  const bool freed = found != live_.end() || freed_.contains(base);
  reports_->Add(freed ? Rule::kDoubleFree : Rule::kInvalidHandle,
                text.str() + (freed ? ", which was freed before" : ", where no allocation begins"));
  return nullptr;
}

Error Memory::CheckRange(const Access& access, std::shared_ptr<Allocation>* out) const {
  *out = Find(access.address);
  const Allocation* allocation = out->get();
  if (allocation != nullptr) {
    if (access.size <= allocation->size - (access.address - allocation->base)) return Error::kSuccess;
    reports_->Add(Rule::kOutOfBounds, Describe(access, allocation));
    return Error::kInvalidValue;
  }
  if (const auto freed = FindFreed(access.address); freed != nullptr && freed->OwnsMemory()) {
    reports_->Add(Rule::kUseAfterFree, Describe(access, freed.get()));
    return Error::kInvalidValue;
  }
  if (access.host_allowed) return Error::kSuccess;
  reports_->Add(Rule::kOutOfBounds, Describe(access, nullptr) + ", which no allocation has");
  return Error::kInvalidValue;
}

Error Memory::CheckAtSubmission(const Access& access) const {
  std::shared_ptr<Allocation> allocation;
  return access.size == 0 ? Error::kSuccess : CheckRange(access, &allocation);
}

Error Memory::Check(const Access& access, const Context& context) const {
  if (access.size == 0) return Error::kSuccess;
  std::shared_ptr<Allocation> allocation;
  if (CheckRange(access, &allocation) != Error::kSuccess) return Error::kIllegalAddress;
  if (allocation == nullptr) return Error::kSuccess;
  if (!allocation->reached) {
    reports_->Add(Rule::kUseBeforeAllocation, Describe(access, allocation.get()));
    return Error::kIllegalAddress;
  }
  const int here = context.device.ordinal;
  const int there = allocation->device->ordinal;
  if (!access.needs_access || !allocation->OnDevice() || here == there) return Error::kSuccess;
  const bool allowed =
      allocation->pool != nullptr ? allocation->pool->accessible.contains(here) : context.peers.contains(there);
  if (allowed) return Error::kSuccess;
  reports_->Add(Rule::kPeerAccess, Describe(access, allocation.get()) + " on device " + std::to_string(there) +
                                       ", to which device " + std::to_string(here) + " has no access");
  return Error::kIllegalAddress;
}

}  // namespace halyard::sim
