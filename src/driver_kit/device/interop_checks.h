// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the extensions "halyard.<driver>.interop" check before they do anything.
#ifndef HALYARD_DRIVER_KIT_DEVICE_INTEROP_CHECKS_H_
#define HALYARD_DRIVER_KIT_DEVICE_INTEROP_CHECKS_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// INVALID_ARGUMENT for NULL.
template <class T>
Status CheckGiven(const char* name, const T* pointer) {
  return pointer ? kOk : Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is NULL", name);
}

/// INVALID_ARGUMENT or OUT_OF_RANGE, with the element: the rules of driver_kit/timeline/point_rules.h.
Status CheckWaitList(const hal_semaphore_list_t& list);
Status CheckSignalList(const hal_semaphore_list_t& list);

/// INVALID_ARGUMENT for what is no device, and for a device of another driver.
Status CheckDriver(const hal_device_t* device, std::string_view driver);

/// Runs `body(device)`, which returns a Status, for a device of the driver. Messages begin with the function.
template <class Device, class Body>
hal_status_t OnDeviceOf(std::string_view driver, const char* function, hal_device_t* device,
                        const Body& body) noexcept {
  return Publish(Guard([&] {
    Status status = CheckDriver(device, driver);
    if (status == kOk) status = body(*static_cast<Device*>(device));
    return status == kOk ? kOk : Annotate(status, function, ": ");
  }));
}

/// A command that runs nothing on queue 0, so that it goes through a lane. Only its waits count.
hal_queue_operation_t MakeJoin(hal_semaphore_list_t waits);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_INTEROP_CHECKS_H_
