// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_bindings.h"

#include <algorithm>
#include <cstring>

#include "vulkan/memory/vulkan_buffer.h"
#include "vulkan/recording/vulkan_recording_device.h"

namespace halyard::vulkan {

Status ToNative(const BufferRange& range, NativeBytes* out) {
  const VulkanBlock* const block = static_cast<const VulkanBuffer*>(range.buffer)->block();
  if (!block) return FailOutsideLife();
  *out = {block->buffer.get(), block->offset + range.offset, range.length};
  return kOk;
}

// What a kernel learns of an empty binding is that it has no elements; of the driver's own buffer, at most one of a
// byte.
VkDescriptorBufferInfo DispatchBindings::Nothing(const CommandContext& context, uint64_t size) {
  if (context.device.traits().null_descriptors) return {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
  const VulkanBlock& nothing = context.device.memory().nothing();
  return {nothing.buffer.get(), 0, std::clamp<uint64_t>(size, 1, nothing.size)};
}

// The range is exact, so that the lengths that kernels ask for are. Of a uniform buffer the device may take less than
// is bound: kernels know its size.
Status DispatchBindings::Resolve(const CommandContext& context, const hal_command_dispatch_t& dispatch) {
  const auto& executable = *static_cast<const VulkanExecutable*>(dispatch.executable);
  const hal_buffer_ref_list_t& bindings = dispatch.params->bindings;
  for (size_t i = 0; i < bindings.count; ++i) {
    const KernelBinding& declared = executable.Kernel(dispatch.ordinal).bindings[i];
    BufferRange range;
    NativeBytes bytes;
    HAL_TRY(halyard::Resolve(bindings.refs[i], context.table, &range));
    HAL_TRY(ToNative(range, &bytes));
    if (executable.Writes(dispatch.ordinal, i)) {
      context.recording.NoteWrite(*static_cast<const VulkanBuffer*>(range.buffer));
    }
    if (declared.is_uniform()) {
      HAL_TRY(executable.CheckUniform(dispatch.ordinal, i, bytes.offset, bytes.length));
      bytes.length = std::min<uint64_t>(bytes.length, context.device.traits().limits.maxUniformBufferRange);
    }
    ranges_[i] = bytes.length == 0 ? Nothing(context, declared.size)
                                   : VkDescriptorBufferInfo{bytes.buffer, bytes.offset, bytes.length};
  }
  return kOk;
}

Status PutAddresses(const CommandContext& context, const hal_command_dispatch_t& dispatch, char* constants) {
  const auto& executable = *static_cast<const VulkanExecutable*>(dispatch.executable);
  for (const KernelAddress& address : executable.Kernel(dispatch.ordinal).addresses) {
    BufferRange range;
    HAL_TRY(halyard::Resolve(dispatch.params->bindings.refs[address.binding], context.table, &range));
    const auto& buffer = *static_cast<const VulkanBuffer*>(range.buffer);
    const VulkanBlock* const block = buffer.block();
    if (!block) return FailOutsideLife();
    if (block->address == 0) {
      return Fail(HAL_STATUS_FAILED_PRECONDITION,
                  "binding %u: the kernel takes its address, and its buffer was imported without "
                  "VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT",
                  address.binding);
    }
    if (executable.Writes(dispatch.ordinal, address.binding)) context.recording.NoteWrite(buffer);
    const uint64_t begin = block->address + range.offset;
    std::memcpy(constants + address.offset, &begin, sizeof(begin));
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
    writes[i].descriptorType = set.members[i].type;
    writes[i].pBufferInfo = &ranges_[set.members[i].binding];
  }
  context.vk().UpdateDescriptorSets(context.device(), count, writes.data(), 0, nullptr);
}

}  // namespace halyard::vulkan
