// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_suballocator.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace halyard::vulkan {
namespace {

constexpr uint64_t kSharedSize = uint64_t{64} << 20;  // bytes
constexpr uint64_t kHeapShare = 8;                    // of a small heap a piece takes one part of so many

}  // namespace

uint64_t VulkanSuballocator::SharedSize(uint32_t type) const {
  const VkPhysicalDeviceMemoryProperties& memory = context_.traits().memory;
  return std::min(kSharedSize, memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size / kHeapShare);
}

Status VulkanSuballocator::MakePiece(uint32_t type, uint64_t size, std::unique_ptr<MemoryPiece>* out) const {
  auto piece = std::make_unique<MemoryPiece>(size);
  piece->type = type;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  const DeviceFunctions& vk = context_.vk();
  HAL_TRY(HAL_VK(vk, AllocateMemory, context_.device(), &info, nullptr, piece->memory.out(context_)));
  const VkMemoryPropertyFlags properties = context_.traits().memory.memoryTypes[type].propertyFlags;
  if ((properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    void* address = nullptr;
    HAL_TRY(HAL_VK(vk, MapMemory, context_.device(), piece->memory.get(), 0, VK_WHOLE_SIZE, 0, &address));
    piece->mapped = static_cast<char*>(address);
  }
  *out = std::move(piece);
  return kOk;
}

bool VulkanSuballocator::TakeFrom(MemoryPiece& piece, uint64_t length, uint64_t alignment, Allocation* out) {
  const std::optional<uint64_t> offset = piece.ranges.Allocate(length, alignment);
  if (!offset) return false;
  *out = {this, &piece, piece.memory.get(), *offset, piece.mapped ? piece.mapped + *offset : nullptr};
  return true;
}

// False if there is no room, and no memory for a large piece: perhaps for the range alone.
bool VulkanSuballocator::AllocateShared(uint32_t type, uint64_t length, uint64_t alignment, Allocation* out) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<MemoryPiece>& piece : pieces_) {
    if (piece->type == type && piece->is_shared && TakeFrom(*piece, length, alignment, out)) return true;
  }
  pieces_.reserve(pieces_.size() + 1);
  std::unique_ptr<MemoryPiece> made;
  if (!Succeeds(MakePiece(type, SharedSize(type), &made))) return false;
  made->is_shared = true;
  if (!TakeFrom(*made, length, alignment, out)) return false;
  pieces_.push_back(std::move(made));
  return true;
}

Status VulkanSuballocator::Allocate(uint32_t type, uint64_t length, uint64_t alignment, Allocation* out) {
  if (length <= SharedSize(type) / 2 && AllocateShared(type, length, alignment, out)) return kOk;
  std::unique_ptr<MemoryPiece> own;
  HAL_TRY(MakePiece(type, length, &own));
  const std::lock_guard lock(mutex_);
  pieces_.reserve(pieces_.size() + 1);  // nothing fails once the range is taken
  TakeFrom(*own, length, 1, out);       // all of it, from the beginning
  pieces_.push_back(std::move(own));
  return kOk;
}

void VulkanSuballocator::Free(const Allocation& allocation) noexcept {
  std::unique_ptr<MemoryPiece> unused;  // goes without the mutex
  const std::lock_guard lock(mutex_);
  MemoryPiece* const piece = allocation.piece;
  piece->ranges.Free(allocation.offset);
  if (!piece->ranges.IsEmpty()) return;
  const auto is_spare = [&](const auto& other) {
    return other.get() != piece && other->type == piece->type && other->is_shared && other->ranges.IsEmpty();
  };
  if (piece->is_shared && std::none_of(pieces_.begin(), pieces_.end(), is_spare)) return;
  const auto found = std::find_if(pieces_.begin(), pieces_.end(), [&](const auto& one) { return one.get() == piece; });
  unused = std::move(*found);
  *found = std::move(pieces_.back());
  pieces_.pop_back();
}

}  // namespace halyard::vulkan
