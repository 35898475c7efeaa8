// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which devices of Halyard become devices of ggml.
#ifndef INTEGRATIONS_GGML_DEVICES_H_
#define INTEGRATIONS_GGML_DEVICES_H_

#include <vector>

#include "device.h"

namespace halyard_ggml {

/// Those that the variable HALYARD_GGML_DEVICES names, as URIs with commas between them. Without it: every accelerator
/// once, whatever number of drivers it has, and if there is none the local device.
///
/// Drivers that cannot work here are left out silently, and named devices that cannot be found with a line in the log.
std::vector<FoundDevice> FindDevices();

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_DEVICES_H_
