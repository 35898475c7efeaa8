// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/command_arguments.h"

#include <cinttypes>

#include "stream/memory/stream_buffer.h"

namespace halyard::stream {

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
  *out = {address + offset, length, memory.on_host(), memory.origin()};
  return kOk;
}

Status ResolveFill(const hal_command_fill_t& fill, std::span<const hal_buffer_ref_t> table, NativeFill* out) {
  DeviceRange target;
  if (Status status = Resolve(fill.target, table, &target); status != kOk) return status;
  // Only a slot's range can still be uneven here: its length is known from the table alone.
  if (target.length % fill.pattern_size != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "fill: %" PRIu64 " bytes are no multiple of the pattern's %u bytes",
                target.length, fill.pattern_size);
  }
  *out = {target.address, fill.pattern, fill.pattern_size, target.length / fill.pattern_size};
  return kOk;
}

// A reference that says "the rest of the slot" takes the other side's length.
Status ResolveCopy(const hal_command_copy_t& copy, std::span<const hal_buffer_ref_t> table, CopyRanges* out) {
  DeviceRange& source = out->source;
  DeviceRange& target = out->target;
  if (Status status = Resolve(copy.source, table, &source); status != kOk) return status;
  if (Status status = Resolve(copy.target, table, &target); status != kOk) return status;
  if (copy.source.length == HAL_WHOLE_SIZE && target.length < source.length) source.length = target.length;
  if (copy.target.length == HAL_WHOLE_SIZE && source.length < target.length) target.length = source.length;
  if (source.length == target.length) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "copy: the source has %" PRIu64 " bytes, the target %" PRIu64, source.length,
              target.length);
}

Status DispatchArguments::Resolve(const hal_command_dispatch_t& dispatch, std::span<const hal_buffer_ref_t> table,
                                  const hal_dim3_t& count) {
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
