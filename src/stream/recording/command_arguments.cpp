// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/command_arguments.h"

#include "stream/memory/stream_buffer.h"

namespace halyard::stream {

namespace {

Status Locate(const BufferRange& range, DeviceRange* out) {
  const auto& memory = *static_cast<const StreamBuffer*>(range.buffer);
  const NativeAddress address = memory.address();
  if (address == 0 && range.length > 0) return FailOutsideLife();
  *out = {address + range.offset, range.length, memory.on_host(), memory.origin()};
  return kOk;
}

}  // namespace

Status Resolve(const hal_buffer_ref_t& ref, BindingTable table, DeviceRange* out) {
  BufferRange range;
  if (Status status = halyard::Resolve(ref, table, &range); status != kOk) return status;
  return Locate(range, out);
}

Status ResolveFill(const hal_command_fill_t& fill, BindingTable table, NativeFill* out) {
  BufferRange range;
  DeviceRange target;
  if (Status status = halyard::ResolveFill(fill, table, &range); status != kOk) return status;
  if (Status status = Locate(range, &target); status != kOk) return status;
  *out = {target.address, fill.pattern, fill.pattern_size, target.length / fill.pattern_size};
  return kOk;
}

Status ResolveCopy(const hal_command_copy_t& copy, BindingTable table, DeviceCopy* out) {
  CopyRanges ranges;
  if (Status status = halyard::ResolveCopy(copy, table, &ranges); status != kOk) return status;
  if (Status status = Locate(ranges.source, &out->source); status != kOk) return status;
  return Locate(ranges.target, &out->target);
}

Status DispatchArguments::Resolve(const hal_command_dispatch_t& dispatch, BindingTable table, const hal_dim3_t& count) {
  const hal_dispatch_params_t& params = *dispatch.params;
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  const StreamExport& kernel = executable.Export(dispatch.ordinal);
  if (Status status = kernel.CheckLaunch(*executable.ExportInfo(dispatch.ordinal), params); status != kOk) {
    return status;
  }
  for (size_t i = 0; i < params.bindings.count; ++i) {
    DeviceRange range;
    if (Status status = stream::Resolve(params.bindings.refs[i], table, &range); status != kOk) return status;
    addresses_[i] = range.address;
  }
  kernel.Arrange(addresses_, params.constants, parameters_);
  launch_ = {kernel.function, count, params.workgroup_size, params.dynamic_local_memory, parameters_.data()};
  return kOk;
}

}  // namespace halyard::stream
