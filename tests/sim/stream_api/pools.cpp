// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/pools.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace halyard::sim {
namespace {

std::shared_ptr<Pool> FindPool(const void* handle) { return Runtime::Get().pools.Find(handle); }

uint64_t ReadNumber(const void* value) {
  uint64_t number = 0;
  std::memcpy(&number, value, sizeof(number));
  return number;
}

// The highest a number ever was can only be forgotten.
Error ResetHigh(const void* value, uint64_t now, uint64_t* high) {
  if (ReadNumber(value) != 0) return Error::kInvalidValue;
  *high = now;
  return Error::kSuccess;
}

// Allocations for which no free was submitted. In a lost context there is no way to free any.
size_t CountLeft(const Pool& pool) {
  size_t count = 0;
  Runtime::Get().memory.ForEach([&](const std::shared_ptr<Allocation>& allocation) {
    const bool in_pool = allocation->pool.get() == &pool && !allocation->free_queued;
    if (in_pool && allocation->context->lost == Error::kSuccess) ++count;
  });
  return count;
}

Work ReachWork(const std::shared_ptr<Allocation>& allocation) {
  Work work;
  work.run = [allocation](Lock&, Context&) {
    allocation->reached = true;
    return Error::kSuccess;
  };
  return work;
}

// Work of other streams that still needs the memory has not been ordered before the free.
Work FreeWork(const std::shared_ptr<Allocation>& allocation, const char* call) {
  Work work;
  work.run = [allocation, call](Lock&, Context&) {
    if (IsNeeded(*allocation)) {
      Runtime::Get().reports.Add(Rule::kFreeInUse, std::string(call) + " of allocation " +
                                                       std::to_string(allocation->id) +
                                                       " was reached while other streams' work needs it");
    }
    Runtime::Get().memory.Free(allocation);
    return Error::kSuccess;
  };
  return work;
}

}  // namespace

Error CreatePoolOn(int device, size_t max_size, Out pool) {
  Device* found = FindDevice(device);
  if (found == nullptr) return Error::kInvalidDevice;
  if (!found->limits.pools) return Error::kNotSupported;
  auto made = std::make_shared<Pool>();
  made->device = found;
  made->max_size = max_size;
  made->accessible = {device};
  pool.Put(Runtime::Get().pools.Add(std::move(made)));
  return Error::kSuccess;
}

Error DestroyPool(const void* pool) {
  Runtime& runtime = Runtime::Get();
  const auto found = FindPool(pool);
  if (found == nullptr) return Error::kInvalidValue;
  if (const size_t left = CountLeft(*found); left != 0) {
    runtime.reports.Add(Rule::kDestroyInUse, "a memory pool was destroyed with " + std::to_string(left) +
                                                 " allocations that were not freed");
  }
  found->threshold = 0;
  found->device->memory_used -= found->reserved - found->used;
  found->reserved = found->used;
  runtime.pools.Remove(found.get());
  return Error::kSuccess;
}

Error SetPoolAttribute(const void* pool, PoolAttribute attribute, const void* value) {
  const auto found = FindPool(pool);
  if (found == nullptr || value == nullptr) return Error::kInvalidValue;
  switch (attribute) {
    case PoolAttribute::kFollowEventDependencies:
    case PoolAttribute::kAllowOpportunistic:
    case PoolAttribute::kAllowInternalDependencies:
      return Error::kSuccess;  // as if all were on: an allocation waits for frees where the device is full
    case PoolAttribute::kReleaseThreshold:
      found->threshold = ReadNumber(value);
      return Error::kSuccess;
    case PoolAttribute::kReservedHigh:
      return ResetHigh(value, found->reserved, &found->reserved_high);
    case PoolAttribute::kUsedHigh:
      return ResetHigh(value, found->used, &found->used_high);
    default:
      return Error::kInvalidValue;
  }
}

Error GetPoolAttribute(const void* pool, PoolAttribute attribute, void* value) {
  const auto found = FindPool(pool);
  if (found == nullptr || value == nullptr) return Error::kInvalidValue;
  const auto write = [&](auto number) {
    std::memcpy(value, &number, sizeof(number));
    return Error::kSuccess;
  };
  switch (attribute) {
    case PoolAttribute::kFollowEventDependencies:
    case PoolAttribute::kAllowOpportunistic:
    case PoolAttribute::kAllowInternalDependencies:
      return write(1);
    case PoolAttribute::kReleaseThreshold:
      return write(found->threshold);
    case PoolAttribute::kReservedCurrent:
      return write(found->reserved);
    case PoolAttribute::kReservedHigh:
      return write(found->reserved_high);
    case PoolAttribute::kUsedCurrent:
      return write(found->used);
    case PoolAttribute::kUsedHigh:
      return write(found->used_high);
    default:
      return Error::kInvalidValue;
  }
}

Error SetPoolAccess(const void* pool, int device, bool accessible) {
  const auto found = FindPool(pool);
  if (found == nullptr) return Error::kInvalidValue;
  if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
  const bool own = device == found->device->ordinal;
  if (own) return accessible ? Error::kSuccess : Error::kInvalidValue;  // a device keeps access to its own pool
  if (!Runtime::Get().settings.peer_access) return Error::kInvalidDevice;
  if (accessible) {
    found->accessible.insert(device);
  } else {
    found->accessible.erase(device);
  }
  return Error::kSuccess;
}

Error TrimPool(const void* pool, size_t bytes_to_keep) {
  const auto found = FindPool(pool);
  if (found == nullptr) return Error::kInvalidValue;
  const uint64_t kept = std::max(found->used, std::min<uint64_t>(found->reserved, bytes_to_keep));
  found->device->memory_used -= found->reserved - kept;
  found->reserved = kept;
  return Error::kSuccess;
}

Error AllocateFromPool(Out address, size_t bytes, const void* pool, const void* stream) {
  const auto found = FindPool(pool);
  const auto queue = FindStream(stream);
  if (queue == nullptr) return Error::kInvalidHandle;
  if (address.IsNull() || found == nullptr || bytes == 0) return Error::kInvalidValue;
  std::shared_ptr<Allocation> allocation;
  std::vector<std::shared_ptr<Completion>> after;
  const Error error = Runtime::Get().memory.AllocateFromPool(found, queue->context(), bytes, &allocation, &after);
  if (error != Error::kSuccess) return error;
  queue->Submit(ReachWork(allocation), std::move(after));
  address.Put(allocation->base);
  return Error::kSuccess;
}

Error FreeToPool(Word address, const void* stream, const char* call) {
  const auto queue = FindStream(stream);
  if (queue == nullptr) return Error::kInvalidHandle;
  const auto allocation = Runtime::Get().memory.FindForFree(address, call);
  if (allocation == nullptr || allocation->pool == nullptr) return Error::kInvalidValue;
  allocation->free_queued = true;
  allocation->freed = queue->Submit(FreeWork(allocation, call));
  return Error::kSuccess;
}

}  // namespace halyard::sim
