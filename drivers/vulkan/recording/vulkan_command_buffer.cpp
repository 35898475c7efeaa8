// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_command_buffer.h"

#include <algorithm>

#include "driver_kit/queue/command_order.h"
#include "vulkan/device/vulkan_device.h"

namespace halyard::vulkan {

VulkanCommandBuffer::VulkanCommandBuffer(VulkanDevice& owner, hal_command_buffer_flags_t given_flags)
    : hal_command_buffer_t{}, device_(owner), given_flags_(given_flags) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, owner.tables().command_buffer);
  kept_.reserve(kMostKept);
}

Status VulkanCommandBuffer::End() {
  Plan();
  return kOk;
}

void VulkanCommandBuffer::NoteTransient(const hal_buffer_ref_t& ref) {
  if (!ref.buffer || !static_cast<const VulkanBuffer*>(ref.buffer)->transient()) return;
  if (std::find(transients_.begin(), transients_.end(), ref.buffer) == transients_.end()) {
    transients_.push_back(ref.buffer);
  }
}

void VulkanCommandBuffer::NoteTransients(const hal_command_t& command) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return NoteTransient(command.u.fill.target);
    case HAL_COMMAND_TYPE_UPDATE:
      return NoteTransient(command.u.update.target);
    case HAL_COMMAND_TYPE_COPY:
      NoteTransient(command.u.copy.source);
      return NoteTransient(command.u.copy.target);
    default:
      break;
  }
  const hal_dispatch_params_t& params = *command.u.dispatch.params;
  for (size_t i = 0; i < params.bindings.count; ++i) NoteTransient(params.bindings.refs[i]);
  if ((params.flags & HAL_DISPATCH_INDIRECT) != 0) NoteTransient(params.indirect);
}

void VulkanCommandBuffer::Plan() {
  CommandOrder order;
  HostVector<WorkNode> work;
  const std::span<const hal_command_t> commands = commands_.commands();
  for (uint32_t i = 0; i < commands.size(); ++i) {
    const hal_command_t& command = commands[i];
    if (!IsWork(command)) {
      order.Take(command);
    } else if (!RunsNothing(command)) {
      NoteTransients(command);
      nodes_.push_back({i, {}});
      work.push_back({WorkOf(command), order.after()});
      order.AddNode();
    }
  }
  const HostVector<WorkBarrier> barriers = PlanBarriers(work);
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].barrier = barriers[i];
}

Status VulkanCommandBuffer::Encode(BindingTable table, Timing timing, VulkanRecording& recording) const {
  HAL_TRY(recording.Begin());
  if (timing != Timing::kNothing) {
    recording.times().Begin(recording.commands(), timing == Timing::kDispatches ? nodes_.size() : 0);
  }
  const bool checks_counts = (given_flags_ & HAL_COMMAND_BUFFER_UNVALIDATED) == 0;
  const CommandContext context{device_, table, recording, checks_counts};
  for (const Node& node : nodes_) {
    RecordBarrier(recording.vk(), recording.commands(), node.barrier);
    HAL_TRY(RecordCommand(context, commands_.commands()[node.command], node.command));
  }
  return recording.End();
}

void VulkanCommandBuffer::LookUp(BindingTable table, HostVector<Place>* out) const {
  const auto identity = [](const hal_buffer_t* buffer) {
    const VulkanBlock* const block = buffer ? static_cast<const VulkanBuffer*>(buffer)->block() : nullptr;
    return block ? block->identity : 0;
  };
  out->clear();
  for (const hal_buffer_ref_t& slot : table) out->push_back({identity(slot.buffer), slot.offset, slot.length});
  for (const hal_buffer_t* buffer : transients_) out->push_back({identity(buffer), 0, 0});
}

// The one that is recorded for the same buffers, else any other, else a new one; NULL if all are in use.
VulkanCommandBuffer::Kept* VulkanCommandBuffer::FindIdle(const HostVector<Place>& places) {
  Kept* any = nullptr;
  for (Kept& kept : kept_) {
    if (!kept.is_idle) continue;
    if (kept.is_recorded && kept.places == places) return &kept;
    any = &kept;
  }
  if (kept_.size() == kMostKept) return any;
  Kept& made = kept_.emplace_back();
  RecordingOwner& owner = *this;
  made.recording = std::make_unique<VulkanRecording>(device_.context(), device_.memory(), owner);
  return &made;
}

Status VulkanCommandBuffer::Acquire(BindingTable table, Timing timing, VulkanRecording** out_recording) {
  Kept* kept = nullptr;
  if ((given_flags_ & HAL_COMMAND_BUFFER_ONE_SHOT) == 0 && timing == Timing::kNothing) {
    const std::lock_guard lock(mutex_);
    LookUp(table, &wanted_);
    kept = FindIdle(wanted_);
    if (kept) {
      kept->is_idle = false;
      *out_recording = kept->recording.get();
      if (kept->is_recorded && kept->places == wanted_) return kOk;
      kept->places = wanted_;
      kept->is_recorded = false;
    }
  }
  if (!kept) HAL_TRY(device_.recordings().Acquire(out_recording));
  HAL_TRY(Encode(table, timing, **out_recording));
  if (!kept) return kOk;
  const std::lock_guard lock(mutex_);
  kept->is_recorded = true;
  return kOk;
}

void VulkanCommandBuffer::TakeBack(VulkanRecording* recording) noexcept {
  const std::lock_guard lock(mutex_);
  for (Kept& kept : kept_) {
    if (kept.recording.get() == recording) kept.is_idle = true;
  }
}

}  // namespace halyard::vulkan
