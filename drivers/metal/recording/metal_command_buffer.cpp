// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_command_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_order.h"
#include "metal/executable/metal_executable.h"
#include "metal/native/metal_calls.h"
#include "metal/recording/metal_recording_device.h"

namespace halyard::metal {
namespace {

bool IsFixed(const hal_buffer_ref_t& ref) {
  return ref.buffer && !static_cast<const MetalBuffer*>(ref.buffer)->transient();
}

bool IsFixed(const hal_command_dispatch_t& dispatch) {
  const hal_buffer_ref_list_t& bindings = dispatch.params->bindings;
  return std::all_of(bindings.refs, bindings.refs + bindings.count,
                     [](const hal_buffer_ref_t& ref) { return IsFixed(ref); });
}

const MetalExecutable& ExecutableOf(const hal_command_dispatch_t& dispatch) {
  return *static_cast<const MetalExecutable*>(dispatch.executable);
}

/// Lays out what is fixed in one buffer: first the lengths, then the bytes.
class FixedLayout {
 public:
  uint64_t Add(uint64_t length) {
    const uint64_t at = size_;
    size_ += (length + kArgumentAlignment - 1) / kArgumentAlignment * kArgumentAlignment;
    return at;
  }
  uint64_t size() const { return size_; }

 private:
  uint64_t size_ = 0;
};

}  // namespace

MetalCommandBuffer::MetalCommandBuffer(MetalRecordingDevice& owner, const hal_command_buffer_params_t& params)
    : hal_command_buffer_t{},
      device_(owner),
      given_flags_(params.flags),
      hazards_(params, HazardDriverOf<MetalBuffer, MetalExecutable>()),
      commands_(owner.arenas()) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, owner.tables().command_buffer);
}

MetalCommandBuffer::~MetalCommandBuffer() {
  const AutoreleaseScope scope;
  fixed_memory_ = {};
}

Status MetalCommandBuffer::End() {
  PlanPasses();
  return (given_flags_ & HAL_COMMAND_BUFFER_ONE_SHOT) != 0 ? kOk : FixArguments();
}

void MetalCommandBuffer::PlanPasses() {
  std::optional<HazardTracker> tracker = hazards_.MakeTracker();
  CommandOrder order(tracker ? &*tracker : nullptr);
  HostVector<PlanNode> plan_nodes;
  const CommandList commands = commands_.commands();
  for (uint32_t i = 0; i < commands.size(); ++i) {
    const hal_command_t& command = commands[i];
    Visit(command, Overloaded{
                       [&](commands::BeginGroup group) { groups_.Begin(View(group.label)); },
                       [&](commands::EndGroup) { groups_.End(); },
                       [&](commands::Order) { order.Take(command); },
                       [&](const commands::Work auto&) {
                         if (RunsNothing(command)) return;
                         nodes_.push_back({i, groups_.current(), 0, 0});
                         plan_nodes.push_back({KindOfRecorded(device_, command), order.AddWork(command)});
                       },
                   });
  }
  hazards_.Seal();
  plan_ = PlanEncoders(plan_nodes, !device_.options().concurrent);
  if (!hazards_.tracks()) return;
  for (uint32_t i = 0; i < plan_nodes.size(); ++i) plan_nodes[i].after = i;
  plan_one_by_one_ = PlanEncoders(plan_nodes, !device_.options().concurrent);
}

Status MetalCommandBuffer::FixArguments() {
  const AutoreleaseScope scope;
  FixedLayout layout;
  for (Node& node : nodes_) {
    const hal_command_t& command = commands_.commands()[node.command];
    node.first_fixed = static_cast<uint32_t>(fixed_.size());
    if (command.type == HAL_COMMAND_TYPE_UPDATE) {
      fixed_.push_back({nullptr, layout.Add(command.u.update.target.length), nullptr});
    } else if (command.type == HAL_COMMAND_TYPE_DISPATCH && IsFixed(command.u.dispatch)) {
      const hal_command_dispatch_t& dispatch = command.u.dispatch;
      for (const ArgumentSet& set : ExecutableOf(dispatch).Pipeline(dispatch.ordinal).sets) {
        fixed_.push_back({nullptr, layout.Add(set.length), nullptr});
      }
    }
    node.fixed_count = static_cast<uint32_t>(fixed_.size()) - node.first_fixed;
  }
  if (fixed_.empty()) return kOk;
  HAL_TRY(device_.memory().MakeUncounted(MemoryKind::kShared, layout.size(), &fixed_memory_));
  auto* const data = static_cast<char*>(Contents(fixed_memory_.get()));
  for (StagedBytes& bytes : fixed_) bytes = {fixed_memory_.get(), bytes.offset, data + bytes.offset};
  return WriteFixed();
}

Status MetalCommandBuffer::WriteFixed() const {
  for (const Node& node : nodes_) {
    if (node.fixed_count == 0) continue;
    const hal_command_t& command = commands_.commands()[node.command];
    const StagedBytes* const fixed = &fixed_[node.first_fixed];
    if (command.type == HAL_COMMAND_TYPE_UPDATE) {
      std::memcpy(fixed->data, command.u.update.data, command.u.update.target.length);
      continue;
    }
    const hal_command_dispatch_t& dispatch = command.u.dispatch;
    const MetalExecutable& executable = ExecutableOf(dispatch);
    std::array<NativeRange, kMaxBindings> bindings;
    HAL_TRY(ResolveBindings(*dispatch.params, {}, bindings));
    for (uint32_t i = 0; i < node.fixed_count; ++i) {
      const ArgumentSet& set = executable.Pipeline(dispatch.ordinal).sets[i];
      HAL_TRY(ArgumentWriter::Write(set, bindings, fixed[i], executable.encode_mutex()));
    }
  }
  return kOk;
}

Status MetalCommandBuffer::Encode(const CommandContext& context, CommandList commands) const {
  const EncoderPlan& plan = hazards_.Allow(context.table) ? plan_ : plan_one_by_one_;
  for (uint32_t i = 0; i < plan.passes.size(); ++i) HAL_TRY(EncodePass(context, commands, plan, i));
  return kOk;
}

Status MetalCommandBuffer::EncodeTimed(const CommandContext& context, CommandList commands,
                                       DispatchTimes& times) const {
  times.Reserve(context.device.native(), context.device.traits(), nodes_.size());
  if (!times.has_room()) {
    for (const Node& node : nodes_) {
      TimeNext(context.encoding, commands[node.command], node.command, times);
    }
    return Encode(context, commands);
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const hal_command_t& command = commands[node.command];
    const uint32_t before = i - 1;
    TimeNext(context.encoding, command, node.command, times);
    HAL_TRY(context.encoding.BeginPass(KindOfRecorded(device_, command), {&before, i > 0 ? 1u : 0u}));
    HAL_TRY(EncodeCommand(context, command, std::span(fixed_).subspan(node.first_fixed, node.fixed_count)));
    HAL_TRY(context.encoding.EndPass(i, true));
  }
  return kOk;
}

Status MetalCommandBuffer::EncodePass(const CommandContext& context, CommandList commands, const EncoderPlan& plan,
                                      uint32_t number) const {
  const PlanPass& pass = plan.passes[number];
  HAL_TRY(context.encoding.BeginPass(pass.kind, std::span(plan.waits).subspan(pass.first_wait, pass.wait_count)));
  uint32_t group = 0;
  for (const PlanStep& step : std::span(plan.steps).subspan(pass.first_step, pass.step_count)) {
    const Node& node = nodes_[step.node];
    groups_.Switch(context.encoding, group, node.group);
    group = node.group;
    if (step.barrier) context.encoding.Barrier();
    const FixedBytes fixed = std::span(fixed_).subspan(node.first_fixed, node.fixed_count);
    HAL_TRY(EncodeCommand(context, commands[node.command], fixed));
  }
  groups_.Switch(context.encoding, group, 0);
  return context.encoding.EndPass(number, pass.signals);
}

}  // namespace halyard::metal
