// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device can do beyond the API.
#ifndef HALYARD_DRIVER_KIT_DEVICE_DEVICE_EXTENSION_H_
#define HALYARD_DRIVER_KIT_DEVICE_DEVICE_EXTENSION_H_

#include <cstdint>

namespace halyard {

/// An extension with its function table. Both pointers stay valid permanently.
struct DeviceExtension {
  const char* name;
  uint32_t version;  ///< the latest; the table serves all earlier ones
  const void* table;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_DEVICE_EXTENSION_H_
