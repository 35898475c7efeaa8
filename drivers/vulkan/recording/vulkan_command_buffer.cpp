// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_command_buffer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_order.h"
#include "vulkan/executable/vulkan_pipelines.h"
#include "vulkan/recording/vulkan_bindings.h"
#include "vulkan/recording/vulkan_recording_device.h"

namespace halyard::vulkan {
namespace {

bool IsTransient(const hal_buffer_ref_t& ref) {
  return ref.buffer && static_cast<const VulkanBuffer*>(ref.buffer)->transient();
}

template <class T>
bool Contains(const HostVector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

template <class T>
void AddOnce(HostVector<T>* list, const T& item) {
  if (!Contains(*list, item)) list->push_back(item);
}

}  // namespace

VulkanCommandBuffer::VulkanCommandBuffer(VulkanRecordingDevice& owner, const hal_command_buffer_params_t& params)
    : hal_command_buffer_t{},
      device_(owner),
      given_flags_(params.flags),
      hazards_(params, HazardDriverOf<VulkanBuffer, VulkanExecutable>()),
      commands_(owner.arenas()) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, owner.tables().command_buffer);
  kept_.reserve(kMostKept);
}

Status VulkanCommandBuffer::End() {
  Plan();
  PreparePipelines();
  return kOk;
}

// Those of dispatches in a row are mostly one.
void VulkanCommandBuffer::PreparePipelines() const {
  const hal_command_dispatch_t* last = nullptr;
  const auto is_last = [&](const hal_command_dispatch_t& one) {
    return last && last->executable == one.executable && last->ordinal == one.ordinal &&
           VariantOf(*last->params) == VariantOf(*one.params);
  };
  for (const Node& node : nodes_) {
    const hal_command_t& command = commands_.commands()[node.command];
    if (command.type != HAL_COMMAND_TYPE_DISPATCH || is_last(command.u.dispatch)) continue;
    last = &command.u.dispatch;
    PreparePipeline(*last);
  }
}

void VulkanCommandBuffer::NoteTransient(const hal_buffer_ref_t& ref) {
  if (IsTransient(ref)) AddOnce(&transients_, static_cast<const hal_buffer_t*>(ref.buffer));
}

// Vulkan's command names the buffer itself, so nothing can change it.
void VulkanCommandBuffer::NoteBaked(const hal_buffer_ref_t& ref) {
  NoteTransient(ref);
  if (!ref.buffer) AddOnce(&baked_slots_, ref.slot);
  if (IsTransient(ref)) AddOnce(&baked_transients_, static_cast<const hal_buffer_t*>(ref.buffer));
}

void VulkanCommandBuffer::NoteBuffers(const hal_command_t& command) {
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse use) {
    use == RangeUse::kBinding ? NoteTransient(ref) : NoteBaked(ref);
  });
  if (command.type != HAL_COMMAND_TYPE_DISPATCH) return;
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  const VulkanKernel& kernel = static_cast<const VulkanExecutable*>(dispatch.executable)->Kernel(dispatch.ordinal);
  has_fixed_sets_ |= !kernel.updates_sets;
  for (const KernelAddress& address : kernel.addresses) NoteBaked(dispatch.params->bindings.refs[address.binding]);
}

void VulkanCommandBuffer::Plan() {
  const bool has_labels = device_.context().has_labels();
  std::optional<HazardTracker> tracker = hazards_.MakeTracker();
  CommandOrder order(tracker ? &*tracker : nullptr);
  HostVector<WorkNode> work;
  const CommandList commands = commands_.commands();
  for (uint32_t i = 0; i < commands.size(); ++i) {
    const hal_command_t& command = commands[i];
    const bool is_label = has_labels && Is<commands::Label>(command);
    if (is_label) {
      work.push_back({0, 0});
      order.AddLabel();
    } else if (!IsWork(command)) {
      order.Take(command);
      continue;
    } else if (RunsNothing(command)) {
      continue;
    } else {
      NoteBuffers(command);
      work.push_back({WorkOf(device_, command), order.AddWork(command)});
    }
    nodes_.push_back({i, {}, {}});
  }
  hazards_.Seal();
  const HostVector<WorkBarrier> barriers = PlanBarriers(work);
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].barrier = barriers[i];
  if (!hazards_.tracks()) return;
  for (uint32_t i = 0; i < work.size(); ++i) work[i].after = i;
  const HostVector<WorkBarrier> one_by_one = PlanBarriers(work);
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].barrier_one_by_one = one_by_one[i];
}

// Counts are checked where the barrier interval begins, so that one barrier is enough for all its dispatches.
Status VulkanCommandBuffer::CheckCounts(const CommandContext& context, size_t first_node, Order order) const {
  bool has_any = false;
  for (size_t i = first_node; i < nodes_.size() && (i == first_node || nodes_[i].Barrier(order).before == 0); ++i) {
    const hal_command_t& command = commands_.commands()[nodes_[i].command];
    if (!IsIndirectDispatch(command)) continue;
    HAL_TRY(RecordCountCheck(context, command.u.dispatch));
    has_any = true;
  }
  if (has_any) RecordBarrier(context.recording.vk(), context.recording.commands(), kAfterCountChecks);
  return kOk;
}

Status VulkanCommandBuffer::Encode(const Execution& execution, Timing timing, Order order, bool keeps_sets,
                                   VulkanRecording& recording) const {
  HAL_TRY(recording.Begin());
  if (timing != Timing::kNothing) {
    recording.times().Begin(recording.commands(), timing == Timing::kDispatches ? nodes_.size() : 0);
  }
  const bool checks_counts = (given_flags_ & HAL_COMMAND_BUFFER_UNVALIDATED) == 0;
  const uint64_t most = device_.options().commands_per_submission;
  uint64_t since_split = 0;
  const CommandContext context{device_, execution.table, recording, checks_counts, keeps_sets};
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const WorkBarrier& barrier = nodes_[i].Barrier(order);
    const bool begins_interval = i == 0 || barrier.before != 0;
    if (most > 0 && since_split >= most && barrier.before != 0) {
      HAL_TRY(recording.Split());
      since_split = 0;
    }
    RecordBarrier(recording.vk(), recording.commands(), barrier);
    if (checks_counts && begins_interval) HAL_TRY(CheckCounts(context, i, order));
    HAL_TRY(RecordCommand(context, execution.commands[nodes_[i].command], nodes_[i].command));
    ++since_split;
  }
  return recording.End();
}

bool VulkanCommandBuffer::CanPatch(const Changes& changes) const {
  if (!device_.context().updates_sets() || has_fixed_sets_) return false;
  const size_t slots = changes.size() - transients_.size();
  for (const uint32_t slot : baked_slots_) {
    if (slot >= slots || changes[slot]) return false;
  }
  for (size_t i = 0; i < transients_.size(); ++i) {
    if (changes[slots + i] && Contains(baked_transients_, transients_[i])) return false;
  }
  return true;
}

bool VulkanCommandBuffer::Touches(const hal_command_dispatch_t& dispatch, const Changes& changes) const {
  const hal_buffer_ref_list_t& bindings = dispatch.params->bindings;
  const size_t slots = changes.size() - transients_.size();
  return std::any_of(bindings.refs, bindings.refs + bindings.count, [&](const hal_buffer_ref_t& ref) {
    if (!ref.buffer) return ref.slot >= slots || changes[ref.slot];
    const auto found = std::find(transients_.begin(), transients_.end(), ref.buffer);
    return found != transients_.end() && changes[slots + static_cast<size_t>(found - transients_.begin())];
  });
}

Status VulkanCommandBuffer::Patch(BindingTable table, const Changes& changes, VulkanRecording& recording) const {
  const CommandContext context{device_, table, recording};
  const HostVector<BoundSet>& sets = recording.bound_sets();
  DispatchBindings bindings;
  for (size_t i = 0; i < sets.size();) {
    const uint32_t number = sets[i].command;
    const hal_command_dispatch_t& dispatch = commands_.commands()[number].u.dispatch;
    const bool is_touched = Touches(dispatch, changes);
    if (is_touched) HAL_TRY(bindings.Resolve(context, dispatch));
    for (; i < sets.size() && sets[i].command == number; ++i) {
      if (is_touched) bindings.Write(device_.context(), *sets[i].set, sets[i].handle);
    }
  }
  return kOk;
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

void VulkanCommandBuffer::NoteChanges(const HostVector<Place>& before, const HostVector<Place>& now, Changes* out) {
  out->clear();
  for (size_t i = 0; i < now.size(); ++i) out->push_back(before[i] != now[i]);
}

// The one that is recorded for the same buffers and numbers, else any other, else a new one; NULL if all are in use.
VulkanCommandBuffer::Kept* VulkanCommandBuffer::FindIdle(const HostVector<Place>& places,
                                                         std::span<const std::byte> numbers) {
  Kept* any = nullptr;
  for (Kept& kept : kept_) {
    if (!kept.is_idle) continue;
    if (kept.IsFor(places, numbers)) return &kept;
    any = &kept;
  }
  if (kept_.size() == kMostKept) return any;
  RecordingOwner& owner = *this;
  auto recording = std::make_unique<VulkanRecording>(device_.context(), device_.memory(), owner);
  Kept& made = kept_.emplace_back();
  made.recording = std::move(recording);
  return &made;
}

// Without mutex_: the recording is this execution's.
Status VulkanCommandBuffer::Prepare(const Execution& execution, Kept& kept, bool was_recorded) const {
  VulkanRecording& recording = *kept.recording;
  if (was_recorded && CanPatch(kept.changes)) {
    HAL_TRY(Patch(execution.table, kept.changes, recording));
    if (recording.shows_writes()) return kOk;
  }
  return Encode(execution, Timing::kNothing, Order::kPlanned, device_.context().updates_sets(), recording);
}

Status VulkanCommandBuffer::Acquire(const Execution& execution, Timing timing, VulkanRecording** out_recording) {
  const BindingTable table = execution.table;
  Kept* kept = nullptr;
  bool was_recorded = false;
  const Order order = hazards_.Allow(table) ? Order::kPlanned : Order::kOneByOne;
  const bool runs_again = (given_flags_ & HAL_COMMAND_BUFFER_ONE_SHOT) == 0;
  if (runs_again && timing == Timing::kNothing && order == Order::kPlanned) {
    const std::lock_guard lock(mutex_);
    LookUp(table, &wanted_);
    kept = FindIdle(wanted_, execution.numbers);
    if (kept) {
      kept->is_idle = false;
      *out_recording = kept->recording.get();
      if (kept->IsFor(wanted_, execution.numbers)) return kOk;
      was_recorded = kept->is_recorded && kept->places.size() == wanted_.size() &&
                     std::ranges::equal(kept->numbers, execution.numbers);
      if (was_recorded) NoteChanges(kept->places, wanted_, &kept->changes);
      kept->places = wanted_;
      kept->numbers.assign(execution.numbers.begin(), execution.numbers.end());
      kept->is_recorded = false;
    }
  }
  if (!kept) {
    HAL_TRY(device_.recordings().Acquire(out_recording));
    return Encode(execution, timing, order, false, **out_recording);
  }
  HAL_TRY(Prepare(execution, *kept, was_recorded));
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
