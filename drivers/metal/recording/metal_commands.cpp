// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_commands.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_order.h"
#include "driver_kit/queue/copy_box.h"
#include "metal/executable/metal_executable.h"
#include "metal/recording/metal_recording_device.h"
#include "metal/recording/metal_transfers.h"

namespace halyard::metal {
namespace {

Status ToBytes(const BufferRange& range, NativeBytes* out) {
  NativeRange located;
  HAL_TRY(Locate(range, &located));
  *out = {located.buffer->native(), located.offset, range.length};
  return kOk;
}

const MetalBuffer& BufferOf(const BufferRange& range) { return *static_cast<const MetalBuffer*>(range.buffer); }

Status Encode(const CommandContext& context, const hal_command_fill_t& fill) {
  BufferRange range;
  NativeBytes target;
  HAL_TRY(ResolveFill(fill, context.table, &range));
  HAL_TRY(ToBytes(range, &target));
  if (target.length == 0) return kOk;
  context.encoding.UseArgument(BufferOf(range), true);
  return context.device.transfers().Fill(context.encoding, target, fill.pattern);
}

/// The bytes of a copy's two sides, of rows or not, which the encoder uses unless there are none.
template <class Copy>
Status UseSides(const CommandContext& context, const Copy& copy, NativeBytes* source, NativeBytes* target) {
  CopyRanges ranges;
  HAL_TRY(ResolveCopy(copy, context.table, &ranges));
  HAL_TRY(ToBytes(ranges.source, source));
  HAL_TRY(ToBytes(ranges.target, target));
  if (target->length == 0) return kOk;
  context.encoding.UseArgument(BufferOf(ranges.source), false);
  context.encoding.UseArgument(BufferOf(ranges.target), true);
  return kOk;
}

Status Encode(const CommandContext& context, const hal_command_copy_t& copy) {
  NativeBytes source;
  NativeBytes target;
  HAL_TRY(UseSides(context, copy, &source, &target));
  if (target.length == 0) return kOk;
  return context.device.transfers().Copy(context.encoding, target, source.buffer, source.offset);
}

Status Encode(const CommandContext& context, const hal_strided_copy_params_t& copy) {
  NativeBytes source;
  NativeBytes target;
  HAL_TRY(UseSides(context, copy, &source, &target));
  if (target.length == 0) return kOk;
  const CopyBox box = BoxOf(copy);
  MetalTransfers& transfers = context.device.transfers();
  if (box.is_row()) return transfers.Copy(context.encoding, target, source.buffer, source.offset);
  return transfers.CopyRows(context.encoding, target, source, box);
}

Status EncodeUpdate(const CommandContext& context, const hal_command_update_t& update, FixedBytes fixed) {
  BufferRange range;
  NativeBytes target;
  HAL_TRY(Resolve(update.target, context.table, &range));
  HAL_TRY(ToBytes(range, &target));
  if (target.length == 0) return kOk;
  StagedBytes data;
  if (fixed.empty()) {
    HAL_TRY(context.staging.Take(target.length, kArgumentAlignment, &data));
    std::memcpy(data.data, update.data, target.length);
  } else {
    data = fixed[0];
  }
  context.encoding.UseArgument(BufferOf(range), true);
  return context.device.transfers().Copy(context.encoding, target, data.buffer, data.offset);
}

// The struct of a kernel is as long as its alignment makes it, and Metal wants all of its bytes.
void SetConstants(MetalEncoding& encoding, const MetalPipeline& pipeline, const hal_dispatch_params_t& params) {
  if (pipeline.constants_length <= params.constants_size) {
    encoding.SetBytes(kConstantsIndex, params.constants, params.constants_size);
    return;
  }
  std::array<char, kMaxConstantsSize + 16> padded;
  std::memcpy(padded.data(), params.constants, params.constants_size);
  std::memset(padded.data() + params.constants_size, 0, pipeline.constants_length - params.constants_size);
  encoding.SetBytes(kConstantsIndex, padded.data(), pipeline.constants_length);
}

/// The bindings of a dispatch on their way into argument buffers.
class DispatchEncoder {
 public:
  DispatchEncoder(const CommandContext& context, const hal_command_dispatch_t& dispatch)
      : context_(context),
        dispatch_(dispatch),
        params_(*dispatch.params),
        executable_(*static_cast<const MetalExecutable*>(dispatch.executable)),
        pipeline_(executable_.Pipeline(dispatch.ordinal)) {}

  Status Encode(FixedBytes fixed) {
    context_.encoding.SetPipeline(pipeline_.state.get());
    HAL_TRY(SetArguments(fixed));
    if (pipeline_.constants_length > 0) SetConstants(context_.encoding, pipeline_, params_);
    if (pipeline_.takes_dynamic_memory) context_.encoding.SetThreadgroupMemory(params_.dynamic_local_memory);
    return Dispatch();
  }

 private:
  // Fixed arguments are looked up only if the encoder must hear of each buffer.
  Status SetArguments(FixedBytes fixed) {
    std::array<NativeRange, kMaxBindings> room;
    const std::span<NativeRange> bindings(room.data(), params_.bindings.count);
    if (fixed.empty() || context_.device.names_resources()) {
      HAL_TRY(ResolveBindings(params_, context_.table, bindings));
      UseResources(bindings);
    }
    for (size_t i = 0; i < pipeline_.sets.size(); ++i) {
      StagedBytes bytes;
      if (fixed.empty()) {
        HAL_TRY(Stage(pipeline_.sets[i], bindings, &bytes));
      } else {
        bytes = fixed[i];
      }
      context_.encoding.SetBuffer(pipeline_.sets[i].index, bytes.buffer, bytes.offset);
    }
    for (const PlainArgument& argument : pipeline_.plain) HAL_TRY(SetPlain(argument, bindings[argument.binding]));
    return kOk;
  }

  // Metal itself knows which memory it is given so. An empty binding has none, and an argument must have some.
  Status SetPlain(const PlainArgument& argument, const NativeRange& range) {
    if (range.length == 0) {
      StagedBytes nothing;
      HAL_TRY(context_.staging.Take(argument.length, kArgumentAlignment, &nothing));
      context_.encoding.SetBuffer(argument.index, nothing.buffer, nothing.offset);
      return kOk;
    }
    HAL_TRY(executable_.CheckPlain(dispatch_.ordinal, argument.binding, range.offset));
    context_.encoding.UseArgument(*range.buffer, executable_.Writes(dispatch_.ordinal, argument.binding));
    context_.encoding.SetBuffer(argument.index, range.buffer->native(), range.offset);
    return kOk;
  }

  Status Stage(const ArgumentSet& set, std::span<const NativeRange> bindings, StagedBytes* out) {
    HAL_TRY(context_.staging.Take(set.length, kArgumentAlignment, out));
    return ArgumentWriter::Write(set, bindings, *out, executable_.encode_mutex());
  }

  void UseResources(std::span<const NativeRange> bindings) {
    if (!context_.device.names_resources()) return;
    for (const ArgumentSet& set : pipeline_.sets) {
      for (const ArgumentMember& member : set.members) {
        context_.encoding.UseResource(*bindings[member.binding].buffer,
                                      executable_.Writes(dispatch_.ordinal, member.binding));
      }
    }
  }

  Status Dispatch() {
    if ((params_.flags & HAL_DISPATCH_INDIRECT) == 0) {
      const hal_dim3_t& count = params_.workgroup_count;
      if (count.x == 0 || count.y == 0 || count.z == 0) return kOk;  // from numbers; Metal takes no such grid
      context_.encoding.Dispatch(params_.workgroup_count, params_.workgroup_size);
      return kOk;
    }
    BufferRange range;
    NativeBytes counts;
    HAL_TRY(Resolve(params_.indirect, context_.table, &range));
    HAL_TRY(ToBytes(range, &counts));
    context_.encoding.UseArgument(BufferOf(range), false);
    context_.encoding.DispatchIndirect(counts.buffer, counts.offset, params_.workgroup_size);
    return kOk;
  }

  const CommandContext& context_;
  const hal_command_dispatch_t& dispatch_;
  const hal_dispatch_params_t& params_;
  const MetalExecutable& executable_;
  const MetalPipeline& pipeline_;
};

/// Which encoder a transfer runs in whose buffers are known; with `alone` as the only command. Work that is not said to
/// be another's runs in a compute encoder.
struct KindFinder {
  const MetalTransfers& transfers;
  bool alone;
  BindingTable table;
  PassKind* out_kind;

  Status operator()(const hal_command_fill_t& fill) const {
    BufferRange range;
    HAL_TRY(ResolveFill(fill, table, &range));
    *out_kind = transfers.KindOfFill(Place(range), fill.pattern, alone);
    return kOk;
  }
  Status operator()(const hal_command_update_t& update) const {
    BufferRange range;
    HAL_TRY(Resolve(update.target, table, &range));
    *out_kind = transfers.KindOfCopy(Place(range), 0, alone);
    return kOk;
  }
  Status operator()(const hal_command_copy_t& copy) const { return FindOfRanges(copy); }
  Status operator()(const hal_strided_copy_params_t& copy) const {
    return BoxOf(copy).is_row() ? FindOfRanges(copy) : kOk;
  }
  Status operator()(const hal_command_dispatch_t&) const { return kOk; }

 private:
  static NativeBytes Place(const BufferRange& range) {
    return {nullptr, BufferOf(range).offset() + range.offset, range.length};
  }
  template <class Copy>
  Status FindOfRanges(const Copy& copy) const {
    CopyRanges ranges;
    HAL_TRY(ResolveCopy(copy, table, &ranges));
    *out_kind = transfers.KindOfCopy(Place(ranges.target), Place(ranges.source).offset, alone);
    return kOk;
  }
};

Status KindOf(const MetalRecordingDevice& device, const hal_command_t& command, bool alone, BindingTable table,
              PassKind* out_kind) {
  *out_kind = PassKind::kCompute;
  return VisitWork(command, KindFinder{device.transfers(), alone, table, out_kind});
}

bool HasDirectRanges(const hal_command_t& command) {
  bool is_direct = true;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse) {
    is_direct &= ref.buffer && !static_cast<const MetalBuffer*>(ref.buffer)->transient();
  });
  return is_direct;
}

}  // namespace

PassKind KindOfRecorded(const MetalRecordingDevice& device, const hal_command_t& command) {
  PassKind kind = PassKind::kCompute;
  if (!HasDirectRanges(command) || !Succeeds(KindOf(device, command, false, {}, &kind))) return PassKind::kCompute;
  return kind;
}

Status ResolveBindings(const hal_dispatch_params_t& params, BindingTable table, std::span<NativeRange> out) {
  for (size_t i = 0; i < params.bindings.count; ++i) {
    BufferRange range;
    HAL_TRY(Resolve(params.bindings.refs[i], table, &range));
    HAL_TRY(Locate(range, &out[i]));
  }
  return kOk;
}

Status EncodeCommand(const CommandContext& context, const hal_command_t& command, FixedBytes fixed) {
  return VisitWork(command,
                   Overloaded{
                       [&](const hal_command_update_t& update) { return EncodeUpdate(context, update, fixed); },
                       [&](const hal_command_dispatch_t& one) { return DispatchEncoder(context, one).Encode(fixed); },
                       [&](const auto& transfer) { return Encode(context, transfer); },
                   });
}

void TimeNext(MetalEncoding& encoding, const hal_command_t& command, uint32_t index, DispatchTimes& times) {
  if (!times.active() || command.type != HAL_COMMAND_TYPE_DISPATCH) return;
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  const auto& executable = *static_cast<const MetalExecutable*>(dispatch.executable);
  const hal_dim3_t count = IsIndirectDispatch(command) ? hal_dim3_t{0, 0, 0} : dispatch.params->workgroup_count;
  uint32_t sample = 0;
  const NativeCounterSampleBuffer samples = times.Add(index, *executable.ExportInfo(dispatch.ordinal), count, &sample);
  if (samples) encoding.SampleNext(samples, sample);
}

Status EncodeAlone(const CommandContext& context, const hal_command_t& command, DispatchTimes& times) {
  if (RunsNothing(command)) return kOk;
  PassKind kind = PassKind::kCompute;
  if (times.active()) times.Reserve(context.device.native(), context.device.traits(), 1);
  TimeNext(context.encoding, command, 0, times);
  HAL_TRY(KindOf(context.device, command, true, context.table, &kind));
  HAL_TRY(context.encoding.BeginPass(kind, {}));
  HAL_TRY(EncodeCommand(context, command, {}));
  return context.encoding.EndPass(0, false);
}

}  // namespace halyard::metal
