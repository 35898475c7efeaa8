// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_commands.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstring>

#include "common/limit_checks.h"
#include "stream/stream_buffer.h"
#include "stream/stream_device.h"
#include "stream/stream_executable.h"

namespace halyard::stream {
namespace {

// A reference that says "the rest of the slot" takes the other side's length.
Status MatchLengths(const hal_command_copy_t& copy, DeviceRange* source, DeviceRange* target) {
  if (copy.source.length == HAL_WHOLE_SIZE && target->length < source->length) source->length = target->length;
  if (copy.target.length == HAL_WHOLE_SIZE && source->length < target->length) target->length = source->length;
  if (source->length == target->length) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "copy: the source has %" PRIu64 " bytes, the target %" PRIu64, source->length,
              target->length);
}

bool IsIndirect(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_DISPATCH && (command.u.dispatch.params.flags & HAL_DISPATCH_INDIRECT) != 0;
}

}  // namespace

Status Resolve(const hal_buffer_ref_t& ref, std::span<const hal_buffer_ref_t> table, DeviceRange* out) {
  const hal_buffer_t* buffer = ref.buffer;
  uint64_t offset = ref.offset;
  uint64_t length = ref.length;
  if (!buffer) {
    if (ref.slot >= table.size() || !table[ref.slot].buffer) {
      return Fail(HAL_STATUS_OUT_OF_RANGE, "the binding table has no buffer in slot %u", ref.slot);
    }
    const hal_buffer_ref_t& slot = table[ref.slot];
    buffer = slot.buffer;
    offset = slot.offset + ref.offset;
    if (length == HAL_WHOLE_SIZE) length = slot.length - ref.offset;
  }
  const auto& memory = *static_cast<const StreamBuffer*>(buffer);
  const NativeAddress address = memory.address();
  if (address == 0 && length > 0) {
    return FailWith(
        HAL_STATUS_FAILED_PRECONDITION,
        "a queue allocation is used outside its life: order the use after its alloca and before its dealloca");
  }
  *out = {address + offset, length, memory.on_host()};
  return kOk;
}

void Replay::Begin(StreamDevice& device, std::span<const hal_command_t> commands,
                   std::span<const hal_buffer_ref_t> table, Timing* timing) {
  device_ = &device;
  commands_ = commands;
  table_ = table;
  timing_ = timing;
  next_ = 0;
  has_enqueued_ = false;
}

void Replay::Clear() noexcept {
  commands_ = {};
  table_ = {};
  next_ = 0;
  has_enqueued_ = false;
  count_ = HostSlot();
}

Status Replay::Continue(NativeStream stream) {
  has_enqueued_ = false;
  for (; next_ < commands_.size(); ++next_) {
    const hal_command_t& command = commands_[next_];
    if (IsIndirect(command) && !count_) return FetchCount(stream, command.u.dispatch);
    if (Status status = Run(stream, command); status != kOk) return status;
  }
  return kOk;
}

Status Replay::Run(NativeStream stream, const hal_command_t& command) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return Fill(stream, command.u.fill);
    case HAL_COMMAND_TYPE_UPDATE:
      return Update(stream, command.u.update);
    case HAL_COMMAND_TYPE_COPY:
      return Copy(stream, command.u.copy);
    case HAL_COMMAND_TYPE_DISPATCH: {
      hal_dim3_t count = command.u.dispatch.params.workgroup_count;
      if (count_) {
        if (Status status = TakeCount(&count); status != kOk) return status;
      }
      return Dispatch(stream, command.u.dispatch, count);
    }
    default:
      return kOk;  // the stream's order is a barrier everywhere; debug groups are for tools
  }
}

Status Replay::Fill(NativeStream stream, const hal_command_fill_t& fill) {
  DeviceRange target;
  if (Status status = Resolve(fill.target, table_, &target); status != kOk) return status;
  // Only a slot's range can still be uneven here: its length is known from the table alone.
  if (target.length % fill.pattern_size != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "fill: %" PRIu64 " bytes are no multiple of the pattern's %u bytes",
                target.length, fill.pattern_size);
  }
  if (target.length == 0) return kOk;
  if (target.address % fill.pattern_size != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "fill: a pattern of %u bytes at the address 0x%" PRIx64
                " of imported memory, which is no multiple of that",
                fill.pattern_size, target.address);
  }
  has_enqueued_ = true;
  return device_->api().Fill(stream, target.address, fill.pattern, fill.pattern_size,
                             target.length / fill.pattern_size);
}

Status Replay::Update(NativeStream stream, const hal_command_update_t& update) {
  DeviceRange target;
  if (Status status = Resolve(update.target, table_, &target); status != kOk) return status;
  if (target.length == 0) return kOk;
  has_enqueued_ = true;
  NativeApi& api = device_->api();
  if (!target.on_host || !device_->memory().stream_ordered()) {
    return api.Upload(stream, target.address, update.data, target.length);
  }
  return CopyThroughDevice(stream, target, [&](NativeAddress scratch, uint64_t skip, uint64_t length) {
    return api.Upload(stream, scratch, static_cast<const char*>(update.data) + skip, length);
  });
}

// Vendors' copies from host memory to host memory keep the caller waiting for all that is in the stream before them.
// By way of the device they do not.
template <class Bring>
Status Replay::CopyThroughDevice(NativeStream stream, const DeviceRange& target, const Bring& bring) {
  constexpr uint64_t kMaxScratch = uint64_t{16} << 20;  // bytes
  NativeApi& api = device_->api();
  const uint64_t piece = std::min(target.length, kMaxScratch);
  NativeAddress scratch = 0;
  if (Status status = device_->memory().BorrowScratch(stream, piece, &scratch); status != kOk) return status;
  Status status = kOk;
  for (uint64_t done = 0; done < target.length && status == kOk; done += piece) {
    const uint64_t length = std::min(piece, target.length - done);
    status = bring(scratch, done, length);
    if (status == kOk) status = api.Copy(stream, target.address + done, scratch, length);
  }
  device_->memory().ReturnScratch(stream, scratch);
  return status;
}

Status Replay::Copy(NativeStream stream, const hal_command_copy_t& copy) {
  DeviceRange source;
  DeviceRange target;
  if (Status status = Resolve(copy.source, table_, &source); status != kOk) return status;
  if (Status status = Resolve(copy.target, table_, &target); status != kOk) return status;
  if (Status status = MatchLengths(copy, &source, &target); status != kOk) return status;
  if (source.length == 0) return kOk;
  has_enqueued_ = true;
  NativeApi& api = device_->api();
  if (!source.on_host || !target.on_host || !device_->memory().stream_ordered()) {
    return api.Copy(stream, target.address, source.address, source.length);
  }
  return CopyThroughDevice(stream, target, [&](NativeAddress scratch, uint64_t skip, uint64_t length) {
    return api.Copy(stream, scratch, source.address + skip, length);
  });
}

Status Replay::Dispatch(NativeStream stream, const hal_command_dispatch_t& dispatch, const hal_dim3_t& count) {
  const hal_dispatch_params_t& params = dispatch.params;
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  const StreamExport& kernel = executable.Export(dispatch.ordinal);
  const hal_export_info_t& info = *executable.ExportInfo(dispatch.ordinal);
  if (Status status = kernel.CheckLaunch(info, params); status != kOk) return status;

  std::array<NativeAddress, kMaxBindings> addresses;
  for (size_t i = 0; i < params.bindings.count; ++i) {
    DeviceRange range;
    if (Status status = Resolve(params.bindings.refs[i], table_, &range); status != kOk) return status;
    addresses[i] = range.address;
  }
  std::array<void*, kMaxParameters> parameters;
  kernel.Arrange(addresses, params.constants, parameters);
  if (count.x == 0 || count.y == 0 || count.z == 0) return kOk;  // runs nothing
  const NativeLaunch launch = {kernel.function, count, params.workgroup_size, params.dynamic_local_memory,
                               parameters.data()};
  return Launch(stream, launch, info);
}

Status Replay::Launch(NativeStream stream, const NativeLaunch& launch, const hal_export_info_t& info) {
  has_enqueued_ = true;
  if (!timing_) return device_->api().Launch(stream, launch);
  timing_->RecordDispatchStart(stream, static_cast<uint32_t>(next_), info, launch.workgroup_count);
  const Status status = device_->api().Launch(stream, launch);
  timing_->RecordDispatchEnd(stream);
  return status;
}

Status Replay::FetchCount(NativeStream stream, const hal_command_dispatch_t& dispatch) {
  DeviceRange range;
  if (Status status = Resolve(dispatch.params.indirect, table_, &range); status != kOk) return status;
  if (Status status = device_->slots().Acquire(&count_); status != kOk) return status;
  has_enqueued_ = true;
  return device_->api().Copy(stream, count_.address(), range.address, sizeof(hal_dim3_t));
}

Status Replay::TakeCount(hal_dim3_t* out_count) {
  std::memcpy(out_count, count_.data(), sizeof(*out_count));
  count_ = HostSlot();
  return Annotate(CheckWorkgroupCount(device_->info->limits, *out_count), "indirect dispatch: ");
}

}  // namespace halyard::stream
