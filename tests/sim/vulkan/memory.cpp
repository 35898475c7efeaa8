// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory without HOST_COHERENT: programs get a copy of mapped memory, and bytes move when they flush or invalidate.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "vulkan/device.h"
#include "vulkan/everlasting.h"
#include "vulkan/objects.h"
#include "vulkan/real.h"
#include "vulkan/records.h"

namespace halyard::vulkan_sim {
namespace {

constexpr size_t kMapAlignment = 4096;  // no less than what minMemoryMapAlignment promises

struct FreeBytes {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

// An allocation of which the program sees a copy. The copy is 0 at first and stays until the memory is freed.
struct Shadow {
  VkDeviceSize size = 0;
  VkDeviceSize atom = 0;
  std::unique_ptr<std::byte[], FreeBytes> bytes;
  std::byte* real = nullptr;  // the real mapping's address for offset 0; null while unmapped
  VkDeviceSize begin = 0;     // of the mapped range
  VkDeviceSize end = 0;

  std::byte* Copy() {
    const auto address = (reinterpret_cast<uintptr_t>(bytes.get()) + kMapAlignment - 1) & ~(kMapAlignment - 1);
    return reinterpret_cast<std::byte*>(address);
  }
};

struct Shadows {
  std::mutex mutex;  // protects what follows
  std::map<VkDeviceMemory, Shadow> all;
};

Shadows& TheShadows() { return Everlasting<Shadows>(); }

bool IsImported(const VkMemoryAllocateInfo& info) {
  for (auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) return true;
  }
  return false;
}

bool NeedsShadow(const PhysicalDevice& physical, const VkMemoryAllocateInfo& info) {
  if (!physical.settings->Hides("HOST_COHERENT") || IsImported(info)) return false;
  return (physical.memory.memoryTypes[info.memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
}

void ReportRange(const char* call, const VkMappedMemoryRange& range, const char* what) {
  Report("mapped-range", std::string(call) + " from " + std::to_string(range.offset) + ", " +
                             std::to_string(range.size) + " bytes of " + Text(Handle(range.memory)) + ": " + what);
}

// The end of a range that a program flushes or invalidates; nothing if the range is wrong.
std::optional<VkDeviceSize> CheckedEnd(const char* call, const Shadow& shadow, const VkMappedMemoryRange& range) {
  const VkDeviceSize end = range.size == VK_WHOLE_SIZE ? shadow.end : range.offset + range.size;
  if (shadow.real == nullptr || range.offset < shadow.begin || end > shadow.end || end < range.offset) {
    ReportRange(call, range, "not mapped");
    return std::nullopt;
  }
  const bool ends_well = range.size == VK_WHOLE_SIZE || end == shadow.size || end % shadow.atom == 0;
  if (range.offset % shadow.atom != 0 || !ends_well) {
    ReportRange(call, range, "no multiple of nonCoherentAtomSize");
    return std::nullopt;
  }
  return end;
}

// Copies between a program's copies and the real memory; false if a range is wrong. `move(shadow, offset, length)`
// knows the direction.
template <typename Move>
bool MoveRanges(const char* call, uint32_t count, const VkMappedMemoryRange* ranges, Move move) {
  const std::lock_guard lock(TheShadows().mutex);
  for (uint32_t i = 0; i < count; ++i) {
    const auto found = TheShadows().all.find(ranges[i].memory);
    if (found == TheShadows().all.end()) continue;
    const std::optional<VkDeviceSize> end = CheckedEnd(call, found->second, ranges[i]);
    if (!end) return false;
    if (*end != ranges[i].offset) move(found->second, ranges[i].offset, *end - ranges[i].offset);
  }
  return true;
}

}  // namespace

namespace own {

VkResult AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                        VkDeviceMemory* memory) {
  const VkResult result = real::AllocateMemory(handle, info, allocator, memory);
  const PhysicalDevice& physical = *FindDevice(handle)->physical;
  if (result != VK_SUCCESS || !NeedsShadow(physical, *info)) return result;
  const std::lock_guard lock(TheShadows().mutex);
  Shadow& shadow = TheShadows().all[*memory];
  shadow.size = info->allocationSize;
  shadow.atom = physical.limits.nonCoherentAtomSize;
  return result;
}

void FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  {
    const std::lock_guard lock(TheShadows().mutex);
    TheShadows().all.erase(memory);
  }
  real::FreeMemory(device, memory, allocator);
}

VkResult MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags flags, void** data) {
  const VkResult result = real::MapMemory(device, memory, offset, size, flags, data);
  const std::lock_guard lock(TheShadows().mutex);
  const auto found = TheShadows().all.find(memory);
  if (result != VK_SUCCESS || found == TheShadows().all.end()) return result;
  Shadow& shadow = found->second;
  if (shadow.bytes == nullptr) {
    shadow.bytes.reset(static_cast<std::byte*>(std::calloc(shadow.size + kMapAlignment, 1)));
    if (shadow.bytes == nullptr) {
      real::UnmapMemory(device, memory);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  }
  shadow.real = static_cast<std::byte*>(*data) - offset;
  shadow.begin = offset;
  shadow.end = size == VK_WHOLE_SIZE ? shadow.size : offset + size;
  *data = shadow.Copy() + offset;
  return result;
}

void UnmapMemory(VkDevice device, VkDeviceMemory memory) {
  {
    const std::lock_guard lock(TheShadows().mutex);
    const auto found = TheShadows().all.find(memory);
    if (found != TheShadows().all.end()) found->second.real = nullptr;
  }
  real::UnmapMemory(device, memory);
}

VkResult FlushMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges) {
  const auto flush = [](Shadow& shadow, VkDeviceSize offset, VkDeviceSize length) {
    std::memcpy(shadow.real + offset, shadow.Copy() + offset, length);
  };
  if (!MoveRanges(real::FlushMappedMemoryRanges.name, count, ranges, flush)) return VK_ERROR_UNKNOWN;
  return real::FlushMappedMemoryRanges(device, count, ranges);
}

VkResult InvalidateMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges) {
  const auto check = [](Shadow&, VkDeviceSize, VkDeviceSize) {};
  const auto invalidate = [](Shadow& shadow, VkDeviceSize offset, VkDeviceSize length) {
    std::memcpy(shadow.Copy() + offset, shadow.real + offset, length);
  };
  const char* const call = real::InvalidateMappedMemoryRanges.name;
  if (!MoveRanges(call, count, ranges, check)) return VK_ERROR_UNKNOWN;
  const VkResult result = real::InvalidateMappedMemoryRanges(device, count, ranges);
  if (result == VK_SUCCESS) MoveRanges(call, count, ranges, invalidate);
  return result;
}

}  // namespace own
}  // namespace halyard::vulkan_sim
