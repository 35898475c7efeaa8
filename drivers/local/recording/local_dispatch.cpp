// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/recording/local_dispatch.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstring>

#include "base/application_call.h"
#include "base/clock.h"
#include "base/foreign_code.h"
#include "base/per_thread.h"
#include "local/executable/local_executable.h"
#include "local/executor/local_loop.h"
#include "local/recording/local_function_dispatch.h"

namespace halyard::local {
namespace {

constexpr size_t kConstantsAlignment = 16;  // of hal_local_dispatch_t::constants

/// A thread's workgroup memory; grows to what was asked for and stays.
class Scratch : public HostObject {
 public:
  ~Scratch() { HostFree(data_, size_, kAlignment); }

  void* Get(size_t size) {
    if (size > size_) {
      HostFree(data_, size_, kAlignment);
      data_ = nullptr;
      size_ = 0;
      data_ = HostAllocate(size, kAlignment);
      size_ = size;
    }
    return data_;
  }

 private:
  static constexpr size_t kAlignment = 64;
  void* data_ = nullptr;
  size_t size_ = 0;  // bytes
};

/// What a dispatch's workgroups share.
struct Grid {
  hal_local_kernel_fn_t kernel;
  hal_local_dispatch_t dispatch;
  uint32_t local_memory_size;
};

/// The first workgroup, on this thread.
inline hal_local_workgroup_t FirstWorkgroup(const Grid& grid) {
  hal_local_workgroup_t workgroup{};
  workgroup.local_memory_size = grid.local_memory_size;
  if (grid.local_memory_size > 0) workgroup.local_memory = PerThread<Scratch>::Get().Get(grid.local_memory_size);
  return workgroup;
}

[[gnu::cold, gnu::noinline]] Status FailWorkgroup(int32_t code, const hal_local_workgroup_t& workgroup) {
  return Fail(HAL_STATUS_ABORTED, "the kernel returned %d in workgroup (%u, %u, %u)", code, workgroup.id[0],
              workgroup.id[1], workgroup.id[2]);
}

// A kernel in C++ may throw, as the work itself fails then.
HALYARD_CALLS_FOREIGN_CODE Status RunWorkgroup(const Grid& grid, const hal_local_workgroup_t& workgroup) {
  try {
    const int32_t code = grid.kernel(&grid.dispatch, &workgroup);
    return code == 0 ? kOk : FailWorkgroup(code, workgroup);
  } catch (...) {
    return ThrownStatus("the kernel");
  }
}

/// Runs workgroups [begin, end) of the grid, x varying fastest.
Status RunWorkgroups(const Grid& grid, uint64_t begin, uint64_t end) {
  const uint32_t* const count = grid.dispatch.workgroup_count;
  hal_local_workgroup_t workgroup = FirstWorkgroup(grid);
  if (begin > 0) {
    workgroup.id[0] = static_cast<uint32_t>(begin % count[0]);
    workgroup.id[1] = static_cast<uint32_t>(begin / count[0] % count[1]);
    workgroup.id[2] = static_cast<uint32_t>(begin / count[0] / count[1]);
  }
  for (uint64_t i = begin; i < end; ++i) {
    HAL_TRY(RunWorkgroup(grid, workgroup));
    if (++workgroup.id[0] < count[0]) continue;
    workgroup.id[0] = 0;
    if (++workgroup.id[1] < count[1]) continue;
    workgroup.id[1] = 0;
    ++workgroup.id[2];
  }
  return kOk;
}

Status ReadIndirectCount(const CommandContext& context, const hal_buffer_ref_t& ref, hal_dim3_t* count) {
  Pins pins;
  MemoryRange range{};
  HAL_TRY(Resolve(context, ref, pins, &range));
  std::memcpy(count, range.data, sizeof(*count));
  const hal_dim3_t& most = context.device.info->limits->max_workgroup_count;
  if (count->x <= most.x && count->y <= most.y && count->z <= most.z) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "indirect dispatch: the buffer holds %u x %u x %u workgroups, the device takes at most %u x %u x %u",
              count->x, count->y, count->z, most.x, most.y, most.z);
}

void Report(const CommandContext& context, const hal_export_info_t& info, uint32_t index, hal_dim3_t count,
            uint64_t start, hal_status_t status) {
  OperationRecord record = *context.record;
  record.kind = HAL_PROFILING_RECORD_KIND_DISPATCH;
  record.status = status;
  record.name = info.name;
  record.command = index;
  record.start_time = start;
  record.end_time = MonotonicNanoseconds();
  record.workgroup_count = count;
  context.profiling.RecordDispatch(record);
}

Status RunGrid(const CommandContext& context, const Grid& grid) {
  const uint32_t* const count = grid.dispatch.workgroup_count;
  const uint64_t total = uint64_t{count[0]} * count[1] * count[2];
  if (total == 0) return kOk;
  if (total == 1) return RunWorkgroup(grid, FirstWorkgroup(grid));
  return RunLoop(context.executor, total,
                 [&grid](uint64_t begin, uint64_t end) { return RunWorkgroups(grid, begin, end); });
}

Status CheckBindingCount(const hal_export_info_t& info, const hal_dispatch_params_t& params) {
  if (params.bindings.count <= kMaxBindings) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "dispatch of '%.*s': %zu bindings, the device takes at most %u",
              HALYARD_SV(View(info.name)), params.bindings.count, kMaxBindings);
}

alignas(kConstantsAlignment) constexpr std::array<char, kConstantsAlignment> kNoConstants{};

/// Constants as kernels are promised them. Those of an operation that runs within its submission are the application's;
/// they have been checked, so that `storage` has room for them.
const void* AlignedConstants(const hal_dispatch_params_t& params, char* storage) {
  if (params.constants_size == 0) return kNoConstants.data();
  if (reinterpret_cast<uintptr_t>(params.constants) % kConstantsAlignment == 0) return params.constants;
  return std::memcpy(storage, params.constants, std::min<size_t>(params.constants_size, kMaxConstantsSize));
}

// A part of RunDispatch(), although the compiler finds its frame too large for that.
[[gnu::always_inline]] inline Status RunKernel(const CommandContext& context, hal_local_kernel_fn_t kernel,
                                               const hal_export_info_t& info, const hal_dispatch_params_t& params,
                                               const hal_dim3_t& count) {
  Pins pins;
  std::array<void*, kMaxBindings> bindings;
  std::array<uint64_t, kMaxBindings> lengths;
  const BindingTable table = context.table;
  const std::span refs(params.bindings.refs, params.bindings.count);
  for (size_t i = 0; i < refs.size(); ++i) {
    MemoryRange range{};
    BufferRange part;
    HAL_TRY(Resolve(refs[i], table, &part));
    HAL_TRY(pins.Add(part, &range));
    bindings[i] = range.data;
    lengths[i] = range.length;
  }
  alignas(kConstantsAlignment) std::array<char, kMaxConstantsSize> constants;  // where they are not aligned
  Grid grid;
  grid.kernel = kernel;
  grid.local_memory_size = info.local_memory_size + params.dynamic_local_memory;
  grid.dispatch = {HAL_LOCAL_KERNEL_ABI_VERSION,
                   static_cast<uint32_t>(params.bindings.count),
                   {count.x, count.y, count.z},
                   {params.workgroup_size.x, params.workgroup_size.y, params.workgroup_size.z},
                   AlignedConstants(params, constants.data()),
                   params.constants_size,
                   bindings.data(),
                   lengths.data()};
  return RunGrid(context, grid);
}

}  // namespace

Status RunDispatch(const CommandContext& context, const hal_command_dispatch_t& dispatch, uint32_t index) {
  const hal_dispatch_params_t& params = *dispatch.params;
  const auto& executable = *static_cast<const LocalExecutable*>(dispatch.executable);
  const hal_export_info_t& info = *executable.ExportInfo(dispatch.ordinal);
  hal_dim3_t count = params.workgroup_count;
  if (params.flags & HAL_DISPATCH_INDIRECT) HAL_TRY(ReadIndirectCount(context, params.indirect, &count));
  HAL_TRY(CheckBindingCount(info, params));
  const bool timed = context.record && context.profiling.WantsDispatches();
  const uint64_t start = timed ? MonotonicNanoseconds() : 0;
  const CompiledFunction* const function = executable.Compiled(dispatch.ordinal);
  const Status status = function ? RunFunction(context, *function, params, count)
                                 : RunKernel(context, executable.Kernel(dispatch.ordinal), info, params, count);
  if (timed) Report(context, info, index, count, start, status.code());
  return status;
}

}  // namespace halyard::local
