// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/device/local_device.h"

#include <climits>
#include <iterator>
#include <utility>

#include "driver_kit/device/extension_tables.h"
#include "driver_kit/queue/drain.h"
#include "local/device/local_cpu.h"
#include "local/executable/local_executable.h"
#include "local/executor/local_executors.h"
#include "local/queue/local_immediate.h"
#include "local/recording/local_command_buffer.h"
#include "local/recording/local_commands.h"

namespace halyard::local {
namespace {

constexpr std::string_view kSharedObject = HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT;
constexpr std::string_view kObject = HAL_EXECUTABLE_FORMAT_HOST_OBJECT;
constexpr std::string_view kFunctions = HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS;
// The last one only where the system has memory for it.
constexpr hal_string_view_t kFormats[] = {{kSharedObject.data(), kSharedObject.size()},
                                          {kFunctions.data(), kFunctions.size()},
                                          {kObject.data(), kObject.size()}};

}  // namespace

void DescribeLocalDevice(const LocalDeviceOptions& options, hal_device_properties_t* properties,
                         hal_device_limits_t* limits) {
  limits->max_workgroup_count = {INT32_MAX, 65535, 65535};  // their product fits 64 bits
  limits->max_workgroup_size = {UINT16_MAX, UINT16_MAX, UINT16_MAX};
  limits->max_local_memory = kMaxLocalMemory;
  limits->max_constants_size = kMaxConstantsSize;
  limits->max_bindings = kMaxBindings;
  limits->max_descriptor_sets = 16;
  limits->binding_alignment = options.binding_alignment;
  limits->max_binding_range = options.max_binding_range;
  *properties = HostCpuProperties();
  properties->formats = {std::size(kFormats) - (IsHostFormat(kObject) ? 0 : 1), kFormats};
}

LocalDevice::LocalDevice(const hal_driver_interface_t& tables, LocalDeviceOptions options)
    : DeviceBase(tables),
      own_executor_(std::move(options.own_executor)),
      executor_(own_executor_ ? own_executor_.get() : options.executor),
      is_sync_(executor_ == &TheSyncExecutor()),
      allocator_(tables, options.memory, [this] { return Trim(); }) {
  FillInfo(options);
  SetWaitMode(options.wait);
  allocator = &allocator_;
}

Status LocalDevice::Trim() {
  TrimHostMemory();
  return actions_.Trim([](const auto&) { return kOk; });
}

void LocalDevice::Lose(std::string_view reason) {
  const DrainScope scope;  // what hears of it may give up the device
  health().Lose(reason);
  actions_.FailDeferred(health().failure());
}

void LocalDevice::FillInfo(const LocalDeviceOptions& options) {
  info_.id = ToC(options.id);
  info_.name = ToC(options.name);
  info_.ordinal = options.ordinal;
  info_.queue_count = options.queue_count;
  DescribeLocalDevice(options, &properties_, &limits_);
  AddExtension(FaultInjection<LocalDevice>());
}

Status LocalDevice::QueryFormat(hal_string_view_t format) {
  if (IsHostFormat(View(format))) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "the local driver takes executables of the formats 'host-shared-object', 'host-object' and "
              "'host-functions', not '%.*s'",
              HALYARD_SV(View(format)));
}

// All local devices are the one host.
Status LocalDevice::QueryPeer(hal_device_t*, hal_peer_properties_t* out_properties) {
  out_properties->relation = HAL_PEER_RELATION_SAME;
  out_properties->native_atomics = true;
  out_properties->performance_rank = 0;
  out_properties->native_waits = true;  // the host is the device
  out_properties->memory_handles = HAL_PEER_HANDLE_HOST_POINTER | HAL_PEER_HANDLE_DEVICE_POINTER;
  return kOk;
}

Status LocalDevice::CreateCommandBuffer(const hal_command_buffer_params_t* params,
                                        hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new LocalCommandBuffer(tables().command_buffer, arenas(), *params);
  return kOk;
}

Status LocalDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  HAL_TRY(QueryFormat(params->format));
  return LocalExecutable::Create(this, tables().executable, code_, *params, out_executable);
}

Status LocalDevice::Submit(const hal_queue_operation_t* operation) {
  HAL_TRY(health().Check());
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_ALLOCA) return SubmitAlloca(*operation);
  if (!RunImmediately(*this, *operation, nullptr)) Defer(*operation, nullptr);
  return kOk;
}

Status LocalDevice::Drain(uint64_t timeout_ns) {
  return DrainOperations(*this, actions_, timeout_ns, [] {});
}

Status LocalDevice::SubmitAlloca(const hal_queue_operation_t& operation) {
  const hal_queue_alloca_t& request = operation.u.allocate;
  LocalBuffer* const made = allocator_.MakeTransient(*request.params, request.length);
  auto buffer = Ref<hal_buffer_t>::Adopting(made);
  if (!RunImmediately(*this, operation, made)) Defer(operation, made);
  *request.out_buffer = buffer.release();
  return kOk;
}

void LocalDevice::Defer(const hal_queue_operation_t& operation, hal_buffer_t* buffer) {
  ActionPool<LocalAction>::Handle action = actions_.Borrow();
  action->Capture(*this, operation, buffer);
  action.release()->Defer(operation.wait_list);
}

}  // namespace halyard::local
