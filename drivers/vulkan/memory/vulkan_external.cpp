// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that crosses the library's border: pages of the host, descriptors, buffers of the application.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <memory>
#include <string_view>

#include "vulkan/memory/vulkan_memory.h"
#include "vulkan/native/vulkan_given.h"

namespace halyard::vulkan {
namespace {

VkExternalMemoryBufferCreateInfo ExternalInfo(VkExternalMemoryHandleTypeFlags types) {
  VkExternalMemoryBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  info.handleTypes = types;
  return info;
}

bool MustBeDedicated(const VulkanContext& context, VkBuffer buffer) {
  VkMemoryDedicatedRequirements dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
  VkMemoryRequirements2 needs{};
  needs.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  needs.pNext = &dedicated;
  VkBufferMemoryRequirementsInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2;
  info.buffer = buffer;
  context.vk().GetBufferMemoryRequirements2(context.device(), &info, &needs);
  return context.traits().dedicated_memory || dedicated.requiresDedicatedAllocation != VK_FALSE;
}

uint32_t CoherentTypes(const VkPhysicalDeviceMemoryProperties& memory, uint32_t types) {
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const bool is_coherent = (memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    if (!is_coherent) types &= ~(uint32_t{1} << i);
  }
  return types;
}

Status CheckRange(const hal_vulkan_memory_t& given, uint64_t length) {
  if (given.allocation_size == 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "allocation_size is 0; expected the bytes of the whole memory");
  }
  if (given.dedicated_size > given.allocation_size) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "dedicated_size is %" PRIu64 ", more than allocation_size, %" PRIu64,
                given.dedicated_size, given.allocation_size);
  }
  const uint64_t whole = given.dedicated_size != 0 ? given.dedicated_size : given.allocation_size;
  if (given.offset <= whole && length <= whole - given.offset) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "offset %" PRIu64 " + length %" PRIu64 " exceeds the memory's %" PRIu64 " bytes",
              given.offset, length, whole);
}

Status CheckPlace(const hal_vulkan_buffer_t& given) {
  if (given.buffer == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "buffer is no VkBuffer, but 0");
  if (given.memory == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "memory is no VkDeviceMemory, but 0");
  return kOk;
}

// An import takes no memory of the device. Drivers that answer OUT_OF_DEVICE_MEMORY all the same (NVIDIA's) mean that
// the descriptor is no such memory. They do so while it is allocated, not while it is bound.
Status ExplainImport(Status status, bool is_allocated) {
  if (status.code() != HAL_STATUS_RESOURCE_EXHAUSTED || is_allocated) return status;
  if (status.message().find("VK_ERROR_OUT_OF_DEVICE_MEMORY") == std::string_view::npos) return status;
  const Failure told(status);
  return Fail(HAL_STATUS_INCOMPATIBLE, "%s: the descriptor is no memory that the device can import",
              told.message().data());
}

Status CheckExported(const VulkanTraits& traits, hal_buffer_usage_t usage, const VulkanBlock& block,
                     VkExternalMemoryHandleTypeFlags type) {
  if (!traits.memory_fd) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "the device lacks %s", VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  }
  if ((traits.exported_memory & type) == 0) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "the device exports no buffers as %s",
                type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT ? "DMA_BUF" : "OPAQUE_FD");
  }
  if ((usage & HAL_BUFFER_USAGE_EXPORT) == 0) {
    return FailWith(HAL_STATUS_PERMISSION_DENIED, "the buffer was made without HAL_BUFFER_USAGE_EXPORT");
  }
  if ((block.exported & type) != 0) return kOk;
  return FailWith(
      HAL_STATUS_FAILED_PRECONDITION,
      "the buffer has memory that was imported, or of a type that the device shares by no descriptor: export it "
      "where it was made, or ask for another memory type");
}

}  // namespace

Status VulkanMemory::AllocateOwn(uint64_t size, uint32_t type, const void* next, VulkanBlock* block) const {
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.pNext = next;
  dedicated.buffer = block->buffer.get();
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = block->is_dedicated ? &dedicated : next;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  const DeviceFunctions& vk = context_.vk();
  HAL_TRY(HAL_VK(vk, AllocateMemory, context_.device(), &info, nullptr, block->own.out(context_)));
  block->type = type;
  block->memory.memory = block->own.get();
  block->allocation_size = size;
  return HAL_VK(vk, BindBufferMemory, context_.device(), block->buffer.get(), block->own.get(), 0);
}

// As long as the memory lives.
Status VulkanMemory::MapOwn(VulkanBlock* block) const {
  const VkMemoryPropertyFlags properties = context_.traits().memory.memoryTypes[block->type].propertyFlags;
  if ((properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return kOk;
  void* address = nullptr;
  HAL_TRY(HAL_VK(context_.vk(), MapMemory, context_.device(), block->own.get(), 0, VK_WHOLE_SIZE, 0, &address));
  block->memory.mapped = static_cast<char*>(address);
  block->coherent = (properties & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  return kOk;
}

Status VulkanMemory::FillExported(const MemoryKind& kind, uint64_t length, VulkanBlock* block) {
  block->exported = context_.traits().exported_memory;
  const VkExternalMemoryBufferCreateInfo external = ExternalInfo(block->exported);
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(length, &external, &block->buffer, &needs));
  block->is_dedicated = MustBeDedicated(context_, block->buffer.get());
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = block->exported;
  HAL_TRY(AllocateOwn(needs.size, kind.index, &exported, block));
  return MapOwn(block);
}

Status VulkanMemory::ImportPages(void* begin, uint64_t length, uint64_t offset,
                                 std::unique_ptr<VulkanBlock>* out_block) {
  constexpr VkExternalMemoryHandleTypeFlagBits kHost = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  HAL_TRY(HAL_VK(context_.vk(), GetMemoryHostPointerPropertiesEXT, context_.device(), kHost, begin, &properties));
  const VkExternalMemoryBufferCreateInfo external = ExternalInfo(kHost);
  auto block = std::make_unique<VulkanBlock>();
  block->size = length;
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(length, &external, &block->buffer, &needs));
  const uint32_t types = CoherentTypes(context_.traits().memory, properties.memoryTypeBits & needs.memoryTypeBits);
  if (types == 0) {
    return FailWith(HAL_STATUS_INCOMPATIBLE, "no buffer of the device can lie in that memory and be HOST_COHERENT");
  }
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kHost;
  import.pHostPointer = begin;
  HAL_TRY(AllocateOwn(length, static_cast<uint32_t>(std::countr_zero(types)), &import, block.get()));
  block->contents = static_cast<char*>(begin);
  Describe(block.get(), 0);
  Advance(block.get(), offset);
  *out_block = std::move(block);
  return kOk;
}

Status VulkanMemory::ChooseImportType(const hal_vulkan_memory_t& given, VkExternalMemoryHandleTypeFlagBits type,
                                      uint32_t usable, uint32_t* out_index) const {
  if (type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT) {
    VkMemoryFdPropertiesKHR properties{};
    properties.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR;
    HAL_TRY(HAL_VK(context_.vk(), GetMemoryFdPropertiesKHR, context_.device(), type, given.fd, &properties));
    usable &= properties.memoryTypeBits;
  }
  uint32_t index = given.memory_type_index;
  for (const MemoryKind& kind : kinds_) {
    const bool local = (kind.type & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0 && (usable >> kind.index & 1) != 0;
    if (index == HAL_VULKAN_ANY_MEMORY_TYPE && local) index = kind.index;
  }
  if (index == HAL_VULKAN_ANY_MEMORY_TYPE && usable != 0) index = static_cast<uint32_t>(std::countr_zero(usable));
  *out_index = index;
  if (index < VK_MAX_MEMORY_TYPES && (usable >> index & 1) != 0) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "memory_type_index is %" PRIu32 "; buffers of the device can lie in the types 0x%" PRIx32
              ", a bit for each",
              given.memory_type_index, usable);
}

Status VulkanMemory::ImportDescriptor(const hal_vulkan_memory_t& given, VkExternalMemoryHandleTypeFlagBits type,
                                      uint64_t length, VulkanImport* out) {
  HAL_TRY(CheckDescriptor(given.fd));
  HAL_TRY(CheckRange(given, length));
  auto block = std::make_unique<VulkanBlock>();
  block->is_dedicated = given.dedicated_size != 0;
  const uint64_t end = RoundUp(std::max<uint64_t>(given.offset + length, 1), kPadding);
  block->size = block->is_dedicated ? given.dedicated_size : std::min(end, given.allocation_size);
  const VkExternalMemoryBufferCreateInfo external = ExternalInfo(type);
  VkMemoryRequirements needs{};
  HAL_TRY(MakeBuffer(block->size, &external, &block->buffer, &needs));
  uint32_t index = 0;
  HAL_TRY(ChooseImportType(given, type, needs.memoryTypeBits, &index));
  if (needs.size > given.allocation_size) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "a buffer of %" PRIu64 " bytes needs %" PRIu64 "; allocation_size is %" PRIu64,
                block->size, needs.size, given.allocation_size);
  }
  FileDescriptor descriptor;
  HAL_TRY(DuplicateDescriptor(given.fd, &descriptor));
  VkImportMemoryFdInfoKHR import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.handleType = type;
  import.fd = descriptor.get();
  const Status status = AllocateOwn(given.allocation_size, index, &import, block.get());
  if (block->own) descriptor.Release();
  HAL_TRY(ExplainImport(status, static_cast<bool>(block->own)));
  HAL_TRY(MapOwn(block.get()));
  block->contents = block->memory.mapped;
  Describe(block.get(), 0);
  Advance(block.get(), given.offset);
  *out = {std::move(block), TypeOf(index)};
  return kOk;
}

Status VulkanMemory::ExportDescriptor(const VulkanBlock& block, hal_buffer_usage_t usage,
                                      VkExternalMemoryHandleTypeFlagBits type, hal_vulkan_memory_t* out) const {
  HAL_TRY(CheckExported(context_.traits(), usage, block, type));
  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.handleType = type;
  info.memory = block.own.get();
  HAL_TRY(HAL_VK(context_.vk(), GetMemoryFdKHR, context_.device(), &info, &out->fd));
  out->memory_type_index = block.type;
  out->allocation_size = block.allocation_size;
  out->offset = block.offset;
  out->dedicated_size = block.is_dedicated ? block.size : 0;
  return kOk;
}

Status VulkanMemory::WrapBuffer(const hal_vulkan_buffer_t& given, VulkanImport* out) {
  HAL_TRY(CheckPlace(given));
  const VkPhysicalDeviceMemoryProperties& memory = context_.traits().memory;
  if (given.memory_type_index >= memory.memoryTypeCount) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "memory_type_index is %" PRIu32 "; the device has %" PRIu32 " types",
                given.memory_type_index, memory.memoryTypeCount);
  }
  hal_memory_type_t type = TypeOf(given.memory_type_index);
  if (!given.host_pointer) {
    type &= ~(HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED);
  } else if ((type & HAL_MEMORY_TYPE_HOST_COHERENT) == 0) {
    return FailWith(HAL_STATUS_INCOMPATIBLE,
                    "the mapped memory is not HOST_COHERENT, and what the application has mapped of it is not known: "
                    "pass NULL as host_pointer");
  }
  auto block = std::make_unique<VulkanBlock>();
  block->buffer = OwnedBuffer(context_, reinterpret_cast<VkBuffer>(given.buffer));
  block->is_wrapped = true;
  block->memory.memory = reinterpret_cast<VkDeviceMemory>(given.memory);
  block->memory.offset = given.memory_offset;
  block->type = given.memory_type_index;
  block->size = given.size;
  block->usage = given.usage;
  Describe(block.get(), 0);
  Advance(block.get(), given.offset);
  block->contents = static_cast<char*>(given.host_pointer);
  *out = {std::move(block), type};
  return kOk;
}

}  // namespace halyard::vulkan
