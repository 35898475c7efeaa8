// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/hip_driver.h"

#include <cstring>

#include "hip/hip_api.h"
#include "stream/vendor_driver.h"

namespace halyard::hip {

// It is text already, without a zero at its end.
HostString HipVendor::FormatUuid(const hipUUID& uuid) {
  return HostString("GPU-").append(uuid.bytes, strnlen(uuid.bytes, sizeof(uuid.bytes)));
}

}  // namespace halyard::hip

extern "C" const hal_driver_interface_t* hal_hip_driver_interface(void) {
  static constinit const halyard::DriverInterface<
      halyard::stream::StreamClasses<halyard::stream::VendorDriver<halyard::hip::HipVendor, halyard::hip::HipApi>>>
      driver_interface("hip", "AMD GPUs, through the HIP runtime API: hip://<ordinal, UUID or PCI address>");
  return driver_interface.get();
}
