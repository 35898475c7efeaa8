// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_bindings.h"

#include "vulkan/device/vulkan_device.h"
#include "vulkan/memory/vulkan_buffer.h"

namespace halyard::vulkan {

Status ToNative(const BufferRange& range, NativeBytes* out) {
  const VulkanBlock* const block = static_cast<const VulkanBuffer*>(range.buffer)->block();
  if (!block) return FailOutsideLife();
  *out = {block->buffer.get(), block->offset + range.offset, range.length};
  return kOk;
}

// A binding without bytes has some all the same, as Vulkan knows no empty range.
Status DispatchBindings::Resolve(const CommandContext& context, const hal_command_dispatch_t& dispatch) {
  const auto& executable = *static_cast<const VulkanExecutable*>(dispatch.executable);
  const hal_buffer_ref_list_t& bindings = dispatch.params->bindings;
  for (size_t i = 0; i < bindings.count; ++i) {
    BufferRange range;
    NativeBytes bytes;
    HAL_TRY(halyard::Resolve(bindings.refs[i], context.table, &range));
    HAL_TRY(ToNative(range, &bytes));
    if (executable.Writes(dispatch.ordinal, i)) {
      context.recording.NoteWrite(*static_cast<const VulkanBuffer*>(range.buffer));
    }
    if (bytes.length == 0) bytes = {bytes.buffer, 0, 4};
    ranges_[i] = {bytes.buffer, bytes.offset, (bytes.length + 3) / 4 * 4};
  }
  return kOk;
}

void DispatchBindings::Write(const VulkanContext& context, const KernelSet& set, VkDescriptorSet handle) const {
  const auto count = static_cast<uint32_t>(set.members.size());
  std::array<VkWriteDescriptorSet, kMaxBindings> writes;
  for (uint32_t i = 0; i < count; ++i) {
    writes[i] = {};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = handle;
    writes[i].dstBinding = set.members[i].number;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &ranges_[set.members[i].binding];
  }
  context.vk().UpdateDescriptorSets(context.device(), count, writes.data(), 0, nullptr);
}

}  // namespace halyard::vulkan
