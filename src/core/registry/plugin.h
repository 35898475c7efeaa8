// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers from shared libraries.
#ifndef HALYARD_CORE_REGISTRY_PLUGIN_H_
#define HALYARD_CORE_REGISTRY_PLUGIN_H_

#include <string_view>

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Loads a plugin and asks it for its interface, which is not checked yet. The library stays loaded permanently.
Status LoadPlugin(std::string_view path, const hal_driver_interface_t** out_interface);

}  // namespace halyard

#endif  // HALYARD_CORE_REGISTRY_PLUGIN_H_
