// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills, updates and copies of any bytes, with Vulkan's commands, some of which want multiples of four.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_TRANSFERS_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_TRANSFERS_H_

#include <cstdint>

#include "base/status.h"
#include "driver_kit/queue/copy_box.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

class VulkanRecording;

/// A range of a native buffer, of at least one byte.
struct NativeBytes {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// @name What a command records
/// No byte beside the range is read or written: it may belong to a command that runs at the same time.
/// @{
Status RecordFill(VulkanRecording& recording, const NativeBytes& target, uint32_t pattern);
Status RecordUpdate(VulkanRecording& recording, const NativeBytes& target, const void* data);
Status RecordCopy(VulkanRecording& recording, const NativeBytes& target, VkBuffer source, uint64_t source_offset);
/// A region for each row.
void RecordCopyRows(VulkanRecording& recording, const NativeBytes& target, const NativeBytes& source,
                    const CopyBox& box);
/// @}

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_TRANSFERS_H_
