// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/status.h"

#include <iterator>

#include "base/host_memory.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// In the order of their numbers.
constexpr const char* kStatusNames[] = {"OK",
                                        "CANCELLED",
                                        "INVALID_ARGUMENT",
                                        "OUT_OF_RANGE",
                                        "NOT_FOUND",
                                        "ALREADY_EXISTS",
                                        "PERMISSION_DENIED",
                                        "FAILED_PRECONDITION",
                                        "RESOURCE_EXHAUSTED",
                                        "DEADLINE_EXCEEDED",
                                        "ABORTED",
                                        "UNIMPLEMENTED",
                                        "UNAVAILABLE",
                                        "INCOMPATIBLE",
                                        "DATA_LOSS",
                                        "DEVICE_LOST",
                                        "INTERNAL"};
static_assert(std::size(kStatusNames) == HAL_STATUS_INTERNAL + 1);

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
  const auto number = static_cast<uint32_t>(status);
  return number < std::size(halyard::kStatusNames) ? halyard::kStatusNames[number] : "UNKNOWN";
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
