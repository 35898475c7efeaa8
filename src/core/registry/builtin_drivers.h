// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drivers that are linked into the library.
#ifndef HALYARD_CORE_REGISTRY_BUILTIN_DRIVERS_H_
#define HALYARD_CORE_REGISTRY_BUILTIN_DRIVERS_H_

#include "core/registry/registry.h"

namespace halyard {

/// Adds every driver of this build to a registry.
Status RegisterBuiltinDrivers(Registry& registry);

}  // namespace halyard

#endif  // HALYARD_CORE_REGISTRY_BUILTIN_DRIVERS_H_
