// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices of a driver.
#ifndef HALYARD_CORE_DRIVER_H_
#define HALYARD_CORE_DRIVER_H_

#include <cstddef>

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The most parameters that a call may add to those of a URI; far more than drivers have.
inline constexpr size_t kMostPairs = 4096;

/// INVALID_ARGUMENT if the list or a key is missing, OUT_OF_RANGE beyond kMostPairs.
Status CheckPairs(size_t pair_count, const hal_key_value_t* pairs);

/// See hal_driver_create_device(); with an `executor`, see hal_device_create_on_executor().
Status CreateDeviceOf(hal_driver_t* driver, hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                      const hal_executor_t* executor, hal_device_t** out_device);

}  // namespace halyard

#endif  // HALYARD_CORE_DRIVER_H_
