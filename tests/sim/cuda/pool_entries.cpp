// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools: allocation and freeing in the order of a stream.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cuda/call.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {
namespace {

std::shared_ptr<sim::Pool> FindPool(CUmemoryPool handle) { return Runtime::Get().pools.Find(handle); }

uint64_t ReadNumber(const void* value) {
  uint64_t number = 0;
  std::memcpy(&number, value, sizeof(number));
  return number;
}

Error SetAttribute(sim::Pool& pool, CUmemPool_attribute attribute, const void* value) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return Error::kSuccess;  // as if all were on: an allocation waits for frees where the device is full
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      pool.threshold = ReadNumber(value);
      return Error::kSuccess;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      if (ReadNumber(value) != 0) return Error::kInvalidValue;
      pool.reserved_high = pool.reserved;
      return Error::kSuccess;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (ReadNumber(value) != 0) return Error::kInvalidValue;
      pool.used_high = pool.used;
      return Error::kSuccess;
    default:
      return Error::kInvalidValue;
  }
}

Error GetAttribute(const sim::Pool& pool, CUmemPool_attribute attribute, void* value) {
  const auto write = [&](auto number) {
    std::memcpy(value, &number, sizeof(number));
    return Error::kSuccess;
  };
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return write(1);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return write(pool.threshold);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return write(pool.reserved);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return write(pool.reserved_high);
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return write(pool.used);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return write(pool.used_high);
    default:
      return Error::kInvalidValue;
  }
}

// Allocations for which no free was submitted. In a lost context there is no way to free any.
size_t CountLeft(const sim::Pool& pool) {
  size_t count = 0;
  Runtime::Get().memory.ForEach([&](const std::shared_ptr<sim::Allocation>& allocation) {
    const bool in_pool = allocation->pool.get() == &pool && !allocation->free_queued;
    if (in_pool && allocation->context->lost == Error::kSuccess) ++count;
  });
  return count;
}

sim::Work ReachWork(const std::shared_ptr<sim::Allocation>& allocation) {
  sim::Work work;
  work.run = [allocation](Lock&, sim::Context&) {
    allocation->reached = true;
    return Error::kSuccess;
  };
  return work;
}

// Work of other streams that still needs the memory has not been ordered before the free.
sim::Work FreeWork(const std::shared_ptr<sim::Allocation>& allocation) {
  sim::Work work;
  work.run = [allocation](Lock&, sim::Context&) {
    if (allocation->pending != 0) {
      Runtime::Get().reports.Add(sim::Rule::kFreeInUse, "cuMemFreeAsync of allocation " +
                                                            std::to_string(allocation->id) +
                                                            " was reached while other streams' work needs it");
    }
    Runtime::Get().memory.Free(allocation);
    return Error::kSuccess;
  };
  return work;
}

}  // namespace

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* props) {
  return Call(__func__, Requires::kInit, [&] {
    if (pool == nullptr || props == nullptr) return Error::kInvalidValue;
    if (props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return Error::kInvalidValue;
    if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return Error::kInvalidValue;
    sim::Device* device = FindDevice(props->location.id);
    if (device == nullptr) return Error::kInvalidDevice;
    if (!device->limits.pools) return Error::kNotSupported;
    auto made = std::make_shared<sim::Pool>();
    made->device = device;
    made->max_size = props->maxSize;
    made->accessible = {device->ordinal};
    *pool = ToHandle<CUmemoryPool>(Runtime::Get().pools.Add(std::move(made)));
    return Error::kSuccess;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return Call(__func__, Requires::kInit, [&] {
    Runtime& runtime = Runtime::Get();
    const auto found = FindPool(pool);
    if (found == nullptr) return Error::kInvalidValue;
    if (const size_t left = CountLeft(*found); left != 0) {
      runtime.reports.Add(sim::Rule::kDestroyInUse, "a memory pool was destroyed with " + std::to_string(left) +
                                                        " allocations that were not freed");
    }
    found->threshold = 0;
    found->device->memory_used -= found->reserved - found->used;
    found->reserved = found->used;
    runtime.pools.Remove(found.get());
    return Error::kSuccess;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = FindPool(pool);
    return found == nullptr || value == nullptr ? Error::kInvalidValue : SetAttribute(*found, attribute, value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = FindPool(pool);
    return found == nullptr || value == nullptr ? Error::kInvalidValue : GetAttribute(*found, attribute, value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* accesses, size_t count) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = FindPool(pool);
    if (found == nullptr || (accesses == nullptr && count != 0)) return Error::kInvalidValue;
    for (const CUmemAccessDesc* access = accesses; access != accesses + count; ++access) {
      if (access->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return Error::kInvalidValue;
      if (FindDevice(access->location.id) == nullptr) return Error::kInvalidDevice;
      const bool own = access->location.id == found->device->ordinal;
      if (!own && !Runtime::Get().settings.peer_access) return Error::kInvalidDevice;
      if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
        found->accessible.insert(access->location.id);
      } else if (own) {
        return Error::kInvalidValue;  // a device keeps access to its own pool
      } else {
        found->accessible.erase(access->location.id);
      }
    }
    return Error::kSuccess;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = FindPool(pool);
    if (found == nullptr) return Error::kInvalidValue;
    const uint64_t kept = std::max(found->used, std::min<uint64_t>(found->reserved, bytes_to_keep));
    found->device->memory_used -= found->reserved - kept;
    found->reserved = kept;
    return Error::kSuccess;
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindPool(pool);
    const auto queue = FindStream(stream);
    if (queue == nullptr) return Error::kInvalidHandle;
    if (address == nullptr || found == nullptr || bytes == 0) return Error::kInvalidValue;
    std::shared_ptr<sim::Allocation> allocation;
    std::vector<std::shared_ptr<sim::Completion>> after;
    const Error error = Runtime::Get().memory.AllocateFromPool(found, queue->context(), bytes, &allocation, &after);
    if (error != Error::kSuccess) return error;
    queue->Submit(ReachWork(allocation), std::move(after));
    *address = allocation->base;
    return Error::kSuccess;
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] {
    const auto queue = FindStream(stream);
    if (queue == nullptr) return Error::kInvalidHandle;
    const auto allocation = Runtime::Get().memory.FindForFree(address, "cuMemFreeAsync");
    if (allocation == nullptr || allocation->pool == nullptr) return Error::kInvalidValue;
    allocation->free_queued = true;
    allocation->freed = queue->Submit(FreeWork(allocation));
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
