// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of which nothing is known yet: what a driver fills in.
#ifndef HALYARD_DRIVER_KIT_DEVICE_BLANK_PROPERTIES_H_
#define HALYARD_DRIVER_KIT_DEVICE_BLANK_PROPERTIES_H_

#include "halyard/device_properties.h"

namespace halyard {

constexpr hal_device_properties_t BlankProperties() {
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  properties.numa_node = -1;
  return properties;
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_BLANK_PROPERTIES_H_
