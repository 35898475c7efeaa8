// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/status.h"

#include "base/host_memory.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

Status ReadHostAllocator(const hal_host_allocator_t* given, hal_host_allocator_t* out) {
  HAL_TRY(ReadStruct("allocator", given, out));
  HAL_TRY(CheckNotNull("allocator->allocate", reinterpret_cast<const void*>(out->allocate)));
  return CheckNotNull("allocator->free", reinterpret_cast<const void*>(out->free));
}

Status ReplaceHostAllocator(const hal_host_allocator_t* allocator) {
  if (SetHostAllocator(allocator)) return kOk;
  return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the library has already taken memory; call it first");
}

}  // namespace
}  // namespace halyard

const char* hal_status_name(hal_status_t status) {
  switch (status) {
    case HAL_STATUS_OK:
      return "OK";
    case HAL_STATUS_CANCELLED:
      return "CANCELLED";
    case HAL_STATUS_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case HAL_STATUS_OUT_OF_RANGE:
      return "OUT_OF_RANGE";
    case HAL_STATUS_NOT_FOUND:
      return "NOT_FOUND";
    case HAL_STATUS_ALREADY_EXISTS:
      return "ALREADY_EXISTS";
    case HAL_STATUS_PERMISSION_DENIED:
      return "PERMISSION_DENIED";
    case HAL_STATUS_FAILED_PRECONDITION:
      return "FAILED_PRECONDITION";
    case HAL_STATUS_RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case HAL_STATUS_DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case HAL_STATUS_ABORTED:
      return "ABORTED";
    case HAL_STATUS_UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case HAL_STATUS_UNAVAILABLE:
      return "UNAVAILABLE";
    case HAL_STATUS_INCOMPATIBLE:
      return "INCOMPATIBLE";
    case HAL_STATUS_DATA_LOSS:
      return "DATA_LOSS";
    case HAL_STATUS_DEVICE_LOST:
      return "DEVICE_LOST";
    case HAL_STATUS_INTERNAL:
      return "INTERNAL";
    case HAL_STATUS_FORCE_32:
      break;
  }
  return "UNKNOWN";
}

// The view ends in a zero byte, as it is of a string that does.
const char* hal_last_error_message(void) { return halyard::LastErrorMessage().data(); }

void hal_set_error_message(hal_string_view_t message) {
  halyard::Publish(halyard::FailWith(HAL_STATUS_OK, halyard::View(message)));
}

hal_status_t hal_set_host_allocator(const hal_host_allocator_t* allocator) {
  return halyard::Public([&] {
    if (!allocator) return halyard::ReplaceHostAllocator(nullptr);
    hal_host_allocator_t copy = HAL_INIT(hal_host_allocator_t);
    HAL_TRY(halyard::ReadHostAllocator(allocator, &copy));
    return halyard::ReplaceHostAllocator(&copy);
  });
}
