// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_commands.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_order.h"
#include "driver_kit/queue/copy_box.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/recording/vulkan_bindings.h"
#include "vulkan/recording/vulkan_builtins.h"
#include "vulkan/recording/vulkan_recording_device.h"
#include "vulkan/recording/vulkan_transfers.h"

namespace halyard::vulkan {
namespace {

const VulkanBuffer& BufferOf(const BufferRange& range) { return *static_cast<const VulkanBuffer*>(range.buffer); }

Status Record(const CommandContext& context, const hal_command_fill_t& fill) {
  BufferRange range;
  NativeBytes target;
  HAL_TRY(ResolveFill(fill, context.table, &range));
  HAL_TRY(ToNative(range, &target));
  if (target.length == 0) return kOk;
  context.recording.NoteWrite(BufferOf(range));
  return RecordFill(context.recording, target, fill.pattern);
}

Status Record(const CommandContext& context, const hal_command_update_t& update) {
  BufferRange range;
  NativeBytes target;
  HAL_TRY(Resolve(update.target, context.table, &range));
  HAL_TRY(ToNative(range, &target));
  if (target.length == 0) return kOk;
  context.recording.NoteWrite(BufferOf(range));
  return RecordUpdate(context.recording, target, update.data);
}

// Where kernels copy faster: inside the memory of a GPU that has its own.
bool IsForKernel(const VulkanRecordingDevice& device, const hal_buffer_t* source, const hal_buffer_t* target) {
  switch (device.options().transfers) {
    case Transfers::kCommand:
      return false;
    case Transfers::kKernel:
      return true;
    default:
      break;
  }
  const auto is_inside = [](const hal_buffer_t* buffer) {
    return (buffer->memory_type & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0 &&
           (buffer->memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE) == 0;
  };
  return device.traits().type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU && is_inside(source) && is_inside(target);
}

/// The ranges of a copy's two sides, of rows or not. The target is noted unless it is empty.
template <class Copy>
Status ResolveSides(const CommandContext& context, const Copy& copy, CopyRanges* ranges, NativeBytes* source,
                    NativeBytes* target) {
  HAL_TRY(ResolveCopy(copy, context.table, ranges));
  HAL_TRY(ToNative(ranges->source, source));
  HAL_TRY(ToNative(ranges->target, target));
  if (target->length > 0) context.recording.NoteWrite(BufferOf(ranges->target));
  return kOk;
}

Status Record(const CommandContext& context, const hal_command_copy_t& copy) {
  CopyRanges ranges;
  NativeBytes source;
  NativeBytes target;
  HAL_TRY(ResolveSides(context, copy, &ranges, &source, &target));
  if (target.length == 0) return kOk;
  if (IsForKernel(context.device, ranges.source.buffer, ranges.target.buffer)) {
    return context.device.builtins().RecordCopy(context.recording, target, source.buffer, source.offset);
  }
  return RecordCopy(context.recording, target, source.buffer, source.offset);
}

Status Record(const CommandContext& context, const hal_strided_copy_params_t& copy) {
  CopyRanges ranges;
  NativeBytes source;
  NativeBytes target;
  HAL_TRY(ResolveSides(context, copy, &ranges, &source, &target));
  if (target.length == 0) return kOk;
  RecordCopyRows(context.recording, target, source, BoxOf(copy));
  return kOk;
}

// Where a range begins in its VkBuffer, as far as groups of 16 bytes go. Memory that is yet to come begins with one.
uint64_t NativeOffset(const hal_buffer_ref_t& ref) {
  const VulkanBlock* const block = static_cast<const VulkanBuffer*>(ref.buffer)->block();
  return ref.offset + (block ? block->offset : 0);
}

// What is known of a copy before its table is. Commands copy the bytes beside groups of 16, whatever `transfers` says.
WorkMask KindOf(const VulkanRecordingDevice& device, const hal_command_copy_t& copy) {
  const bool is_known = copy.source.buffer && copy.target.buffer;
  if (!is_known) {
    const bool has_kernels = device.options().transfers != Transfers::kCommand &&
                             device.traits().type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    return has_kernels || device.options().transfers == Transfers::kKernel ? kTransferWork | kComputeWork
                                                                           : kTransferWork;
  }
  if (!IsForKernel(device, copy.source.buffer, copy.target.buffer)) return kTransferWork;
  if (device.options().transfers == Transfers::kKernel) return kTransferWork | kComputeWork;
  return VulkanBuiltins::CopiesAll(NativeOffset(copy.source), NativeOffset(copy.target), copy.target.length)
             ? kComputeWork
             : kTransferWork | kComputeWork;
}

WorkMask KindOf(const VulkanRecordingDevice&, const hal_command_fill_t&) { return kTransferWork; }
WorkMask KindOf(const VulkanRecordingDevice&, const hal_command_update_t&) { return kTransferWork; }
WorkMask KindOf(const VulkanRecordingDevice&, const hal_strided_copy_params_t&) { return kTransferWork; }
WorkMask KindOf(const VulkanRecordingDevice&, const hal_command_dispatch_t& dispatch) {
  return IsIndirect(dispatch) ? kComputeWork | kIndirectWork : kComputeWork;
}

bool IsSame(const hal_buffer_ref_list_t& one, const hal_buffer_ref_list_t& other) {
  return std::equal(one.refs, one.refs + one.count, other.refs, other.refs + other.count,
                    [](const hal_buffer_ref_t& a, const hal_buffer_ref_t& b) {
                      return a.buffer == b.buffer && a.slot == b.slot && a.offset == b.offset && a.length == b.length;
                    });
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
    HAL_TRY(BindKernel());
    HAL_TRY(PushConstants());
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
  // Loops over one kernel and the same buffers are common: their dispatches share pipeline and sets.
  Status BindKernel() {
    BoundState& bound = context_.recording.bound();
    const PipelineVariant bound_variant{bound.workgroup_size, bound.dynamic_local_memory};
    const bool is_bound = bound.kernel == &kernel_;
    if (!is_bound || VariantOf(params_) != bound_variant) HAL_TRY(BindPipeline());
    if (!is_bound || !IsSame(bound.bindings, params_.bindings)) HAL_TRY(BindSets());
    bound = {&kernel_, params_.workgroup_size, params_.dynamic_local_memory, params_.bindings};
    return kOk;
  }

  Status BindPipeline() {
    VkPipeline pipeline = VK_NULL_HANDLE;
    HAL_TRY(
        executable_.FindPipeline(dispatch_.ordinal, params_.workgroup_size, params_.dynamic_local_memory, &pipeline));
    vk_.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    return kOk;
  }

  Status BindSets() {
    if (kernel_.sets.empty()) return kOk;
    DispatchBindings bindings;
    HAL_TRY(bindings.Resolve(context_, dispatch_));
    for (const KernelSet& set : kernel_.sets) {
      VkDescriptorSet handle = VK_NULL_HANDLE;
      HAL_TRY(context_.recording.sets().Allocate(set.layout, set.counts, &handle));
      bindings.Write(context_.recording.context(), set, handle);
      if (context_.keeps_sets && kernel_.updates_sets) context_.recording.NoteSet({index_, &set, handle});
      vk_.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout.get(), set.number, 1, &handle,
                                0, nullptr);
    }
    return kOk;
  }

  Status PushConstants() {
    if (kernel_.constants_size == 0) return kOk;
    std::array<char, kMaxConstantsSize> padded{};
    std::memcpy(padded.data(), params_.constants, params_.constants_size);
    if (!kernel_.addresses.empty()) HAL_TRY(PutAddresses(context_, dispatch_, padded.data()));
    vk_.CmdPushConstants(commands_, kernel_.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel_.constants_size,
                         padded.data());
    return kOk;
  }

  // What a check has passed on, or the counts themselves.
  Status FindCounts(NativeBytes* out) {
    if (context_.checks_counts) {
      *out = context_.recording.TakeCheckedCounts();
      return kOk;
    }
    BufferRange range;
    HAL_TRY(Resolve(params_.indirect, context_.table, &range));
    return ToNative(range, out);
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

// The message is the tools' own; an empty one is an empty string.
Status BeginLabel(const CommandContext& context, hal_string_view_t label) {
  const HostString text(View(label));
  VkDebugUtilsLabelEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  info.pLabelName = text.c_str();
  context.recording.vk().CmdBeginDebugUtilsLabelEXT(context.recording.commands(), &info);
  return kOk;
}

Status EndLabel(const CommandContext& context) {
  context.recording.vk().CmdEndDebugUtilsLabelEXT(context.recording.commands());
  return kOk;
}

}  // namespace

void PreparePipeline(const hal_command_dispatch_t& dispatch) noexcept {
  Guard([&] {
    auto& executable = *static_cast<VulkanExecutable*>(dispatch.executable);
    const hal_dispatch_params_t& params = *dispatch.params;
    VkPipeline pipeline = VK_NULL_HANDLE;
    return executable.FindPipeline(dispatch.ordinal, params.workgroup_size, params.dynamic_local_memory, &pipeline);
  }).Ignore();
}

bool HasAllMemory(const hal_command_t& command) {
  const auto has_memory = [](const hal_buffer_ref_t& ref) {
    return ref.buffer && !static_cast<const VulkanBuffer*>(ref.buffer)->transient();
  };
  bool has_all = true;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse) { has_all &= has_memory(ref); });
  return has_all;
}

WorkMask WorkOf(const VulkanRecordingDevice& device, const hal_command_t& command) {
  return VisitWork(command, [&](const auto& one) { return KindOf(device, one); });
}

// Counts beyond the limit are undefined behaviour in Vulkan: a kernel looks at them first, and passes on a copy.
Status RecordCountCheck(const CommandContext& context, const hal_command_dispatch_t& dispatch) {
  BufferRange range;
  NativeBytes counts;
  StagedBytes checked;
  HAL_TRY(Resolve(dispatch.params->indirect, context.table, &range));
  HAL_TRY(ToNative(range, &counts));
  HAL_TRY(context.recording.staging().Take(16, 16, &checked));
  const hal_dim3_t& most = context.device.limits().max_workgroup_count;
  HAL_TRY(context.device.builtins().RecordCountCheck(context.recording, counts, checked, most));
  const auto& executable = *static_cast<const VulkanExecutable*>(dispatch.executable);
  context.recording.AddCountCheck(checked, View(executable.ExportInfo(dispatch.ordinal)->name), most);
  return kOk;
}

Status RecordCommand(const CommandContext& context, const hal_command_t& command, uint32_t index) {
  return Visit(command, Overloaded{
                            [&](const hal_command_dispatch_t& dispatch) {
                              return DispatchRecorder(context, dispatch, index).Record();
                            },
                            [&](const commands::Work auto& transfer) { return Record(context, transfer); },
                            [](commands::Order) { return kOk; },
                            [&](commands::BeginGroup group) { return BeginLabel(context, group.label); },
                            [&](commands::EndGroup) { return EndLabel(context); },
                        });
}

Status RecordAlone(VulkanRecordingDevice& device, const hal_command_t& command, Timing timing,
                   VulkanRecording& recording) {
  HAL_TRY(recording.Begin());
  if (timing != Timing::kNothing) {
    const bool times_dispatch = timing == Timing::kDispatches && command.type == HAL_COMMAND_TYPE_DISPATCH;
    recording.times().Begin(recording.commands(), times_dispatch ? 1 : 0);
  }
  const CommandContext context{device, {}, recording};
  if (!RunsNothing(command)) {
    if (IsIndirectDispatch(command)) {
      HAL_TRY(RecordCountCheck(context, command.u.dispatch));
      RecordBarrier(recording.vk(), recording.commands(), kAfterCountChecks);
    }
    HAL_TRY(RecordCommand(context, command, 0));
  }
  return recording.End();
}

}  // namespace halyard::vulkan
