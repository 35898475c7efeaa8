// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/command_arguments.h"

#include <cstring>

#include "stream/memory/stream_buffer.h"

namespace halyard::stream {

namespace {

Status Locate(const BufferRange& range, DeviceRange* out) {
  const auto& memory = *static_cast<const StreamBuffer*>(range.buffer);
  const NativeAddress address = memory.address();
  if (address == 0 && range.length > 0) return FailOutsideLife();
  *out = {address + range.offset, range.length, memory.on_host(), memory.origin(), memory.owner()};
  return kOk;
}

}  // namespace

Status Resolve(const hal_buffer_ref_t& ref, BindingTable table, DeviceRange* out) {
  BufferRange range;
  HAL_TRY(halyard::Resolve(ref, table, &range));
  return Locate(range, out);
}

Status ResolveFill(const hal_command_fill_t& fill, BindingTable table, NativeFill* out) {
  BufferRange range;
  DeviceRange target;
  HAL_TRY(halyard::ResolveFill(fill, table, &range));
  HAL_TRY(Locate(range, &target));
  *out = {target.address, fill.pattern, fill.pattern_size, target.length / fill.pattern_size};
  return kOk;
}

Status ResolveCopy(const hal_command_copy_t& copy, BindingTable table, DeviceCopy* out) {
  CopyRanges ranges;
  HAL_TRY(halyard::ResolveCopy(copy, table, &ranges));
  HAL_TRY(Locate(ranges.source, &out->source));
  return Locate(ranges.target, &out->target);
}

Status ResolveCopy(const hal_strided_copy_params_t& copy, BindingTable table, DeviceCopy* out) {
  CopyRanges ranges;
  HAL_TRY(halyard::ResolveCopy(copy, table, &ranges));
  HAL_TRY(Locate(ranges.source, &out->source));
  return Locate(ranges.target, &out->target);
}

Status DispatchArguments::Resolve(const hal_command_dispatch_t& dispatch, BindingTable table, const hal_dim3_t& count) {
  const hal_dispatch_params_t& params = *dispatch.params;
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  const StreamExport& kernel = executable.Export(dispatch.ordinal);
  HAL_TRY(executable.CheckLaunch(dispatch.ordinal, params, count));
  for (size_t i = 0; i < params.bindings.count; ++i) {
    DeviceRange range;
    HAL_TRY(stream::Resolve(params.bindings.refs[i], table, &range));
    addresses_[i] = range.address;
  }
  const void* constants = params.constants;
  if (kernel.has_addresses) {
    std::memcpy(constants_.data(), params.constants, params.constants_size);
    kernel.PatchConstants(addresses_, constants_.data());
    constants = constants_.data();
  }
  scratch_size_ = 0;
  if (kernel.takes_scratch) {
    const hal_export_info_t& info = *executable.ExportInfo(dispatch.ordinal);
    HAL_TRY(kernel.LayOutScratch(info, count, scratch_, &scratch_size_));
  }
  if (kernel.takes_tensor_maps) HAL_TRY(MakeTensorMaps(dispatch, table));
  kernel.Arrange(addresses_, scratch_, maps_, constants, parameters_);
  launch_ = {kernel.function,       count,
             params.workgroup_size, kernel.dynamic_local_memory + params.dynamic_local_memory,
             parameters_.data(),    kernel.rules};
  return kOk;
}

void DispatchArguments::AppendKey(const hal_dispatch_params_t& params, HostVector<std::byte>* key) const {
  const auto append = [key](const void* data, size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    key->insert(key->end(), bytes, bytes + size);
  };
  const std::array<uint32_t, 7> sizes = {
      launch_.workgroup_count.x, launch_.workgroup_count.y, launch_.workgroup_count.z,   launch_.workgroup_size.x,
      launch_.workgroup_size.y,  launch_.workgroup_size.z,  launch_.dynamic_local_memory};
  append(sizes.data(), sizeof(sizes));
  append(addresses_.data(), params.bindings.count * sizeof(NativeAddress));
  append(params.constants, params.constants_size);
}

// Apart, as few kernels need the lengths of their bindings.
Status DispatchArguments::MakeTensorMaps(const hal_command_dispatch_t& dispatch, BindingTable table) {
  const hal_dispatch_params_t& params = *dispatch.params;
  std::array<DeviceRange, kMaxBindings> ranges;
  for (size_t i = 0; i < params.bindings.count; ++i) {
    HAL_TRY(stream::Resolve(params.bindings.refs[i], table, &ranges[i]));
  }
  const auto& executable = *static_cast<const StreamExecutable*>(dispatch.executable);
  return executable.MakeTensorMaps(dispatch.ordinal, ranges, params.constants, maps_);
}

}  // namespace halyard::stream
