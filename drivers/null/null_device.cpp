// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "null/null_device.h"

#include <iterator>

#include "driver_kit/queue/drain.h"

namespace halyard::null {
namespace {

constexpr hal_string_view_t kFormats[] = {{NullExecutable::kFormat.data(), NullExecutable::kFormat.size()}};

}  // namespace

void DescribeNullDevice(hal_device_properties_t* properties) {
  properties->kind = HAL_DEVICE_KIND_VIRTUAL;
  properties->formats = {std::size(kFormats), kFormats};
}

NullDevice::NullDevice(const hal_driver_interface_t& tables, uint32_t queue_count)
    : DeviceBase(tables), allocator_(tables) {
  info_.id = hal_string_view("0");
  info_.name = ToC(kName);
  info_.queue_count = queue_count;
  // Replace: the device's own limits. The core holds dispatches and layouts to them; the null device has none.
  // Replace: all that is known of the device, and AddExtension() for each extension, such as access to the vendor's
  // handles.
  DescribeNullDevice(&properties_);
  allocator = &allocator_;
}

// Replace: the formats that the device loads. Nothing is run here, so that any format will do.
Status NullDevice::QueryFormat(hal_string_view_t) { return kOk; }

// The core sets and retains the device of a new object; a driver only makes it.
Status NullDevice::QueryPeer(hal_device_t* /*other*/, hal_peer_properties_t* out_properties) {
  out_properties->native_waits = true;  // the host is the device
  out_properties->memory_handles = HAL_PEER_HANDLE_HOST_POINTER | HAL_PEER_HANDLE_DEVICE_POINTER;
  return kOk;
}

Status NullDevice::CreateCommandBuffer(const hal_command_buffer_params_t*, hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new NullCommandBuffer(tables().command_buffer);
  return kOk;
}

Status NullDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  HAL_TRY(QueryFormat(params->format));
  return NullExecutable::Create(this, tables().executable, *params, out_executable);
}

Status NullDevice::Submit(const hal_queue_operation_t* operation) {
  // What is refused here was never submitted, and signals nothing. From Defer() on a failure belongs to the operation
  // and fails its signals instead.
  HAL_TRY(health().Check());
  Ref<hal_buffer_t> allocated;
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_ALLOCA) {
    // The object is there at once; its memory comes when the operation runs.
    allocated = allocator_.MakeUncommitted(*operation->u.allocate.params, operation->u.allocate.length);
  }
  ActionPool<NullAction>::Handle action = actions_.Borrow();
  action->Capture(*this, *operation, allocated.get());
  if (allocated) *operation->u.allocate.out_buffer = allocated.release();
  action.release()->Defer(operation->wait_list);  // it may have run when this returns
  return kOk;
}

Status NullDevice::Drain(uint64_t timeout_ns) {
  return DrainOperations(*this, actions_, timeout_ns, [] {});
}

}  // namespace halyard::null
