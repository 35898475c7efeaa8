// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_import.h"

#include <algorithm>
#include <cinttypes>

#include "base/text/flag_words.h"
#include "driver_kit/memory/buffer_parts.h"
#include "halyard/vulkan_interop.h"
#include "platform/memory.h"
#include "vulkan/native/vulkan_given.h"

namespace halyard::vulkan {
namespace {

// `place` is an address, or an offset in a buffer, whose address is a multiple of it.
Status CheckBindings(VulkanMemory& owner, const hal_buffer_params_t& params, uint64_t place) {
  const uint64_t alignment = owner.context().traits().limits.minStorageBufferOffsetAlignment;
  if ((params.usage & HAL_BUFFER_USAGE_STORAGE) == 0 || place % alignment == 0) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "the memory begins %" PRIu64 " bytes behind a multiple of %" PRIu64
              ", which the device's binding_alignment asks of usage STORAGE",
              place % alignment, alignment);
}

// Kernels are bound to whole words.
Status CheckBlock(const hal_buffer_params_t& params, const VulkanBlock& block, uint64_t length) {
  if (params.alignment > 1 && (block.address == 0 || block.address % params.alignment != 0)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the imported memory is not aligned to %" PRIu64 " bytes", params.alignment);
  }
  const uint64_t end = block.offset + length;
  const uint64_t rest = (4 - end % 4) % 4;
  if ((params.usage & HAL_BUFFER_USAGE_STORAGE) == 0 || rest <= block.size - end) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "the VkBuffer ends within the last word of 4 bytes, which the usage STORAGE needs: it has %" PRIu64
              " bytes",
              block.size);
}

// What the usages of a Halyard buffer ask of the VkBuffer.
Status CheckUsage(const hal_buffer_params_t& params, VkBufferUsageFlags usage) {
  const struct {
    hal_buffer_usage_t asked;
    VkBufferUsageFlags bit;
    const char* name;
  } needs[] = {
      {HAL_BUFFER_USAGE_TRANSFER_SOURCE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "VK_BUFFER_USAGE_TRANSFER_SRC_BIT"},
      {HAL_BUFFER_USAGE_TRANSFER_TARGET, VK_BUFFER_USAGE_TRANSFER_DST_BIT, "VK_BUFFER_USAGE_TRANSFER_DST_BIT"},
      {HAL_BUFFER_USAGE_STORAGE | HAL_BUFFER_USAGE_INDIRECT, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
       "VK_BUFFER_USAGE_STORAGE_BUFFER_BIT"},
      {HAL_BUFFER_USAGE_INDIRECT, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT"},
  };
  for (const auto& need : needs) {
    if ((params.usage & need.asked) == 0 || (usage & need.bit) != 0) continue;
    return Fail(HAL_STATUS_INCOMPATIBLE, "the VkBuffer was made without %s, which the usage %s needs", need.name,
                UsageWords(params.usage & need.asked).c_str());
  }
  return kOk;
}

Status CheckBufferRange(const hal_vulkan_buffer_t& given, uint64_t length) {
  if (given.offset <= given.size && length <= given.size - given.offset) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "offset %" PRIu64 " + length %" PRIu64 " exceeds the VkBuffer's %" PRIu64 " bytes", given.offset, length,
              given.size);
}

Status CheckImportable(const VulkanTraits& traits, VkExternalMemoryHandleTypeFlagBits type) {
  if ((traits.imported_memory & type) != 0) return kOk;
  const bool dma_buf = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
  if (!traits.memory_fd || (dma_buf && !traits.dma_buf)) {
    return Fail(
        HAL_STATUS_UNIMPLEMENTED, "the device lacks %s",
        traits.memory_fd ? VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME : VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  }
  return Fail(HAL_STATUS_UNIMPLEMENTED, "the device imports no buffers as %s", dma_buf ? "DMA_BUF" : "OPAQUE_FD");
}

template <class T>
const T* Given(const hal_external_memory_t& memory) {
  return reinterpret_cast<const T*>(static_cast<uintptr_t>(memory.handle));
}

}  // namespace

// Vulkan takes whole pages: those around the range, so that any range can be imported.
Status ImportHost(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                  VulkanImport* out) {
  if (!owner.context().traits().host_memory_import) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "the device lacks VK_EXT_external_memory_host");
  }
  out->type = HAL_MEMORY_TYPE_HOST_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT |
              HAL_MEMORY_TYPE_HOST_CACHED;
  if (owner.context().traits().unified_memory) out->type |= HAL_MEMORY_TYPE_DEVICE_LOCAL;
  HAL_TRY(CheckImport(params, out->type, HAL_BUFFER_USAGE_ALL));
  HAL_TRY(CheckBindings(owner, params, memory.handle));
  const uint64_t page = std::max<uint64_t>(owner.context().traits().import_alignment, 1);
  const uint64_t begin = memory.handle / page * page;
  const uint64_t end = (memory.handle + std::max<uint64_t>(memory.length, 1) + page - 1) / page * page;
  void* const pages = reinterpret_cast<void*>(static_cast<uintptr_t>(begin));
  if (owner.context().traits().pins_writable_pages_only && !MayBeWritten(pages, end - begin)) {
    return FailWith(HAL_STATUS_INCOMPATIBLE, "NVIDIA's Vulkan driver takes no memory that the process may only read");
  }
  return owner.ImportPages(pages, end - begin, memory.handle - begin, &out->block);
}

Status ImportBuffer(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                    VulkanImport* out) {
  const auto* const given = Given<hal_vulkan_buffer_t>(memory);
  HAL_TRY(CheckStruct("memory->handle", given));
  HAL_TRY(CheckBufferRange(*given, memory.length));
  HAL_TRY(CheckUsage(params, given->usage));
  HAL_TRY(CheckBindings(owner, params, given->offset));
  HAL_TRY(owner.WrapBuffer(*given, out));
  HAL_TRY(CheckImport(params, out->type, HAL_BUFFER_USAGE_ALL));
  return CheckBlock(params, *out->block, memory.length);
}

Status ImportDescriptor(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_vulkan_memory_t& given,
                        uint64_t length, VkExternalMemoryHandleTypeFlagBits type, VulkanImport* out) {
  HAL_TRY(CheckImportable(owner.context().traits(), type));
  HAL_TRY(CheckBindings(owner, params, given.offset));
  HAL_TRY(owner.ImportDescriptor(given, type, length, out));
  HAL_TRY(CheckImport(params, out->type, HAL_BUFFER_USAGE_ALL));
  return CheckBlock(params, *out->block, length);
}

Status ImportVulkanMemory(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                          VkExternalMemoryHandleTypeFlagBits type, VulkanImport* out) {
  const auto* const given = Given<hal_vulkan_memory_t>(memory);
  HAL_TRY(CheckStruct("memory->handle", given));
  return ImportDescriptor(owner, params, *given, memory.length, type, out);
}

// What a dma-buf comes from may be another API, whose memory types are not Vulkan's: the driver chooses.
Status ImportHandle(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                    VkExternalMemoryHandleTypeFlagBits type, VulkanImport* out) {
  hal_vulkan_memory_t given = HAL_VULKAN_MEMORY_INIT;
  given.fd = static_cast<int32_t>(memory.handle);
  if (type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT) given.memory_type_index = memory.memory_type_index;
  given.allocation_size = memory.allocation_size;
  given.offset = memory.offset;
  given.dedicated_size = memory.dedicated_size;
  return ImportDescriptor(owner, params, given, memory.length, type, out);
}

}  // namespace halyard::vulkan
