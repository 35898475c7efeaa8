// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_memory.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstring>
#include <memory>

#include "driver_kit/memory/buffer_parts.h"

namespace halyard::vulkan {
namespace {

// A window of the device's memory for the host, which is not to be filled by what could lie elsewhere.
constexpr uint64_t kWindowSize = uint64_t{256} << 20;  // bytes

// Of the driver's own buffer for empty bindings: as long as the fixed part of most blocks.
constexpr uint64_t kNothingSize = 256;  // bytes

constexpr VkMemoryPropertyFlags kUnusable = VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                            VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;

}  // namespace

VulkanBlock::~VulkanBlock() {
  if (is_wrapped) static_cast<void>(buffer.release());
  buffer.reset();
  if (memory.source) memory.source->Free(memory);
}

VulkanMemory::VulkanMemory(SubmissionDevice& device, VulkanContext& context, const VulkanOptions& options)
    : BlockMemory(device, options.memory, options.pool), context_(context), suballocator_(context) {}

VulkanMemory::~VulkanMemory() { DropAll(); }

hal_memory_type_t VulkanMemory::TypeOf(uint32_t index) const {
  const VkMemoryPropertyFlags flags = context_.traits().memory.memoryTypes[index].propertyFlags;
  const bool unified = context_.traits().unified_memory;
  hal_memory_type_t type = 0;
  if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0) type |= HAL_MEMORY_TYPE_DEVICE_LOCAL;
  if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0 || unified) type |= HAL_MEMORY_TYPE_HOST_LOCAL;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
  if ((flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0) type |= HAL_MEMORY_TYPE_HOST_COHERENT;
  if ((flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0) type |= HAL_MEMORY_TYPE_HOST_CACHED;
  return type;
}

void VulkanMemory::AddKinds(uint32_t types, bool exported) {
  const VkPhysicalDeviceMemoryProperties& memory = context_.traits().memory;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryType& one = memory.memoryTypes[i];
    if ((types >> i & 1) == 0 || (one.propertyFlags & kUnusable) != 0) continue;
    MemoryKind kind;
    kind.index = i;
    kind.type = TypeOf(i);
    kind.usage = (kind.type & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0 ? HAL_BUFFER_USAGE_ALL
                                                                 : HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING;
    kind.heap = one.heapIndex;
    kind.heap_size = memory.memoryHeaps[one.heapIndex].size;
    kind.exported = exported;
    const auto same = [&](const MemoryKind& other) { return other.type == kind.type && other.exported == exported; };
    if (std::none_of(kinds_.begin(), kinds_.end(), same)) kinds_.push_back(kind);
  }
}

// What a buffer of one usage may have does not depend on its length.
Status VulkanMemory::Open() {
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = context_.traits().exported_memory;
  for (const bool exported : {false, true}) {
    if (exported && external.handleTypes == 0) continue;
    OwnedBuffer probe;
    VkMemoryRequirements needs{};
    HAL_TRY(MakeBuffer(kPadding, exported ? &external : nullptr, &probe, &needs));
    AddKinds(needs.memoryTypeBits, exported);
  }
  HAL_TRY(Choose(HAL_MEMORY_TYPE_DEVICE_LOCAL, HAL_BUFFER_USAGE_DEFAULT, &cached_kind_));
  constexpr hal_memory_type_t kCoherent = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
  if (!Succeeds(Choose(kCoherent, HAL_BUFFER_USAGE_TRANSFER, &staging_kind_))) {
    HAL_TRY(Choose(HAL_MEMORY_TYPE_HOST_VISIBLE, HAL_BUFFER_USAGE_TRANSFER, &staging_kind_));
  }
  return context_.traits().null_descriptors ? kOk : MakeNothing();
}

Status VulkanMemory::MakeNothing() {
  HAL_TRY(MakeStaging(kNothingSize, &nothing_));
  std::memset(nothing_->contents, 0, kNothingSize);
  return Flush(*nothing_, 0, kNothingSize);
}

// What comes unasked for: a window of the device's memory is scarce, the host's path to the device's memory slow, and
// cached memory slow for the device.
int VulkanMemory::Surplus(const MemoryKind& kind, hal_memory_type_t type, hal_buffer_usage_t usage) const {
  constexpr hal_memory_type_t kHost = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_LOCAL |
                                      HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED;
  if ((usage & HAL_BUFFER_USAGE_MAPPING) != 0) type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
  const bool for_device = (type & kHost) == 0;
  const hal_memory_type_t extra = kind.type & ~type;
  int surplus = 0;
  if ((extra & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0) surplus += 8;
  if (for_device == ((kind.type & HAL_MEMORY_TYPE_DEVICE_LOCAL) == 0)) surplus += 32;
  if ((extra & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0 && !for_device) surplus += 4;
  if ((extra & HAL_MEMORY_TYPE_HOST_CACHED) != 0) surplus += 2;
  if ((kind.type & kHost) != 0 && (kind.type & HAL_MEMORY_TYPE_HOST_COHERENT) == 0) surplus += 1;
  if ((extra & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0 && kind.heap_size <= kWindowSize) surplus += 16;
  return surplus;
}

bool VulkanMemory::FindKind(hal_memory_type_t type, hal_buffer_usage_t usage, bool exported,
                            uint32_t* out_number) const {
  int least = INT32_MAX;
  for (uint32_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].exported != exported) continue;
    if ((type & ~kinds_[i].type) != 0 || (usage & ~kinds_[i].usage) != 0) continue;
    const int surplus = Surplus(kinds_[i], type, usage);
    if (surplus >= least) continue;
    least = surplus;
    *out_number = i;
  }
  return least != INT32_MAX;
}

// Not every type of memory can be shared by descriptors: a GPU's window for the host may not. What cannot is exported
// as an address alone.
Status VulkanMemory::Choose(hal_memory_type_t type, hal_buffer_usage_t usage, uint32_t* out_number) const {
  if ((usage & HAL_BUFFER_USAGE_EXPORT) != 0 && FindKind(type, usage, /*exported=*/true, out_number)) return kOk;
  if (FindKind(type, usage, /*exported=*/false, out_number)) return kOk;
  return FailToChoose(type, usage);
}

std::array<uint64_t, VK_MAX_MEMORY_HEAPS> VulkanMemory::Budgets() const {
  std::array<uint64_t, VK_MAX_MEMORY_HEAPS> budgets;
  budgets.fill(UINT64_MAX);
  if (!context_.traits().memory_budget) return budgets;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT told{};
  told.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  properties.pNext = &told;
  context_.instance().vk().GetPhysicalDeviceMemoryProperties2(context_.physical(), &properties);
  for (uint32_t i = 0; i < properties.memoryProperties.memoryHeapCount; ++i) {
    budgets[i] = told.heapBudget[i] - std::min(told.heapBudget[i], told.heapUsage[i]);
  }
  return budgets;
}

BlockRequest VulkanMemory::Request(uint32_t kind, uint64_t length, uint64_t alignment) const {
  const bool cached = kind == cached_kind_ && alignment <= kMinAlignment;
  return {kind, length, alignment, cached};
}

Status VulkanMemory::MakeBuffer(uint64_t length, const void* next, OwnedBuffer* out_buffer,
                                VkMemoryRequirements* out_needs) const {
  if (length > context_.traits().max_buffer_size) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%" PRIu64 " bytes; a buffer of the device has at most %" PRIu64, length,
                context_.traits().max_buffer_size);
  }
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = next;
  info.size = length;
  info.usage = kBufferUsage;
  HAL_TRY(HAL_VK(context_.vk(), CreateBuffer, context_.device(), &info, nullptr, out_buffer->out(context_)));
  context_.vk().GetBufferMemoryRequirements(context_.device(), out_buffer->get(), out_needs);
  return kOk;
}

// Vulkan aligns offsets, and says nothing of addresses.
void VulkanMemory::Describe(VulkanBlock* block, uint64_t alignment) {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = block->buffer.get();
  const bool has_address = (block->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  const uint64_t begin = has_address ? context_.vk().GetBufferDeviceAddress(context_.device(), &info) : 0;
  if (alignment > kMinAlignment) block->offset = RoundUp(begin, alignment) - begin;
  block->address = begin + block->offset;
  if (block->contents) block->contents += block->offset;
  block->identity = next_identity_.fetch_add(1, std::memory_order_relaxed);
}

void VulkanMemory::Advance(VulkanBlock* block, uint64_t offset) {
  block->offset += offset;
  if (block->address != 0) block->address += offset;
  if (block->contents) block->contents += offset;
}

Status VulkanMemory::Fill(uint32_t kind, uint64_t length, uint64_t alignment, VulkanBlock* block) {
  const MemoryKind& chosen = kinds_[kind];
  const uint64_t padded =
      RoundUp(std::max<uint64_t>(length, 1), kPadding) + (alignment > kMinAlignment ? alignment : 0);
  const bool mapped = (chosen.type & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0;
  block->coherent = !mapped || (chosen.type & HAL_MEMORY_TYPE_HOST_COHERENT) != 0;
  block->type = chosen.index;
  block->size = padded;
  HAL_TRY(chosen.exported ? FillExported(chosen, padded, block) : FillShared(chosen, padded, block));
  block->contents = block->memory.mapped;
  Describe(block, alignment);
  return kOk;
}

// In a piece that several buffers may lie in.
Status VulkanMemory::FillShared(const MemoryKind& kind, uint64_t length, VulkanBlock* block) {
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(length, nullptr, &block->buffer, &needs));
  needs.alignment = std::max(needs.alignment, kMinAlignment);
  if (!block->coherent) {
    const uint64_t atom = context_.traits().limits.nonCoherentAtomSize;
    needs.alignment = std::max(needs.alignment, atom);
    needs.size = RoundUp(needs.size, atom);
  }
  HAL_TRY(suballocator_.Allocate(kind.index, needs.size, needs.alignment, &block->memory));
  return HAL_VK(context_.vk(), BindBufferMemory, context_.device(), block->buffer.get(), block->memory.memory,
                block->memory.offset);
}

Status VulkanMemory::MakeBlock(const BlockRequest& request, MemoryBlock** out_block) {
  auto block = std::make_unique<VulkanBlock>();
  HAL_TRY(Fill(request.kind, request.length, request.alignment, block.get()));
  *out_block = block.release();
  return kOk;
}

Status VulkanMemory::MakeStaging(uint64_t length, std::unique_ptr<VulkanBlock>* out_block) {
  auto block = std::make_unique<VulkanBlock>();
  HAL_TRY(Fill(staging_kind_, length, 0, block.get()));
  *out_block = std::move(block);
  return kOk;
}

// To whole atoms, which are the block's own. Memory that is not divided may end within one.
VkMappedMemoryRange VulkanMemory::RangeOf(const VulkanBlock& block, uint64_t offset, uint64_t length) const {
  const uint64_t atom = context_.traits().limits.nonCoherentAtomSize;
  const uint64_t begin = (block.memory.offset + block.offset + offset) / atom * atom;
  uint64_t end = RoundUp(block.memory.offset + block.offset + offset + length, atom);
  if (!block.memory.source) end = std::min(end, block.allocation_size);
  VkMappedMemoryRange range{};
  range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
  range.memory = block.memory.memory;
  range.offset = begin;
  range.size = end - begin;
  return range;
}

Status VulkanMemory::Flush(const VulkanBlock& block, uint64_t offset, uint64_t length) const {
  if (block.coherent || length == 0) return kOk;
  const VkMappedMemoryRange range = RangeOf(block, offset, length);
  return HAL_VK(context_.vk(), FlushMappedMemoryRanges, context_.device(), 1, &range);
}

Status VulkanMemory::Invalidate(const VulkanBlock& block, uint64_t offset, uint64_t length) const {
  if (block.coherent || length == 0) return kOk;
  const VkMappedMemoryRange range = RangeOf(block, offset, length);
  return HAL_VK(context_.vk(), InvalidateMappedMemoryRanges, context_.device(), 1, &range);
}

}  // namespace halyard::vulkan
