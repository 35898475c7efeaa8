// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices of a driver.
#ifndef HALYARD_CORE_DRIVER_H_
#define HALYARD_CORE_DRIVER_H_

#include <string_view>

#include "common/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// See hal_driver_create_device(); with an `executor`, see hal_device_create_on_executor().
Status CreateDeviceOf(hal_driver_t* driver, std::string_view id, size_t pair_count, const hal_key_value_t* pairs,
                      const hal_executor_t* executor, hal_device_t** out_device);

}  // namespace halyard

#endif  // HALYARD_CORE_DRIVER_H_
