// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/stream_commands.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "driver_kit/device/limit_checks.h"
#include "driver_kit/queue/command.h"
#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"
#include "stream/recording/managed_prefetch.h"
#include "stream/recording/stream_executable.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kMaxScratch = uint64_t{16} << 20;  // bytes of the device that a copy goes through at most

}  // namespace

void Replay::Begin(StreamContext& context, CommandList commands, std::span<const hal_buffer_ref_t> table,
                   std::span<const std::byte> numbers, Graphs graphs, Timing* timing) {
  context_ = &context;
  commands_ = commands;
  table_ = table;
  numbers_ = numbers;
  timing_ = timing;
  graphs_ = timing ? Graphs() : graphs;
}

void Replay::Clear() noexcept {
  for (GraphUse& use : uses_) use.graphs->Release(use);
  uses_.clear();
  dynamic_.clear();
  next_use_ = 0;
  graphs_ = {};
  stage_ = 0;
  commands_ = {};
  table_ = {};
  numbers_ = {};
  next_ = 0;
  has_enqueued_ = false;
  keeps_graphs_ = false;
  kept_ = nullptr;
  asked_to_ = 0;
  count_ = HostSlot();
}

Status Replay::PrepareStage(NativeStream stream) {
  while (uses_.size() < graphs_.size() && graphs_[uses_.size()]->segment().stage <= stage_) {
    HAL_TRY(PrepareGraph(*graphs_[uses_.size()], stream));
  }
  ++stage_;
  return kOk;
}

Status Replay::PrepareGraph(SegmentGraphs& graphs, NativeStream stream) {
  GraphUse use;
  use.graphs = &graphs;
  use.first_dynamic = dynamic_.size();
  dynamic_.resize(use.first_dynamic + graphs.dynamic_count());
  const std::span<DeviceRange> dynamic = std::span(dynamic_).subspan(use.first_dynamic);
  HAL_TRY(graphs.ResolveDynamic(table_, dynamic));
  uses_.push_back(std::move(use));  // before the graph is acquired, so that it is released whatever happens
  return graphs.Acquire(stream, Bindings(uses_.back()), &uses_.back());
}

GraphBindings Replay::Bindings(const GraphUse& use) const {
  const std::span<const DeviceRange> dynamic(dynamic_);
  return {commands_, table_, dynamic.subspan(use.first_dynamic, use.graphs->dynamic_count()), numbers_};
}

bool Replay::needs_host() const { return std::any_of(commands_.begin(), commands_.end(), IsIndirectDispatch); }

bool Replay::checks_counts() const {
  const auto end = uses_.begin() + static_cast<std::ptrdiff_t>(next_use_);
  return std::any_of(uses_.begin(), end,
                     [](const GraphUse& use) { return use.graph && use.graphs->segment().indirect; });
}

Status Replay::CheckCounts() const {
  for (size_t i = 0; i < next_use_; ++i) {
    HAL_TRY(uses_[i].graphs->CheckCounts(uses_[i]));
  }
  return kOk;
}

/// How each kind of command goes into the stream.
struct Replay::Enqueue {
  Replay& replay;
  NativeStream stream;

  Status operator()(const hal_command_fill_t& fill) const { return replay.Fill(stream, fill); }
  Status operator()(const hal_command_update_t& update) const { return replay.Update(stream, update); }
  Status operator()(const hal_command_copy_t& copy) const { return replay.Copy(stream, copy); }
  Status operator()(const hal_strided_copy_params_t& copy) const { return replay.CopyStrided(stream, copy); }
  Status operator()(const hal_command_dispatch_t& dispatch) const {
    hal_dim3_t count = dispatch.params->workgroup_count;
    if (replay.count_) HAL_TRY(replay.TakeCount(&count));
    return replay.Dispatch(stream, dispatch, count);
  }
};

Status Replay::Continue(NativeStream stream) {
  has_enqueued_ = false;
  if (next_ == 0 && context_->memory().has_managed()) PrefetchManaged(context_->api(), stream, commands_, table_);
  while (next_ < commands_.size()) {
    bool ran = false;
    HAL_TRY(RunGraph(stream, &ran));
    if (!ran) HAL_TRY(RunKept(stream, &ran));
    if (ran) continue;
    const hal_command_t& command = commands_[next_];
    if (IsIndirectDispatch(command) && !count_) return FetchCount(stream, command.u.dispatch);
    // The stream's order is a barrier everywhere; debug groups are for tools.
    HAL_TRY(VisitWork(command, Enqueue{*this, stream}));
    ++next_;
  }
  return kOk;
}

// Runs the segment that begins here, if there is one and a graph holds it.
Status Replay::RunGraph(NativeStream stream, bool* out_ran) {
  if (next_use_ == uses_.size() || uses_[next_use_].graphs->segment().begin != next_) return kOk;
  GraphUse& use = uses_[next_use_++];
  if (!use.graph) return kOk;
  const Status status = use.graphs->Launch(stream, Bindings(use), use, out_ran);
  has_enqueued_ |= *out_ran;  // even if it failed: the graph may be on its way to the device
  if (status != kOk || !*out_ran) return status;
  next_ = use.graphs->segment().end;
  return kOk;
}

// Runs the dispatches that begin here, if the lane has a graph for them.
Status Replay::RunKept(NativeStream stream, bool* out_ran) {
  if (!kept_ || next_ < asked_to_ || count_) return kOk;
  LaneGraphs::Outcome outcome;
  const Status status = kept_->Run(stream, {commands_, next_, table_, min_kept_nodes_}, &outcome);
  asked_to_ = std::max(outcome.end, next_ + 1);
  has_enqueued_ |= outcome.launched;  // even if it failed: the graph may be on its way to the device
  if (status != kOk || !outcome.launched) return status;
  next_ = outcome.end;
  *out_ran = true;
  return kOk;
}

Status Replay::Fill(NativeStream stream, const hal_command_fill_t& fill) {
  NativeFill native;
  HAL_TRY(ResolveFill(fill, table_, &native));
  if (native.count == 0) return kOk;
  has_enqueued_ = true;
  if (!native.aligned()) return FillUnaligned(stream, native);
  return context_->api().Fill(stream, native.target, native.pattern, native.size, native.count);
}

// The pattern is laid out in memory that is aligned, and copied from there.
Status Replay::FillUnaligned(NativeStream stream, const NativeFill& fill) {
  if (!context_->memory().stream_ordered()) {
    return Fail(HAL_STATUS_UNIMPLEMENTED,
                "fill: a pattern of %u bytes at the address 0x%" PRIx64
                " of imported memory, which is no multiple of that; it takes async_allocation",
                fill.size, fill.target);
  }
  const DeviceRange target = {fill.target, fill.count * fill.size, false};
  return CopyThroughDevice(stream, target, [&](NativeAddress scratch, uint64_t, uint64_t length) {
    return context_->api().Fill(stream, scratch, fill.pattern, fill.size, length / fill.size);
  });
}

Status Replay::Update(NativeStream stream, const hal_command_update_t& update) {
  DeviceRange target;
  HAL_TRY(Resolve(update.target, table_, &target));
  if (target.length == 0) return kOk;
  has_enqueued_ = true;
  NativeApi& api = context_->api();
  if (!target.on_host || !context_->memory().stream_ordered()) {
    return api.Upload(stream, target.address, update.data, target.length);
  }
  return CopyThroughDevice(stream, target, [&](NativeAddress scratch, uint64_t skip, uint64_t length) {
    return api.Upload(stream, scratch, static_cast<const char*>(update.data) + skip, length);
  });
}

// Vendors' copies from host memory to host memory keep the caller waiting for all that is in the stream before them.
// Copies that are staged through the device do not.
template <class Bring>
Status Replay::CopyThroughDevice(NativeStream stream, const DeviceRange& target, const Bring& bring) {
  NativeApi& api = context_->api();
  const uint64_t piece = std::min(target.length, kMaxScratch);
  NativeAddress scratch = 0;
  HAL_TRY(context_->memory().BorrowScratch(stream, piece, &scratch));
  Status status = kOk;
  for (uint64_t done = 0; done < target.length && status == kOk; done += piece) {
    const uint64_t length = std::min(piece, target.length - done);
    status = bring(scratch, done, length);
    if (status == kOk) status = api.Copy(stream, target.address + done, scratch, length);
  }
  context_->memory().ReturnScratch(stream, scratch);
  return status;
}

Status Replay::Copy(NativeStream stream, const hal_command_copy_t& copy) {
  DeviceCopy ranges;
  HAL_TRY(ResolveCopy(copy, table_, &ranges));
  const auto& [source, target] = ranges;
  if (source.length == 0) return kOk;
  has_enqueued_ = true;
  NativeApi& api = context_->api();
  if (IsForeign(source) || IsForeign(target)) [[unlikely]]
    return CopyPeer(stream, source, target);
  if (!source.on_host || !target.on_host || !context_->memory().stream_ordered()) {
    return api.Copy(stream, target.address, source.address, source.length);
  }
  return CopyThroughDevice(stream, target,
                           [&, from = source.address](NativeAddress scratch, uint64_t skip, uint64_t length) {
                             return api.Copy(stream, scratch, from + skip, length);
                           });
}

const NativeApi& Replay::OwnerOf(const DeviceRange& range) const {
  return range.owner ? range.owner->api() : context_->api();
}

Status Replay::CopyPeer(NativeStream stream, const DeviceRange& source, const DeviceRange& target) {
  return context_->api().CopyPeer(stream, target.address, OwnerOf(target), source.address, OwnerOf(source),
                                  source.length);
}

namespace {

/// Whether the vendor takes the rows in one call; there are few rows if they are farther apart than it takes.
bool IsOneCall(const CopyBox& box) { return !box.is_row() && box.largest_row_pitch() <= kMaxCopyPitch; }

}  // namespace

Status Replay::CopyStrided(NativeStream stream, const hal_strided_copy_params_t& copy) {
  DeviceCopy ranges;
  HAL_TRY(ResolveCopy(copy, table_, &ranges));
  const NativeBox rows = {ranges.target.address, ranges.source.address, BoxOf(copy)};
  if (rows.box.empty()) return kOk;
  has_enqueued_ = true;
  if (IsForeign(ranges.source) || IsForeign(ranges.target)) [[unlikely]]
    return CopyRowsPeer(stream, rows, ranges);
  const bool on_host = ranges.source.on_host && ranges.target.on_host && context_->memory().stream_ordered();
  return on_host ? CopyRowsThroughDevice(stream, rows) : CopyRows(stream, rows);
}

Status Replay::CopyRowsPeer(NativeStream stream, const NativeBox& copy, const DeviceCopy& ranges) {
  const NativeApi& from = OwnerOf(ranges.source);
  const NativeApi& to = OwnerOf(ranges.target);
  if (IsOneCall(copy.box)) return context_->api().CopyRowsPeer(stream, copy, to, from);
  return ForEachPiece(copy.box, copy.box.width, 1, [&](const CopyPiece& row) {
    return context_->api().CopyPeer(stream, copy.target + row.target, to, copy.source + row.source, from,
                                    copy.box.width);
  });
}

Status Replay::CopyRows(NativeStream stream, const NativeBox& copy) {
  NativeApi& api = context_->api();
  const CopyBox& box = copy.box;
  if (IsOneCall(box)) return api.CopyRows(stream, copy);
  return ForEachPiece(box, box.width, 1, [&](const CopyPiece& row) {
    return api.Copy(stream, copy.target + row.target, copy.source + row.source, box.width);
  });
}

// The rows of a piece lie in the scratch memory without gaps.
Status Replay::CopyRowsThroughDevice(NativeStream stream, const NativeBox& copy) {
  const uint64_t most = std::min(copy.box.bytes(), kMaxScratch);
  NativeAddress scratch = 0;
  HAL_TRY(context_->memory().BorrowScratch(stream, most, &scratch));
  const Status status = ForEachPiece(copy.box, most, UINT64_MAX, [&](const CopyPiece& piece) {
    NativeBox in = {scratch, copy.source + piece.source, piece.box};
    in.box.target = {piece.box.width, piece.box.width * piece.box.height};
    NativeBox out = {copy.target + piece.target, scratch, piece.box};
    out.box.source = in.box.target;
    HAL_TRY(CopyRows(stream, in));
    return CopyRows(stream, out);
  });
  context_->memory().ReturnScratch(stream, scratch);
  return status;
}

Status Replay::Dispatch(NativeStream stream, const hal_command_dispatch_t& dispatch, const hal_dim3_t& count) {
  DispatchArguments arguments;
  HAL_TRY(arguments.Resolve(dispatch, table_, count));
  if (arguments.runs_nothing()) return kOk;
  ScratchBlocks::Lease scratch;
  if (arguments.scratch_size() != 0) {
    HAL_TRY(scratch.Take(*context_, stream, arguments.scratch_size()));
    arguments.SetScratch(scratch.address());
  }
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  return Launch(stream, arguments.launch(), *executable.ExportInfo(dispatch.ordinal));
}

Status Replay::Launch(NativeStream stream, const NativeLaunch& launch, const hal_export_info_t& info) {
  has_enqueued_ = true;
  if (!timing_) return context_->api().Launch(stream, launch);
  timing_->RecordDispatchStart(stream, static_cast<uint32_t>(next_), info, launch.workgroup_count);
  const Status status = context_->api().Launch(stream, launch);
  timing_->RecordDispatchEnd(stream);
  return status;
}

Status Replay::FetchCount(NativeStream stream, const hal_command_dispatch_t& dispatch) {
  DeviceRange range;
  HAL_TRY(Resolve(dispatch.params->indirect, table_, &range));
  HAL_TRY(context_->slots().Acquire(&count_));
  has_enqueued_ = true;
  NativeApi& api = context_->api();
  const uint64_t length = sizeof(hal_dim3_t);
  if (!range.on_host || !context_->memory().stream_ordered()) {
    return api.Copy(stream, count_.address(), range.address, length);
  }
  return CopyThroughDevice(stream, {count_.address(), length, true}, [&](NativeAddress scratch, uint64_t, uint64_t) {
    return api.Copy(stream, scratch, range.address, length);
  });
}

Status Replay::TakeCount(hal_dim3_t* out_count) {
  std::memcpy(out_count, count_.data(), sizeof(*out_count));
  count_ = HostSlot();
  return Annotate(CheckWorkgroupCount(context_->limits(), *out_count), "indirect dispatch: ");
}

}  // namespace halyard::stream
