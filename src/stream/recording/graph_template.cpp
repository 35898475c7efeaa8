// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_template.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_order.h"
#include "stream/memory/stream_buffer.h"

namespace halyard::stream {
namespace {

const StreamBuffer* Memory(const hal_buffer_ref_t& ref) { return static_cast<const StreamBuffer*>(ref.buffer); }

bool IsOnHost(const hal_buffer_ref_t& ref) { return ref.buffer && Memory(ref)->on_host(); }

bool Moves(const hal_buffer_ref_t& ref) { return !ref.buffer || Memory(ref)->transient(); }

const StreamExport& KernelOf(const hal_command_dispatch_t& dispatch) {
  return static_cast<const StreamExecutable*>(dispatch.executable)->Export(dispatch.ordinal);
}

double Volume(const hal_dim3_t& count) { return double{1} * count.x * count.y * count.z; }

// A fill of a buffer that is known and has its memory; what comes later is looked at then.
bool IsAligned(const hal_command_fill_t& fill) {
  if (!fill.target.buffer) return true;
  const NativeAddress address = Memory(fill.target)->address();
  return address == 0 || (address + fill.target.offset) % fill.pattern_size == 0;
}

// A copy of rows that a later execution may have to patch.
bool MayMoveRows(const hal_strided_copy_params_t& copy) {
  const CopyBox box = BoxOf(copy);
  return !box.empty() && !box.is_row() && (Moves(copy.source) || Moves(copy.target));
}

bool FitsGraph(const NativeTraits& traits, const hal_command_fill_t& fill) {
  return traits.graph_fills && IsAligned(fill);
}
bool FitsGraph(const NativeTraits&, const hal_command_update_t& update) { return !IsOnHost(update.target); }
bool FitsGraph(const NativeTraits&, const hal_command_copy_t& copy) {
  return !IsOnHost(copy.source) || !IsOnHost(copy.target);
}
bool FitsGraph(const NativeTraits& traits, const hal_strided_copy_params_t& copy) {
  if (!traits.patches_rows && MayMoveRows(copy)) return false;
  return (!IsOnHost(copy.source) || !IsOnHost(copy.target)) && BoxOf(copy).largest_row_pitch() <= kMaxCopyPitch;
}
bool FitsGraph(const NativeTraits&, const hal_command_dispatch_t& dispatch) {
  return !(IsIndirect(dispatch) || TakesNumbers(dispatch)) || !KernelOf(dispatch).takes_scratch;
}

}  // namespace

bool GraphCanHold(const NativeTraits& traits, const hal_command_t& command) {
  return VisitWork(command, [&](const auto& one) { return FitsGraph(traits, one); });
}

GraphTemplate::GraphTemplate(CommandList commands, GraphSegment segment)
    : commands_(commands), segment_(std::move(segment)) {
  size_t dispatches = 0;
  for (size_t node = 0; node < node_count(); ++node) {
    AddNode(Command(node));
    if (Command(node).type != HAL_COMMAND_TYPE_DISPATCH || IsIndirectDispatch(Command(node))) continue;
    if (TakesNumbers(Command(node).u.dispatch)) numbered_.push_back(static_cast<uint32_t>(node));
    ++dispatches;
    workgroups_ += Volume(Command(node).u.dispatch.params->workgroup_count);
  }
  if (dispatches != 0) workgroups_ /= static_cast<double>(dispatches);
  dynamic_places_.clear();
  std::sort(transferred_.begin(), transferred_.end());
  transferred_.erase(std::unique(transferred_.begin(), transferred_.end()), transferred_.end());
}

void GraphTemplate::AddNode(const hal_command_t& command) {
  Node node;
  node.first_dynamic = static_cast<uint32_t>(dynamic_uses_.size());
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse use) {
    AddUse(ref, use == RangeUse::kSource || use == RangeUse::kTarget);
  });
  if (command.type == HAL_COMMAND_TYPE_UPDATE) {
    node.update_offset = update_size_;
    update_size_ += (command.u.update.target.length + 15) / 16 * 16;  // copies like aligned sources
  }
  node.dynamic_count = static_cast<uint32_t>(dynamic_uses_.size()) - node.first_dynamic;
  nodes_.push_back(node);
}

void GraphTemplate::AddUse(const hal_buffer_ref_t& ref, bool transfers) {
  if (!Moves(ref)) return;
  hal_buffer_ref_t whole = ref;
  whole.offset = 0;
  if (!ref.buffer) whole.length = HAL_WHOLE_SIZE;
  const auto [place, inserted] =
      dynamic_places_.try_emplace({ref.buffer, ref.buffer ? 0 : ref.slot}, static_cast<uint32_t>(dynamic_.size()));
  if (inserted) dynamic_.push_back(whole);
  dynamic_uses_.push_back(place->second);
  if (transfers) transferred_.push_back(place->second);
}

bool GraphTemplate::CanBePatched(std::span<const DeviceRange> from, std::span<const DeviceRange> to) const {
  return std::all_of(transferred_.begin(), transferred_.end(),
                     [&](uint32_t dynamic) { return from[dynamic].origin == to[dynamic].origin; });
}

Status GraphTemplate::ResolveDynamic(std::span<const hal_buffer_ref_t> table, std::span<DeviceRange> out_ranges) const {
  for (size_t i = 0; i < dynamic_.size(); ++i) HAL_TRY(Resolve(dynamic_[i], table, &out_ranges[i]));
  return kOk;
}

bool GraphTemplate::Differs(size_t node, std::span<const DeviceRange> a, std::span<const DeviceRange> b) const {
  const auto uses = std::span(dynamic_uses_).subspan(nodes_[node].first_dynamic, nodes_[node].dynamic_count);
  return std::any_of(uses.begin(), uses.end(), [&](uint32_t dynamic) { return a[dynamic] != b[dynamic]; });
}

bool GraphTemplate::HasOtherNumbers(size_t node, std::span<const std::byte> a, std::span<const std::byte> b) const {
  const hal_command_t& command = Command(node);
  if (command.type != HAL_COMMAND_TYPE_DISPATCH || !TakesNumbers(command.u.dispatch)) return false;
  if (a.size() != b.size()) return true;
  const auto refs = NumberRefs(*command.u.dispatch.params);
  return std::any_of(refs.begin(), refs.end(), [&](const hal_number_ref_t& ref) {
    return std::memcmp(a.data() + ref.offset, b.data() + ref.offset, ref.length) != 0;
  });
}

bool GraphTemplate::HoldsCounts(const CommandList& commands) const {
  return std::none_of(numbered_.begin(), numbered_.end(),
                      [&](uint32_t node) { return RunsNothing(commands[segment_.commands[node]]); });
}

namespace {

// Whether a graph can hold a command in an execution.
Status NodeHolds(const hal_command_fill_t& one, BindingTable table, bool* out_holds) {
  NativeFill fill;
  const Status status = ResolveFill(one, table, &fill);
  *out_holds = fill.count != 0 && fill.aligned();
  return status;
}
Status NodeHolds(const hal_command_update_t& update, BindingTable table, bool* out_holds) {
  DeviceRange target;
  const Status status = Resolve(update.target, table, &target);
  *out_holds = !target.on_host;
  return status;
}
Status NodeHolds(const hal_command_copy_t& copy, BindingTable table, bool* out_holds) {
  DeviceCopy ranges;
  const Status status = ResolveCopy(copy, table, &ranges);
  *out_holds = ranges.source.length != 0 && !(ranges.source.on_host && ranges.target.on_host);
  return status;
}
Status NodeHolds(const hal_strided_copy_params_t& copy, BindingTable table, bool* out_holds) {
  DeviceCopy ranges;
  const Status status = ResolveCopy(copy, table, &ranges);
  *out_holds = !(ranges.source.on_host && ranges.target.on_host);
  return status;
}
Status NodeHolds(const hal_command_dispatch_t&, BindingTable, bool*) { return kOk; }

}  // namespace

Status GraphTemplate::Holds(std::span<const hal_buffer_ref_t> table, bool* out_holds) const {
  *out_holds = true;
  for (size_t node = 0; node < node_count() && *out_holds; ++node) {
    if (nodes_[node].dynamic_count == 0) continue;
    HAL_TRY(VisitWork(Command(node), [&](const auto& one) { return NodeHolds(one, table, out_holds); }));
  }
  return kOk;
}

void GraphTemplate::WriteUpdates(void* block) const {
  for (size_t node = 0; node < node_count(); ++node) {
    if (Command(node).type != HAL_COMMAND_TYPE_UPDATE) continue;
    const hal_command_update_t& update = Command(node).u.update;
    std::memcpy(static_cast<char*>(block) + nodes_[node].update_offset, update.data, update.target.length);
  }
}

Status GraphTemplate::ScratchSize(size_t node, uint64_t* out_bytes) const {
  *out_bytes = 0;
  const hal_command_t& command = Command(node);
  if (command.type != HAL_COMMAND_TYPE_DISPATCH) return kOk;
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  if (!KernelOf(dispatch).takes_scratch) return kOk;
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  std::array<NativeAddress, kMaxScratchParameters> offsets;
  return KernelOf(dispatch).LayOutScratch(*executable.ExportInfo(dispatch.ordinal), dispatch.params->workgroup_count,
                                          offsets, out_bytes);
}

namespace {

/// What a node of each kind does, with the buffers of an execution.
struct Describer {
  BindingTable table;
  NativeAddress update_data;  // of an update, in the block
  NodeArguments* out;

  Status operator()(const hal_command_fill_t& fill) const {
    out->kind = NodeArguments::Kind::kFill;
    return ResolveFill(fill, table, &out->fill);
  }
  Status operator()(const hal_command_update_t& update) const {
    DeviceRange target;
    const Status status = Resolve(update.target, table, &target);
    out->kind = NodeArguments::Kind::kCopy;
    out->copy = {target.address, update_data, target.length};
    return status;
  }
  Status operator()(const hal_command_copy_t& copy) const {
    DeviceCopy ranges;
    const Status status = ResolveCopy(copy, table, &ranges);
    out->kind = NodeArguments::Kind::kCopy;
    out->copy = {ranges.target.address, ranges.source.address, ranges.source.length};
    return status;
  }
  Status operator()(const hal_strided_copy_params_t& copy) const {
    DeviceCopy ranges;
    HAL_TRY(ResolveCopy(copy, table, &ranges));
    const CopyBox box = BoxOf(copy);
    out->kind = box.is_row() ? NodeArguments::Kind::kCopy : NodeArguments::Kind::kCopyRows;
    out->copy = {ranges.target.address, ranges.source.address, box.width};
    out->rows = {ranges.target.address, ranges.source.address, box};
    return kOk;
  }
  Status operator()(const hal_command_dispatch_t& dispatch) const {
    out->kind = NodeArguments::Kind::kLaunch;
    if (!IsIndirect(dispatch)) return out->launch.Resolve(dispatch, table, dispatch.params->workgroup_count);
    out->kind = NodeArguments::Kind::kIndirectLaunch;
    DeviceRange counts;
    HAL_TRY(Resolve(dispatch.params->indirect, table, &counts));
    out->counts = counts.address;
    return out->launch.Resolve(dispatch, table, hal_dim3(1, 1, 1));
  }
};

}  // namespace

Status GraphTemplate::Describe(size_t node, const GraphBindings& bindings, NativeAddress updates,
                               NodeArguments* out) const {
  const hal_command_t& command = bindings.commands[segment_.commands[node]];
  return VisitWork(command, Describer{bindings.table, updates + nodes_[node].update_offset, out});
}

}  // namespace halyard::stream
