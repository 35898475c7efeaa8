// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_commands.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "driver_kit/queue/command_order.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/recording/vulkan_barriers.h"
#include "vulkan/recording/vulkan_transfers.h"

namespace halyard::vulkan {
namespace {

const VulkanBuffer& BufferOf(const BufferRange& range) { return *static_cast<const VulkanBuffer*>(range.buffer); }

Status ToBytes(const BufferRange& range, NativeBytes* out) {
  const VulkanBlock* const block = BufferOf(range).block();
  if (!block) return FailOutsideLife();
  *out = {block->buffer.get(), block->offset + range.offset, range.length};
  return kOk;
}

Status Fill(const CommandContext& context, const hal_command_fill_t& fill) {
  BufferRange range;
  NativeBytes target;
  HAL_TRY(ResolveFill(fill, context.table, &range));
  HAL_TRY(ToBytes(range, &target));
  if (target.length == 0) return kOk;
  context.recording.NoteWrite(BufferOf(range));
  return RecordFill(context.recording, target, fill.pattern);
}

Status Update(const CommandContext& context, const hal_command_update_t& update) {
  BufferRange range;
  NativeBytes target;
  HAL_TRY(Resolve(update.target, context.table, &range));
  HAL_TRY(ToBytes(range, &target));
  if (target.length == 0) return kOk;
  context.recording.NoteWrite(BufferOf(range));
  return RecordUpdate(context.recording, target, update.data);
}

Status Copy(const CommandContext& context, const hal_command_copy_t& copy) {
  CopyRanges ranges;
  NativeBytes source;
  NativeBytes target;
  HAL_TRY(ResolveCopy(copy, context.table, &ranges));
  HAL_TRY(ToBytes(ranges.source, &source));
  HAL_TRY(ToBytes(ranges.target, &target));
  if (target.length == 0) return kOk;
  context.recording.NoteWrite(BufferOf(ranges.target));
  return RecordCopy(context.recording, target, source.buffer, source.offset);
}

/// A dispatch on its way into a recording.
class DispatchRecorder {
 public:
  DispatchRecorder(const CommandContext& context, const hal_command_dispatch_t& dispatch, uint32_t index)
      : context_(context),
        dispatch_(dispatch),
        index_(index),
        params_(*dispatch.params),
        executable_(*static_cast<VulkanExecutable*>(dispatch.executable)),
        kernel_(executable_.Kernel(dispatch.ordinal)),
        vk_(context.recording.vk()),
        commands_(context.recording.commands()) {}

  Status Record() {
    NativeBytes counts;
    const bool is_indirect = (params_.flags & HAL_DISPATCH_INDIRECT) != 0;
    if (is_indirect) HAL_TRY(FindCounts(&counts));
    VkPipeline pipeline = VK_NULL_HANDLE;
    HAL_TRY(
        executable_.FindPipeline(dispatch_.ordinal, params_.workgroup_size, params_.dynamic_local_memory, &pipeline));
    vk_.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    HAL_TRY(BindSets());
    PushConstants();
    const hal_dim3_t count = is_indirect ? hal_dim3_t{0, 0, 0} : params_.workgroup_count;
    VulkanTimes& times = context_.recording.times();
    times.BeginDispatch(commands_, index_, *executable_.ExportInfo(dispatch_.ordinal), count);
    if (is_indirect) {
      vk_.CmdDispatchIndirect(commands_, counts.buffer, counts.offset);
    } else {
      vk_.CmdDispatch(commands_, count.x, count.y, count.z);
    }
    times.EndDispatch(commands_);
    return kOk;
  }

 private:
  Status BindSets() {
    std::array<VkDescriptorBufferInfo, kMaxBindings> ranges;
    for (size_t i = 0; i < params_.bindings.count; ++i) HAL_TRY(Describe(i, &ranges[i]));
    for (const KernelSet& set : kernel_.sets) HAL_TRY(BindSet(set, ranges));
    return kOk;
  }

  // A binding without bytes has some all the same, as Vulkan knows no empty range.
  Status Describe(size_t binding, VkDescriptorBufferInfo* out) {
    BufferRange range;
    NativeBytes bytes;
    HAL_TRY(Resolve(params_.bindings.refs[binding], context_.table, &range));
    HAL_TRY(ToBytes(range, &bytes));
    if (executable_.Writes(dispatch_.ordinal, binding)) context_.recording.NoteWrite(BufferOf(range));
    if (bytes.length == 0) bytes = {bytes.buffer, 0, 4};
    *out = {bytes.buffer, bytes.offset, (bytes.length + 3) / 4 * 4};
    return kOk;
  }

  Status BindSet(const KernelSet& set, std::span<const VkDescriptorBufferInfo> ranges) {
    const auto count = static_cast<uint32_t>(set.members.size());
    VkDescriptorSet handle = VK_NULL_HANDLE;
    HAL_TRY(context_.recording.sets().Allocate(set.layout, count, &handle));
    std::array<VkWriteDescriptorSet, kMaxBindings> writes;
    for (uint32_t i = 0; i < count; ++i) {
      writes[i] = {};
      writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      writes[i].dstSet = handle;
      writes[i].dstBinding = set.members[i].number;
      writes[i].descriptorCount = 1;
      writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      writes[i].pBufferInfo = &ranges[set.members[i].binding];
    }
    vk_.UpdateDescriptorSets(context_.recording.context().device(), count, writes.data(), 0, nullptr);
    vk_.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout.get(), set.number, 1, &handle,
                              0, nullptr);
    return kOk;
  }

  void PushConstants() {
    if (kernel_.constants_size == 0) return;
    std::array<char, kMaxConstantsSize> padded{};
    std::memcpy(padded.data(), params_.constants, params_.constants_size);
    vk_.CmdPushConstants(commands_, kernel_.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel_.constants_size,
                         padded.data());
  }

  // Counts beyond the limit are undefined behaviour in Vulkan: a kernel looks at them first, and passes on a copy.
  Status FindCounts(NativeBytes* out) {
    BufferRange range;
    HAL_TRY(Resolve(params_.indirect, context_.table, &range));
    HAL_TRY(ToBytes(range, out));
    if (!context_.checks_counts) return kOk;
    const hal_dim3_t& most = context_.device.limits().max_workgroup_count;
    StagedBytes checked;
    HAL_TRY(context_.recording.staging().Take(16, 16, &checked));
    HAL_TRY(context_.device.builtins().RecordCountCheck(context_.recording, *out, checked, most));
    RecordBarrier(vk_, commands_, {kComputeWork, kIndirectWork});
    context_.recording.AddCountCheck({checked.buffer, checked.offset + 12, checked.data + 12},
                                     View(executable_.ExportInfo(dispatch_.ordinal)->name), most);
    *out = {checked.buffer, checked.offset, 12};
    return kOk;
  }

  const CommandContext& context_;
  const hal_command_dispatch_t& dispatch_;
  const uint32_t index_;
  const hal_dispatch_params_t& params_;
  VulkanExecutable& executable_;
  const VulkanKernel& kernel_;
  const DeviceFunctions& vk_;
  const VkCommandBuffer commands_;
};

}  // namespace

Status RecordCommand(const CommandContext& context, const hal_command_t& command, uint32_t index) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return Fill(context, command.u.fill);
    case HAL_COMMAND_TYPE_UPDATE:
      return Update(context, command.u.update);
    case HAL_COMMAND_TYPE_COPY:
      return Copy(context, command.u.copy);
    case HAL_COMMAND_TYPE_DISPATCH:
      return DispatchRecorder(context, command.u.dispatch, index).Record();
    default:
      return kOk;
  }
}

Status RecordAlone(VulkanDevice& device, const hal_command_t& command, Timing timing, VulkanRecording& recording) {
  HAL_TRY(recording.Begin());
  if (timing != Timing::kNothing) {
    const bool times_dispatch = timing == Timing::kDispatches && command.type == HAL_COMMAND_TYPE_DISPATCH;
    recording.times().Begin(recording.commands(), times_dispatch ? 1 : 0);
  }
  if (!RunsNothing(command)) HAL_TRY(RecordCommand({device, {}, recording}, command, 0));
  return recording.End();
}

}  // namespace halyard::vulkan
