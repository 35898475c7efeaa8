// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/device.h"

#include <stdexcept>
#include <string>

#include "cts/kernel_library.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

hal_buffer_params_t Params(hal_memory_type_t memory_type, hal_buffer_usage_t usage) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = memory_type;
  params.usage = usage;
  return params;
}

/// Whether the host can reach the bytes of a buffer by itself.
bool IsMappable(const Buffer& buffer) {
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  Check(hal_buffer_query_info(buffer, &info), "hal_buffer_query_info");
  return (info.usage & HAL_BUFFER_USAGE_MAPPING) != 0;
}

}  // namespace

void Check(hal_status_t status, const char* what) {
  if (status == HAL_STATUS_OK) return;
  throw std::runtime_error(std::string(what) + ": " + hal_status_name(status) + ": " + hal_last_error_message());
}

hal_status_t Semaphore::Query() const {
  uint64_t value = 0;
  return hal_semaphore_query(*this, &value);
}

uint64_t Semaphore::Value() const {
  uint64_t value = UINT64_MAX;
  hal_semaphore_query(*this, &value);
  return value;
}

hal_status_t Semaphore::Notify(uint64_t value, std::function<void(hal_status_t, const std::string&)> callback,
                               hal_timepoint_t* out_timepoint) const {
  void* user_data = AddCallback([callback = std::move(callback)](hal_status_t status, const std::string& message) {
    callback(status, message);
    return HAL_STATUS_OK;
  });
  const hal_status_t status = hal_semaphore_notify(*this, value, CallTimepoint, user_data, out_timepoint);
  if (status != HAL_STATUS_OK) WithdrawCallback(user_data);
  return status;
}

Fence::Fence(const Points& points) {
  Check(hal_fence_create(points.list().count, out()), "hal_fence_create");
  Check(Extend(points), "hal_fence_extend");
}

std::vector<hal_timeline_point_t> Fence::List() const {
  const hal_semaphore_list_t list = hal_fence_list(*this);
  return {list.points, list.points + list.count};
}

uint32_t Executable::Export(std::string_view name) const {
  uint32_t ordinal = UINT32_MAX;
  Check(hal_executable_find_export(*this, View(name), &ordinal), "hal_executable_find_export");
  return ordinal;
}

hal_buffer_params_t DeviceLocal(hal_buffer_usage_t usage) { return Params(HAL_MEMORY_TYPE_DEVICE_LOCAL, usage); }

hal_buffer_params_t Mappable(hal_buffer_usage_t usage) {
  return Params(HAL_MEMORY_TYPE_HOST_VISIBLE, usage | HAL_BUFFER_USAGE_MAPPING);
}

uint64_t Device::BindingOffset(uint64_t offset) const {
  const uint64_t alignment = limits().binding_alignment;
  return (offset + alignment - 1) / alignment * alignment;
}

Semaphore Device::CreateSemaphore(uint64_t initial) const {
  hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  params.initial_value = initial;
  Semaphore semaphore;
  Check(hal_semaphore_create(*this, &params, semaphore.out()), "hal_semaphore_create");
  return semaphore;
}

Event Device::CreateEvent() const {
  Event event;
  Check(hal_event_create(*this, event.out()), "hal_event_create");
  return event;
}

Buffer Device::CreateBuffer(uint64_t length, const hal_buffer_params_t& params) const {
  Buffer buffer;
  Check(hal_allocator_allocate(allocator(), &params, length, buffer.out()), "hal_allocator_allocate");
  return buffer;
}

CommandBuffer Device::CreateCommandBuffer(hal_command_buffer_flags_t flags, uint32_t binding_capacity,
                                          uint64_t numbers_size) const {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = flags;
  params.binding_capacity = binding_capacity;
  params.numbers_size = numbers_size;
  CommandBuffer commands;
  Check(hal_command_buffer_create(*this, &params, commands.out()), "hal_command_buffer_create");
  return commands;
}

CommandBuffer Device::Record(const std::function<void(const CommandBuffer&)>& commands,
                             hal_command_buffer_flags_t flags, uint32_t binding_capacity, uint64_t numbers_size) const {
  CommandBuffer command_buffer = CreateCommandBuffer(flags, binding_capacity, numbers_size);
  Check(command_buffer.Begin(), "hal_command_buffer_begin");
  commands(command_buffer);
  Check(command_buffer.End(), "hal_command_buffer_end");
  return command_buffer;
}

Executable Device::LoadKernels(std::string_view set) const {
  const KernelSource source(*this, set);
  Executable executable;
  Check(hal_executable_create(*this, &source.params(), executable.out()), "hal_executable_create");
  return executable;
}

void Device::UploadBytes(const Buffer& buffer, uint64_t offset, const void* data, uint64_t length) const {
  if (IsMappable(buffer)) {
    Check(hal_buffer_write(buffer, offset, data, length), "hal_buffer_write");
    Check(hal_buffer_flush(buffer, offset, length), "hal_buffer_flush");
    return;
  }
  const Buffer staging = CreateBuffer(length, Mappable());
  UploadBytes(staging, 0, data, length);
  const Semaphore done = CreateSemaphore();
  Check(QueueCopy(kNoWaits, {{done, 1}}, staging, Ref(buffer, offset, length)), "hal_device_queue_copy");
  Check(done.Wait(1), "upload");
}

void Device::DownloadBytes(const Buffer& buffer, uint64_t offset, void* data, uint64_t length) const {
  if (IsMappable(buffer)) {
    Check(hal_buffer_invalidate(buffer, offset, length), "hal_buffer_invalidate");
    Check(hal_buffer_read(buffer, offset, data, length), "hal_buffer_read");
    return;
  }
  const Buffer staging = CreateBuffer(length, Mappable());
  const Semaphore done = CreateSemaphore();
  Check(QueueCopy(kNoWaits, {{done, 1}}, Ref(buffer, offset, length), staging), "hal_device_queue_copy");
  Check(done.Wait(1), "download");
  DownloadBytes(staging, 0, data, length);
}

hal_status_t Device::QueueExecute(const Points& waits, const Points& signals, const CommandBuffer& commands,
                                  const std::vector<Ref>& table, hal_queue_mask_t queues) const {
  const std::vector<hal_buffer_ref_t> refs(table.begin(), table.end());
  return hal_device_queue_execute(*this, hal::SubmitParams(waits, signals, queues), commands,
                                  hal_buffer_ref_list(refs.data(), refs.size()));
}

hal_status_t Device::QueueExecuteWith(const Points& waits, const Points& signals, const CommandBuffer& commands,
                                      const std::vector<uint32_t>& numbers, const std::vector<Ref>& table) const {
  const std::vector<hal_buffer_ref_t> refs(table.begin(), table.end());
  hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
  params.table = hal_buffer_ref_list(refs.data(), refs.size());
  params.numbers = numbers.data();
  params.numbers_size = numbers.size() * sizeof(uint32_t);
  return hal_device_queue_execute_with(*this, hal::SubmitParams(waits, signals), commands, &params);
}

hal_status_t Device::QueueHostCall(const Points& waits, const Points& signals,
                                   std::function<hal_status_t(hal_status_t)> callback, hal_queue_mask_t queues) const {
  void* user_data = AddCallback(
      [callback = std::move(callback)](hal_status_t status, const std::string&) { return callback(status); });
  const hal_status_t status =
      hal_device_queue_host_call(*this, hal::SubmitParams(waits, signals, queues), CallHostCall, user_data);
  if (status != HAL_STATUS_OK) WithdrawCallback(user_data);
  return status;
}

}  // namespace halyard::cts
