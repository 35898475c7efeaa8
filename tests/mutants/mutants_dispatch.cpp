// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches that hand kernels the wrong things, and executables that say the wrong things of them.
#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>

#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

// The originals of what a mutated dispatch points to; copied by the driver before the call returns.
thread_local std::vector<unsigned char> t_constants;
thread_local std::vector<hal_buffer_ref_t> t_bindings;

std::vector<unsigned char>& OwnConstants(Dispatch& dispatch) {
  const auto* const bytes = static_cast<const unsigned char*>(dispatch.params.constants);
  t_constants.assign(bytes, bytes + dispatch.params.constants_size);
  dispatch.params.constants = t_constants.data();
  return t_constants;
}

std::vector<hal_buffer_ref_t>& OwnBindings(Dispatch& dispatch) {
  hal_buffer_ref_list_t& bindings = dispatch.params.bindings;
  t_bindings.assign(bindings.refs, bindings.refs + bindings.count);
  bindings.refs = t_bindings.data();
  return t_bindings;
}

void DropLastConstant(Dispatch& dispatch) {
  std::vector<unsigned char>& constants = OwnConstants(dispatch);
  const size_t lost = std::min<size_t>(constants.size(), 4);
  std::fill(constants.end() - static_cast<ptrdiff_t>(lost), constants.end(), static_cast<unsigned char>(0));
}

// As if the constants took up no more than one cache line.
void CutConstantsAt64(Dispatch& dispatch) {
  std::vector<unsigned char>& constants = OwnConstants(dispatch);
  if (constants.size() > 64) std::fill(constants.begin() + 64, constants.end(), static_cast<unsigned char>(0));
}

// Only bindings of one length change places, so that a kernel does not leave them.
void SwapFirstBindings(Dispatch& dispatch) {
  std::vector<hal_buffer_ref_t>& bindings = OwnBindings(dispatch);
  if (bindings.size() < 2 || bindings[0].length != bindings[1].length) return;
  if (bindings[0].length == HAL_WHOLE_SIZE && bindings[0].offset != bindings[1].offset) return;
  std::swap(bindings[0], bindings[1]);
}

void IgnoreBindingOffsets(Dispatch& dispatch) {
  for (hal_buffer_ref_t& binding : OwnBindings(dispatch)) binding.offset = 0;
}

bool IsIndirect(const Dispatch& dispatch) { return (dispatch.params.flags & HAL_DISPATCH_INDIRECT) != 0; }

void IgnoreY(Dispatch& dispatch) {
  dispatch.params.workgroup_count.y = std::min(dispatch.params.workgroup_count.y, 1u);
}
void IgnoreZ(Dispatch& dispatch) {
  dispatch.params.workgroup_count.z = std::min(dispatch.params.workgroup_count.z, 1u);
}

void DropLastWorkgroup(Dispatch& dispatch) {
  if (dispatch.params.workgroup_count.x > 1) --dispatch.params.workgroup_count.x;
}

void RunAtLeastOne(Dispatch& dispatch) {
  hal_dim3_t& count = dispatch.params.workgroup_count;
  count = {std::max(count.x, 1u), std::max(count.y, 1u), std::max(count.z, 1u)};
}

void IgnoreSizeOverride(Dispatch& dispatch) {
  dispatch.params.workgroup_size = hal_executable_export_info(dispatch.executable, dispatch.ordinal)->workgroup_size;
}

void IgnoreDynamicLocalMemory(Dispatch& dispatch) { dispatch.params.dynamic_local_memory = 0; }

void IgnoreIndirectOffset(Dispatch& dispatch) {
  if (IsIndirect(dispatch)) dispatch.params.indirect.offset = 0;
}

void RunIndirectOnce(Dispatch& dispatch) {
  if (!IsIndirect(dispatch)) return;
  dispatch.params.flags &= ~HAL_DISPATCH_INDIRECT;
  dispatch.params.workgroup_count = {1, 1, 1};
}

// As if a recording kept the numbers of its first execution, which are those that were recorded.
void KeepRecordedNumbers(Dispatch& dispatch) { dispatch.params.number_count = 0; }

// As if only the first number of a dispatch were read.
void ReadOneNumber(Dispatch& dispatch) {
  dispatch.params.number_count = std::min<size_t>(dispatch.params.number_count, 1);
}

// As if the host had no more than the block of its first execution.
void KeepFirstBlock(hal_queue_operation_t& operation) {
  static std::mutex mutex;
  static auto& blocks = *new std::map<const hal_command_buffer_t*, std::vector<unsigned char>>();
  if (operation.type != HAL_QUEUE_OPERATION_TYPE_EXECUTE) return;
  if (operation.struct_size <= offsetof(hal_queue_operation_t, numbers) || operation.numbers_size == 0) return;
  const std::lock_guard lock(mutex);
  std::vector<unsigned char>& block = blocks[operation.u.execute.command_buffer];
  const auto* const bytes = static_cast<const unsigned char*>(operation.numbers);
  if (block.size() != operation.numbers_size) block.assign(bytes, bytes + operation.numbers_size);
  operation.numbers = block.data();
}

bool TakeTheSame(const hal_export_info_t& a, const hal_export_info_t& b) {
  return a.constants_size == b.constants_size && a.binding_count == b.binding_count;
}

// The next export that takes as many bindings and constants.
void RunAnotherExport(Dispatch& dispatch) {
  const uint32_t count = hal_executable_export_count(dispatch.executable);
  const hal_export_info_t& info = *hal_executable_export_info(dispatch.executable, dispatch.ordinal);
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t other = (dispatch.ordinal + i) % count;
    if (!TakeTheSame(info, *hal_executable_export_info(dispatch.executable, other))) continue;
    dispatch.ordinal = other;
    return;
  }
}

/// Reflection with one field changed. What it returns lives as long as the process.
template <void (*kChange)(hal_export_info_t&)>
const hal_export_info_t* ReflectChanged(hal_executable_t* executable, uint32_t ordinal) {
  static std::mutex mutex;
  static auto& changed = *new std::map<const hal_export_info_t*, hal_export_info_t>();
  const hal_export_info_t* const info = Local().executable->export_info(executable, ordinal);
  if (!info) return nullptr;
  const std::lock_guard lock(mutex);
  hal_export_info_t& copy = changed[info];
  copy = *info;
  kChange(copy);
  return &copy;
}

void ForgetWorkgroupSize(hal_export_info_t& info) { info.workgroup_size = {1, 1, 1}; }
void ForgetLocalMemory(hal_export_info_t& info) { info.local_memory_size = 0; }
void ForgetParameters(hal_export_info_t& info) { info.parameter_count = 0; }

hal_status_t TakeEveryFormat(hal_device_t*, hal_string_view_t) { return HAL_STATUS_OK; }

constexpr Mutant kDispatchMutants[] = {
    {"last-constant-lost", "the last 4 bytes of constants are 0", "*DispatchConstantsTest.*",
     PlantInDispatches<DropLastConstant>},
    {"constants-cut", "constants past 64 bytes are 0", "*DispatchConstantsTest.*", PlantInDispatches<CutConstantsAt64>},
    {"bindings-swapped", "the first two bindings change places", "*DispatchBindingsTest.*:*DispatchParametersTest.*",
     PlantInDispatches<SwapFirstBindings>},
    {"binding-offsets-ignored", "bindings begin at the start of their buffers", "*DispatchOffsetTest.*",
     PlantInDispatches<IgnoreBindingOffsets>},
    {"workgroup-y-ignored", "grids are one workgroup high", "*DispatchGridTest.*", PlantInDispatches<IgnoreY>},
    {"workgroup-z-ignored", "grids are one workgroup deep", "*DispatchGridTest.*", PlantInDispatches<IgnoreZ>},
    {"last-workgroup-lost", "the last workgroup of each row does not run", "*DispatchGridTest.*",
     PlantInDispatches<DropLastWorkgroup>},
    {"empty-grid-runs", "a grid without workgroups runs one", "*DispatchEmptyGridTest.*",
     PlantInDispatches<RunAtLeastOne>},
    {"workgroup-size-ignored", "a dispatch's own workgroup size is ignored", "*WorkgroupSizeTest.*",
     PlantInDispatches<IgnoreSizeOverride>},
    // A kernel that uses memory which it did not get may do anything; this one looks first.
    {"dynamic-local-memory-ignored", "kernels get only the local memory that they declare",
     "*HostDispatchTest.KernelGetsTheDynamicLocalMemory*", PlantInDispatches<IgnoreDynamicLocalMemory>},
    {"indirect-offset-ignored", "indirect counts are read at the start of their buffer",
     "*IndirectSourceTest.*:*IndirectHostTest.*", PlantInDispatches<IgnoreIndirectOffset>},
    {"indirect-runs-once", "an indirect dispatch runs one workgroup", "*IndirectSourceTest.*:*IndirectHostTest.*",
     PlantInDispatches<RunIndirectOnce>},
    {"numbers-recorded", "executions run with the numbers that were recorded", "*NumbersTest.*:*NumberedCountTest.*",
     PlantInDispatches<KeepRecordedNumbers>},
    {"numbers-first-only", "of the numbers of a dispatch only the first one is read", "*NumbersTest.*",
     PlantInDispatches<ReadOneNumber>},
    {"numbers-stale", "executions run with the numbers of the first one", "*NumbersTest.*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<KeepFirstBlock>; }},
    {"wrong-export", "another export of the executable runs", "*Dispatch*:*Export*:*Executable*",
     PlantInDispatches<RunAnotherExport>},
    {"reflection-workgroup-size", "reflection says that every workgroup is 1 x 1 x 1", "*ExecutableReflectionTest.*",
     [](Tables& tables) { tables.executable.export_info = ReflectChanged<ForgetWorkgroupSize>; }},
    {"reflection-local-memory", "reflection says that no kernel declares local memory", "*ExecutableReflectionTest.*",
     [](Tables& tables) { tables.executable.export_info = ReflectChanged<ForgetLocalMemory>; }},
    {"reflection-parameters", "reflection lists no parameters", "*ExecutableReflectionTest.*",
     [](Tables& tables) { tables.executable.export_info = ReflectChanged<ForgetParameters>; }},
    {"every-format-taken", "the device says that it takes every format", "ExecutableTest.*:RegistryTest.UnknownFormat*",
     [](Tables& tables) { tables.device.query_format = TakeEveryFormat; }},
};

}  // namespace

std::span<const Mutant> DispatchMutants() { return kDispatchMutants; }

}  // namespace halyard::mutants
