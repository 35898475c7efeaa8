// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/builtin_drivers.h"

// The build lists its drivers as HALYARD_BUILTIN_DRIVER(name), each of which defines hal_<name>_driver_interface().
#define HALYARD_BUILTIN_DRIVER(name) extern "C" const hal_driver_interface_t* hal_##name##_driver_interface(void);
#include "builtin_drivers.inc"
#undef HALYARD_BUILTIN_DRIVER

namespace halyard {
namespace {

using InterfaceFn = const hal_driver_interface_t* (*)();

// Ends in NULL, as a build without drivers would leave an empty array.
constexpr InterfaceFn kBuiltinDrivers[] = {
#define HALYARD_BUILTIN_DRIVER(name) hal_##name##_driver_interface,
#include "builtin_drivers.inc"
#undef HALYARD_BUILTIN_DRIVER
    nullptr,
};

}  // namespace

Status RegisterBuiltinDrivers(Registry& registry) {
  for (const InterfaceFn driver_interface : kBuiltinDrivers) {
    if (!driver_interface) break;
    const Status status = registry.Register(driver_interface(), /*is_plugin=*/false);
    if (status != kOk) return status;
  }
  return kOk;
}

}  // namespace halyard
