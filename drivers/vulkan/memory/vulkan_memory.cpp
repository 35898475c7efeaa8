// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_memory.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <memory>

#include "base/text/flag_words.h"

namespace halyard::vulkan {
namespace {

// Kernels of the driver move whole words, and fills write them.
constexpr uint64_t kPadding = 16;  // bytes
// A window of the device's memory for the host, which is not to be filled by what could lie elsewhere.
constexpr uint64_t kWindowSize = uint64_t{256} << 20;  // bytes

constexpr VkMemoryPropertyFlags kUnusable = VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                            VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;

constexpr VkBufferUsageFlags kBufferUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                            VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                            VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

uint64_t RoundUp(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

hal_memory_type_t TypeOf(VkMemoryPropertyFlags flags, bool unified) {
  hal_memory_type_t type = 0;
  if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0) type |= HAL_MEMORY_TYPE_DEVICE_LOCAL;
  if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0 || unified) type |= HAL_MEMORY_TYPE_HOST_LOCAL;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
  if ((flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0) type |= HAL_MEMORY_TYPE_HOST_COHERENT;
  if ((flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0) type |= HAL_MEMORY_TYPE_HOST_CACHED;
  return type;
}

}  // namespace

VulkanBlock::~VulkanBlock() {
  buffer.reset();
  if (memory.source) memory.source->Free(memory);
}

VulkanMemory::VulkanMemory(SubmissionDevice& device, VulkanContext& context, const VulkanOptions& options)
    : BlockMemory(device, options.memory, options.pool), context_(context), suballocator_(context) {}

VulkanMemory::~VulkanMemory() { DropAll(); }

// What a buffer of one usage may have does not depend on its length.
Status VulkanMemory::Open() {
  OwnedBuffer probe;
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(kPadding, nullptr, &probe, &needs));
  const VulkanTraits& traits = context_.traits();
  for (uint32_t i = 0; i < traits.memory.memoryTypeCount; ++i) {
    const VkMemoryType& one = traits.memory.memoryTypes[i];
    if ((needs.memoryTypeBits >> i & 1) == 0 || (one.propertyFlags & kUnusable) != 0) continue;
    MemoryKind kind;
    kind.index = i;
    kind.type = TypeOf(one.propertyFlags, traits.unified_memory);
    kind.usage = (kind.type & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0 ? HAL_BUFFER_USAGE_ALL
                                                                 : HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_MAPPING;
    kind.heap_size = traits.memory.memoryHeaps[one.heapIndex].size;
    const auto same = [&](const MemoryKind& other) { return other.type == kind.type; };
    if (std::none_of(kinds_.begin(), kinds_.end(), same)) kinds_.push_back(kind);
  }
  HAL_TRY(Choose(HAL_MEMORY_TYPE_DEVICE_LOCAL, HAL_BUFFER_USAGE_DEFAULT, &cached_kind_));
  constexpr hal_memory_type_t kCoherent = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
  const ScopedErrorMessage keeper;
  if (Choose(kCoherent, HAL_BUFFER_USAGE_TRANSFER, &staging_kind_) == kOk) return kOk;
  return Choose(HAL_MEMORY_TYPE_HOST_VISIBLE, HAL_BUFFER_USAGE_TRANSFER, &staging_kind_);
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

Status VulkanMemory::Choose(hal_memory_type_t type, hal_buffer_usage_t usage, uint32_t* out_number) const {
  int least = INT32_MAX;
  for (uint32_t i = 0; i < kinds_.size(); ++i) {
    if ((type & ~kinds_[i].type) != 0 || (usage & ~kinds_[i].usage) != 0) continue;
    const int surplus = Surplus(kinds_[i], type, usage);
    if (surplus >= least) continue;
    least = surplus;
    *out_number = i;
  }
  if (least != INT32_MAX) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "no memory of the device has the type %s and the usage %s together; see hal_allocator_query_heaps()",
              MemoryTypeWords(type).c_str(), UsageWords(usage).c_str());
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
  const uint64_t begin = context_.vk().GetBufferDeviceAddress(context_.device(), &info);
  if (alignment > kMinAlignment) block->offset = RoundUp(begin, alignment) - begin;
  block->address = begin + block->offset;
  if (block->contents) block->contents += block->offset;
  block->identity = next_identity_.fetch_add(1, std::memory_order_relaxed);
}

Status VulkanMemory::Fill(uint32_t kind, uint64_t length, uint64_t alignment, VulkanBlock* block) {
  const uint64_t padded =
      RoundUp(std::max<uint64_t>(length, 1), kPadding) + (alignment > kMinAlignment ? alignment : 0);
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(padded, nullptr, &block->buffer, &needs));
  needs.alignment = std::max(needs.alignment, kMinAlignment);
  const bool mapped = (kinds_[kind].type & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0;
  block->coherent = !mapped || (kinds_[kind].type & HAL_MEMORY_TYPE_HOST_COHERENT) != 0;
  if (!block->coherent) {
    const uint64_t atom = context_.traits().limits.nonCoherentAtomSize;
    needs.alignment = std::max(needs.alignment, atom);
    needs.size = RoundUp(needs.size, atom);
  }
  HAL_TRY(suballocator_.Allocate(kinds_[kind].index, needs.size, needs.alignment, &block->memory));
  HAL_TRY(HAL_VK(context_.vk(), BindBufferMemory, context_.device(), block->buffer.get(), block->memory.memory,
                 block->memory.offset));
  block->contents = block->memory.mapped;
  Describe(block, alignment);
  return kOk;
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

Status VulkanMemory::ImportPages(void* begin, uint64_t length, uint64_t offset,
                                 std::unique_ptr<VulkanBlock>* out_block) {
  const DeviceFunctions& vk = context_.vk();
  constexpr VkExternalMemoryHandleTypeFlagBits kHost = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  HAL_TRY(HAL_VK(vk, GetMemoryHostPointerPropertiesEXT, context_.device(), kHost, begin, &properties));
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kHost;
  auto block = std::make_unique<VulkanBlock>();
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(length, &external, &block->buffer, &needs));
  const uint32_t types = properties.memoryTypeBits & needs.memoryTypeBits;
  if (types == 0) return FailWith(HAL_STATUS_INCOMPATIBLE, "no buffer of the device can lie in that memory");
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.pNext = &flags;
  import.handleType = kHost;
  import.pHostPointer = begin;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &import;
  info.allocationSize = length;
  info.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(types));
  HAL_TRY(HAL_VK(vk, AllocateMemory, context_.device(), &info, nullptr, block->imported.out(context_)));
  HAL_TRY(HAL_VK(vk, BindBufferMemory, context_.device(), block->buffer.get(), block->imported.get(), 0));
  block->contents = static_cast<char*>(begin) + offset;
  Describe(block.get(), 0);
  block->offset = offset;
  block->address += offset;
  *out_block = std::move(block);
  return kOk;
}

// To whole atoms, which are the block's own.
VkMappedMemoryRange VulkanMemory::RangeOf(const VulkanBlock& block, uint64_t offset, uint64_t length) const {
  const uint64_t atom = context_.traits().limits.nonCoherentAtomSize;
  const uint64_t begin = (block.memory.offset + block.offset + offset) / atom * atom;
  const uint64_t end = RoundUp(block.memory.offset + block.offset + offset + length, atom);
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
