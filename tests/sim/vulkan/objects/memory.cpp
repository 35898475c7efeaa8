// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: heaps of any size. Without HOST_COHERENT programs get a copy of mapped memory, and bytes move when they flush
// or invalidate.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "vulkan/device/device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/real.h"
#include "vulkan/rules/everlasting.h"

namespace halyard::vulkan_sim {
namespace {

constexpr size_t kMapAlignment = 4096;  // no less than what minMemoryMapAlignment promises

struct FreeBytes {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

struct Allocation {
  VkDevice device = VK_NULL_HANDLE;
  uint32_t heap = 0;
  VkDeviceSize size = 0;
  VkDeviceSize atom = 0;  // of ranges that are flushed or invalidated; 0 if the program gets the real memory

  // The copy that the program gets. It is 0 at first and stays until the memory is freed.
  std::unique_ptr<std::byte[], FreeBytes> bytes;
  std::byte* real = nullptr;  // the real mapping's address for offset 0; null while unmapped
  VkDeviceSize begin = 0;     // of the mapped range
  VkDeviceSize end = 0;

  std::byte* Copy() {
    const auto address = (reinterpret_cast<uintptr_t>(bytes.get()) + kMapAlignment - 1) & ~(kMapAlignment - 1);
    return reinterpret_cast<std::byte*>(address);
  }
};

struct Allocations {
  std::mutex mutex;  // protects what follows
  std::map<VkDeviceMemory, Allocation> all;

  // The allocation that the program has a copy of; null for other memory.
  Allocation* FindCopied(VkDeviceMemory memory) {
    const auto found = all.find(memory);
    return found == all.end() || found->second.atom == 0 ? nullptr : &found->second;
  }
  bool HasRoom(const Allocation& wanted, VkDeviceSize heap_size) const {
    VkDeviceSize sum = wanted.size;
    for (const auto& [memory, allocation] : all) {
      if (allocation.device == wanted.device && allocation.heap == wanted.heap) sum += allocation.size;
    }
    return sum <= heap_size;
  }
};

Allocations& TheAllocations() { return Everlasting<Allocations>(); }

bool IsImported(const VkMemoryAllocateInfo& info) {
  for (auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) return true;
  }
  return false;
}

Allocation MakeAllocation(const Device& device, const VkMemoryAllocateInfo& info) {
  const PhysicalDevice& physical = *device.physical;
  const VkMemoryType& type = physical.memory.memoryTypes[info.memoryTypeIndex];
  Allocation allocation;
  allocation.device = device.handle;
  allocation.heap = type.heapIndex;
  allocation.size = info.allocationSize;
  const bool is_copied = physical.settings->Hides("HOST_COHERENT") && !IsImported(info) &&
                         (type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  if (is_copied) allocation.atom = physical.limits.nonCoherentAtomSize;
  return allocation;
}

void ReportRange(const char* call, const VkMappedMemoryRange& range, const char* what) {
  Report("mapped-range", std::string(call) + " from " + std::to_string(range.offset) + ", " +
                             std::to_string(range.size) + " bytes of " + Text(Handle(range.memory)) + ": " + what);
}

// The end of a range that a program flushes or invalidates; nothing if the range is wrong.
std::optional<VkDeviceSize> CheckedEnd(const char* call, const Allocation& memory, const VkMappedMemoryRange& range) {
  const VkDeviceSize end = range.size == VK_WHOLE_SIZE ? memory.end : range.offset + range.size;
  if (memory.real == nullptr || range.offset < memory.begin || end > memory.end || end < range.offset) {
    ReportRange(call, range, "not mapped");
    return std::nullopt;
  }
  const bool ends_well = range.size == VK_WHOLE_SIZE || end == memory.size || end % memory.atom == 0;
  if (range.offset % memory.atom != 0 || !ends_well) {
    ReportRange(call, range, "no multiple of nonCoherentAtomSize");
    return std::nullopt;
  }
  return end;
}

// Copies between a program's copies and the real memory; false if a range is wrong. `move(memory, offset, length)`
// knows the direction.
template <typename Move>
bool MoveRanges(const char* call, uint32_t count, const VkMappedMemoryRange* ranges, Move move) {
  const std::lock_guard lock(TheAllocations().mutex);
  for (uint32_t i = 0; i < count; ++i) {
    Allocation* const memory = TheAllocations().FindCopied(ranges[i].memory);
    if (memory == nullptr) continue;
    const std::optional<VkDeviceSize> end = CheckedEnd(call, *memory, ranges[i]);
    if (!end) return false;
    if (*end != ranges[i].offset) move(*memory, ranges[i].offset, *end - ranges[i].offset);
  }
  return true;
}

}  // namespace

uint64_t UsedMemory(uint32_t heap) {
  const std::lock_guard lock(TheAllocations().mutex);
  uint64_t sum = 0;
  for (const auto& [memory, allocation] : TheAllocations().all) sum += allocation.heap == heap ? allocation.size : 0;
  return sum;
}

namespace own {

VkResult AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                        VkDeviceMemory* memory) {
  const auto device = FindDevice(handle);
  Allocation allocation = MakeAllocation(*device, *info);
  const VkDeviceSize limit = device->physical->settings->memory;
  const std::lock_guard lock(TheAllocations().mutex);
  if (limit != 0 && !TheAllocations().HasRoom(allocation, limit)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkResult result = real::AllocateMemory(handle, info, allocator, memory);
  if (result == VK_SUCCESS) TheAllocations().all[*memory] = std::move(allocation);
  return result;
}

void FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  {
    const std::lock_guard lock(TheAllocations().mutex);
    TheAllocations().all.erase(memory);
  }
  real::FreeMemory(device, memory, allocator);
}

VkResult MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags flags, void** data) {
  const VkResult result = real::MapMemory(device, memory, offset, size, flags, data);
  const std::lock_guard lock(TheAllocations().mutex);
  Allocation* const copied = TheAllocations().FindCopied(memory);
  if (result != VK_SUCCESS || copied == nullptr) return result;
  if (copied->bytes == nullptr) {
    copied->bytes.reset(static_cast<std::byte*>(std::calloc(copied->size + kMapAlignment, 1)));
    if (copied->bytes == nullptr) {
      real::UnmapMemory(device, memory);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  }
  copied->real = static_cast<std::byte*>(*data) - offset;
  copied->begin = offset;
  copied->end = size == VK_WHOLE_SIZE ? copied->size : offset + size;
  *data = copied->Copy() + offset;
  return result;
}

void UnmapMemory(VkDevice device, VkDeviceMemory memory) {
  {
    const std::lock_guard lock(TheAllocations().mutex);
    Allocation* const copied = TheAllocations().FindCopied(memory);
    if (copied != nullptr) copied->real = nullptr;
  }
  real::UnmapMemory(device, memory);
}

VkResult FlushMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges) {
  const auto flush = [](Allocation& memory, VkDeviceSize offset, VkDeviceSize length) {
    std::memcpy(memory.real + offset, memory.Copy() + offset, length);
  };
  if (!MoveRanges(real::FlushMappedMemoryRanges.name, count, ranges, flush)) return VK_ERROR_UNKNOWN;
  return real::FlushMappedMemoryRanges(device, count, ranges);
}

VkResult InvalidateMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges) {
  const auto check = [](Allocation&, VkDeviceSize, VkDeviceSize) {};
  const auto invalidate = [](Allocation& memory, VkDeviceSize offset, VkDeviceSize length) {
    std::memcpy(memory.Copy() + offset, memory.real + offset, length);
  };
  const char* const call = real::InvalidateMappedMemoryRanges.name;
  if (!MoveRanges(call, count, ranges, check)) return VK_ERROR_UNKNOWN;
  const VkResult result = real::InvalidateMappedMemoryRanges(device, count, ranges);
  if (result == VK_SUCCESS) MoveRanges(call, count, ranges, invalidate);
  return result;
}

}  // namespace own
}  // namespace halyard::vulkan_sim
