// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other public functions ask about devices.
#ifndef HALYARD_CORE_DEVICE_PROPERTIES_H_
#define HALYARD_CORE_DEVICE_PROPERTIES_H_

#include "base/status.h"
#include "halyard/device_properties.h"

namespace halyard {

/// As hal_device_query_peer(), of devices that were checked. `*out` has its full size and nothing set.
Status DescribePeer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out);

}  // namespace halyard

#endif  // HALYARD_CORE_DEVICE_PROPERTIES_H_
