// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/device/local_driver.h"

#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"
#include "driver_kit/device/usable_processors.h"
#include "driver_kit/device/wait_option.h"
#include "local/device/local_device.h"
#include "local/executable/local_executable.h"
#include "local/executor/local_executors.h"
#include "local/executor/local_host_executor.h"
#include "local/recording/local_command_buffer.h"
#include "platform/memory.h"

namespace halyard::local {
namespace {

constexpr std::array<std::string_view, 2> kIds = {"task", "sync"};
constexpr std::array<std::string_view, 2> kNames = {"host CPU, thread pool", "host CPU, on the caller's threads"};
constexpr size_t kTask = 0;

using LocalClasses = DriverClasses<LocalDriver, LocalDevice, LocalAllocator, LocalBuffer, TrackedSemaphore,
                                   LocalCommandBuffer, LocalExecutable>;

// Kernels of the host need neither. They are for trying whether a program is fit for devices that do.
Status ReadBindingLimits(Options& options, LocalDeviceOptions* out) {
  uint64_t alignment = out->binding_alignment;
  HAL_TRY(options.Uint("binding_alignment", 1, 4096, &alignment));
  if (!std::has_single_bit(alignment)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "binding_alignment is %llu, which is no power of two",
                static_cast<unsigned long long>(alignment));
  }
  out->binding_alignment = static_cast<uint32_t>(alignment);
  return options.Bytes("max_binding_range", &out->max_binding_range);
}

// Enough for functions that take 8 MiB on the stack, as they may on a program's first thread.
constexpr uint64_t kDefaultStack = uint64_t{16} << 20;
constexpr uint64_t kSmallestStack = uint64_t{256} << 10;
constexpr uint64_t kLargestStack = uint64_t{1} << 40;

Status ReadStack(Options* options, uint64_t* stack) {
  HAL_TRY(options->Bytes("stack", stack));
  if (*stack >= kSmallestStack && *stack <= kLargestStack) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "stack is %llu bytes; it must be 256KiB to 1TiB",
              static_cast<unsigned long long>(*stack));
}

// What all local devices take. The last step: other parameters are refused.
Status ReadOptions(size_t index, Options* options, LocalDeviceOptions* out, std::string_view* trace) {
  uint64_t queues = 4;
  uint64_t memory = PhysicalMemory();
  if (memory == 0) memory = uint64_t{4} << 30;
  HAL_TRY(options->Uint("queues", 1, 64, &queues));
  HAL_TRY(options->Bytes("memory", &memory));
  HAL_TRY(ReadWaitMode(*options, &out->wait));
  HAL_TRY(options->Text("trace", trace));
  HAL_TRY(ReadBindingLimits(*options, out));
  const HostString what = HostString("local://") + HostString(kIds[index]);
  HAL_TRY(options->Finish(what));
  out->id = kIds[index];
  out->name = kNames[index];
  out->ordinal = static_cast<uint32_t>(index);
  out->queue_count = static_cast<uint32_t>(queues);
  out->memory = memory;
  return kOk;
}

Status MakeDevice(const hal_driver_interface_t& tables, LocalDeviceOptions options, std::string_view trace,
                  hal_device_t** out_device) {
  auto made = std::make_unique<LocalDevice>(tables, std::move(options));
  HAL_TRY(made->StartTrace(trace));
  *out_device = made.release();
  return kOk;
}

}  // namespace

LocalDriver::LocalDriver(const hal_driver_interface_t& completed) : hal_driver_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
  tables = &completed;
}

Status LocalDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  *out_driver = new LocalDriver(completed);
  return kOk;
}

Status LocalDriver::ListDevices(size_t* count, hal_device_summary_t* devices) {
  std::array<hal_device_summary_t, kIds.size()> summaries;
  for (size_t i = 0; i < kIds.size(); ++i) {
    summaries[i] = HAL_INIT(hal_device_summary_t);
    summaries[i].id = ToC(kIds[i]);
    summaries[i].name = ToC(kNames[i]);
  }
  return WriteList<hal_device_summary_t>(summaries, count, devices);
}

Status LocalDriver::QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties,
                                hal_device_limits_t* out_limits) {
  size_t index = 0;
  HAL_TRY(FindDevice("local", View(id), kIds, &index));
  DescribeLocalDevice({}, out_properties, out_limits);
  return kOk;
}

Status LocalDriver::CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                 hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(FindDevice("local", View(id), kIds, &index));
  Options options(pair_count, pairs);
  LocalDeviceOptions device;
  std::string_view trace;
  uint64_t stack = kDefaultStack;
  uint64_t threads = 1;
  if (index == kTask) {
    threads = UsableProcessors();
    HAL_TRY(options.Uint("threads", 1, static_cast<uint64_t>(MaxTaskThreads()), &threads));
    HAL_TRY(ReadStack(&options, &stack));
  }
  HAL_TRY(ReadOptions(index, &options, &device, &trace));
  device.executor = &TheSyncExecutor();
  if (index == kTask) {
    HAL_TRY(TaskExecutorOf(static_cast<int>(threads), stack, &device.executor));
  }
  return MakeDevice(*tables, std::move(device), trace, out_device);
}

Status LocalDriver::CreateDeviceOnExecutor(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                           const hal_executor_t* executor, hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(FindDevice("local", View(id), kIds, &index));
  if (index != kTask) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "local://sync runs on the threads that call it and takes no executor; local://task does");
  }
  Options options(pair_count, pairs);
  LocalDeviceOptions device;
  std::string_view trace;
  HAL_TRY(ReadOptions(index, &options, &device, &trace));
  auto own = std::make_unique<HostExecutor>(*executor);
  HostExecutor& kept = *own;
  device.own_executor = std::move(own);
  HAL_TRY(MakeDevice(*tables, std::move(device), trace, out_device));
  kept.Keep();
  return kOk;
}

}  // namespace halyard::local

extern "C" const hal_driver_interface_t* hal_local_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::local::LocalClasses> driver_interface(
      "local", "the host CPU: local://task (thread pool), local://sync (caller's threads)");
  return driver_interface.get();
}
