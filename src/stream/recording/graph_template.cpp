// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_template.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "stream/memory/stream_buffer.h"

namespace halyard::stream {
namespace {

const StreamBuffer* Memory(const hal_buffer_ref_t& ref) { return static_cast<const StreamBuffer*>(ref.buffer); }

bool IsOnHost(const hal_buffer_ref_t& ref) { return ref.buffer && Memory(ref)->on_host(); }

bool Moves(const hal_buffer_ref_t& ref) { return !ref.buffer || Memory(ref)->transient(); }

const StreamExport& KernelOf(const hal_command_t& command) {
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  return static_cast<const StreamExecutable*>(dispatch.executable)->Export(dispatch.ordinal);
}

double Volume(const hal_dim3_t& count) { return double{1} * count.x * count.y * count.z; }

}  // namespace

// A fill of a buffer that is known and has its memory; what comes later is looked at then.
static bool IsAligned(const hal_command_fill_t& fill) {
  if (!fill.target.buffer) return true;
  const NativeAddress address = static_cast<const StreamBuffer*>(fill.target.buffer)->address();
  return address == 0 || (address + fill.target.offset) % fill.pattern_size == 0;
}

// A copy of rows that a later execution may have to patch.
static bool MayMoveRows(const hal_strided_copy_params_t& copy) {
  const CopyBox box = BoxOf(copy);
  return !box.empty() && !box.is_row() && (Moves(copy.source) || Moves(copy.target));
}

bool GraphCanHold(const NativeTraits& traits, const hal_command_t& command) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return traits.graph_fills && IsAligned(command.u.fill);
    case HAL_COMMAND_TYPE_UPDATE:
      return !IsOnHost(command.u.update.target);
    case HAL_COMMAND_TYPE_COPY:
      return !IsOnHost(command.u.copy.source) || !IsOnHost(command.u.copy.target);
    case HAL_COMMAND_TYPE_COPY_STRIDED: {
      const hal_strided_copy_params_t& copy = *command.u.copy_strided.params;
      if (!traits.patches_rows && MayMoveRows(copy)) return false;
      return (!IsOnHost(copy.source) || !IsOnHost(copy.target)) && BoxOf(copy).largest_row_pitch() <= kMaxCopyPitch;
    }
    case HAL_COMMAND_TYPE_DISPATCH:
      return !IsIndirectDispatch(command) || !KernelOf(command).takes_scratch;
    default:
      return true;
  }
}

GraphTemplate::GraphTemplate(CommandList commands, GraphSegment segment)
    : commands_(commands), segment_(std::move(segment)) {
  size_t dispatches = 0;
  for (size_t node = 0; node < node_count(); ++node) {
    AddNode(Command(node));
    if (Command(node).type != HAL_COMMAND_TYPE_DISPATCH || IsIndirectDispatch(Command(node))) continue;
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
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      AddUse(command.u.fill.target, true);
      break;
    case HAL_COMMAND_TYPE_UPDATE:
      AddUse(command.u.update.target, true);
      node.update_offset = update_size_;
      update_size_ += (command.u.update.target.length + 15) / 16 * 16;  // copies like aligned sources
      break;
    case HAL_COMMAND_TYPE_COPY:
      AddUse(command.u.copy.source, true);
      AddUse(command.u.copy.target, true);
      break;
    case HAL_COMMAND_TYPE_COPY_STRIDED:
      AddUse(command.u.copy_strided.params->source, true);
      AddUse(command.u.copy_strided.params->target, true);
      break;
    default: {
      const hal_buffer_ref_list_t& bindings = command.u.dispatch.params->bindings;
      for (size_t i = 0; i < bindings.count; ++i) AddUse(bindings.refs[i], false);
      if (IsIndirectDispatch(command)) AddUse(command.u.dispatch.params->indirect, false);
      break;
    }
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
  for (size_t i = 0; i < dynamic_.size(); ++i) {
    HAL_TRY(Resolve(dynamic_[i], table, &out_ranges[i]));
  }
  return kOk;
}

bool GraphTemplate::Differs(size_t node, std::span<const DeviceRange> a, std::span<const DeviceRange> b) const {
  const auto uses = std::span(dynamic_uses_).subspan(nodes_[node].first_dynamic, nodes_[node].dynamic_count);
  return std::any_of(uses.begin(), uses.end(), [&](uint32_t dynamic) { return a[dynamic] != b[dynamic]; });
}

Status GraphTemplate::Holds(std::span<const hal_buffer_ref_t> table, bool* out_holds) const {
  *out_holds = true;
  for (size_t node = 0; node < node_count() && *out_holds; ++node) {
    if (nodes_[node].dynamic_count == 0) continue;
    HAL_TRY(NodeHolds(Command(node), table, out_holds));
  }
  return kOk;
}

Status GraphTemplate::NodeHolds(const hal_command_t& command, std::span<const hal_buffer_ref_t> table,
                                bool* out_holds) const {
  Status status = kOk;
  if (command.type == HAL_COMMAND_TYPE_FILL) {
    NativeFill fill;
    status = ResolveFill(command.u.fill, table, &fill);
    *out_holds = fill.count != 0 && fill.aligned();
  } else if (command.type == HAL_COMMAND_TYPE_UPDATE) {
    DeviceRange target;
    status = Resolve(command.u.update.target, table, &target);
    *out_holds = !target.on_host;
  } else if (command.type == HAL_COMMAND_TYPE_COPY) {
    DeviceCopy ranges;
    status = ResolveCopy(command.u.copy, table, &ranges);
    *out_holds = ranges.source.length != 0 && !(ranges.source.on_host && ranges.target.on_host);
  } else if (command.type == HAL_COMMAND_TYPE_COPY_STRIDED) {
    DeviceCopy ranges;
    status = ResolveCopy(*command.u.copy_strided.params, table, &ranges);
    *out_holds = !(ranges.source.on_host && ranges.target.on_host);
  }
  return status;
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
  if (command.type != HAL_COMMAND_TYPE_DISPATCH || !KernelOf(command).takes_scratch) return kOk;
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  std::array<NativeAddress, kMaxScratchParameters> offsets;
  return KernelOf(command).LayOutScratch(*executable.ExportInfo(dispatch.ordinal), dispatch.params->workgroup_count,
                                         offsets, out_bytes);
}

namespace {

Status DescribeCopyStrided(const hal_strided_copy_params_t& copy, std::span<const hal_buffer_ref_t> table,
                           NodeArguments* out) {
  DeviceCopy ranges;
  HAL_TRY(ResolveCopy(copy, table, &ranges));
  const CopyBox box = BoxOf(copy);
  out->kind = box.is_row() ? NodeArguments::Kind::kCopy : NodeArguments::Kind::kCopyRows;
  out->copy = {ranges.target.address, ranges.source.address, box.width};
  out->rows = {ranges.target.address, ranges.source.address, box};
  return kOk;
}

Status DescribeDispatch(const hal_command_t& command, std::span<const hal_buffer_ref_t> table, NodeArguments* out) {
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  out->kind = NodeArguments::Kind::kLaunch;
  if (!IsIndirectDispatch(command)) return out->launch.Resolve(dispatch, table, dispatch.params->workgroup_count);
  out->kind = NodeArguments::Kind::kIndirectLaunch;
  DeviceRange counts;
  HAL_TRY(Resolve(dispatch.params->indirect, table, &counts));
  out->counts = counts.address;
  return out->launch.Resolve(dispatch, table, hal_dim3(1, 1, 1));
}

}  // namespace

Status GraphTemplate::Describe(size_t node, std::span<const hal_buffer_ref_t> table, NativeAddress updates,
                               NodeArguments* out) const {
  const hal_command_t& command = Command(node);
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      out->kind = NodeArguments::Kind::kFill;
      return ResolveFill(command.u.fill, table, &out->fill);
    case HAL_COMMAND_TYPE_UPDATE: {
      DeviceRange target;
      const Status status = Resolve(command.u.update.target, table, &target);
      out->kind = NodeArguments::Kind::kCopy;
      out->copy = {target.address, updates + nodes_[node].update_offset, target.length};
      return status;
    }
    case HAL_COMMAND_TYPE_COPY: {
      DeviceCopy ranges;
      const Status status = ResolveCopy(command.u.copy, table, &ranges);
      out->kind = NodeArguments::Kind::kCopy;
      out->copy = {ranges.target.address, ranges.source.address, ranges.source.length};
      return status;
    }
    case HAL_COMMAND_TYPE_COPY_STRIDED:
      return DescribeCopyStrided(*command.u.copy_strided.params, table, out);
    default:
      return DescribeDispatch(command, table, out);
  }
}

}  // namespace halyard::stream
