// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other public functions ask of a device: as the public functions, except that messages name the function that the
// application called.
#ifndef HALYARD_CORE_DEVICE_QUERIES_H_
#define HALYARD_CORE_DEVICE_QUERIES_H_

#include "base/status.h"
#include "halyard/device_properties.h"
#include "halyard/profiling.h"

namespace halyard {

/// Defined in device_properties.cpp.
Status QueryPeer(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out_properties);
/// Defined in profiling.cpp.
Status BeginDeviceProfiling(hal_device_t* device, hal_profiling_flags_t flags, const hal_profiling_sink_t* given);
Status EndDeviceProfiling(hal_device_t* device);

}  // namespace halyard

#endif  // HALYARD_CORE_DEVICE_QUERIES_H_
