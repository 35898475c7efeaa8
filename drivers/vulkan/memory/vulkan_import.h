// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports of memory: what is asked of it, and whether it can be had.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_IMPORT_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_IMPORT_H_

#include "base/status.h"
#include "halyard/driver_api.h"
#include "vulkan/memory/vulkan_memory.h"

namespace halyard::vulkan {

/// `memory.handle` is a pointer.
Status ImportHost(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                  VulkanImport* out);
/// `memory.handle` is the address of a hal_vulkan_buffer_t.
Status ImportBuffer(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                    VulkanImport* out);
/// `memory.handle` is the address of a hal_vulkan_memory_t.
Status ImportVulkanMemory(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                          VkExternalMemoryHandleTypeFlagBits type, VulkanImport* out);
/// `memory.handle` is a descriptor.
Status ImportHandle(VulkanMemory& owner, const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                    VkExternalMemoryHandleTypeFlagBits type, VulkanImport* out);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_IMPORT_H_
