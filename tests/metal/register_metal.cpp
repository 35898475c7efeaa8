// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the Metal driver known to a program whose library lacks it, before main() begins.
#include "halyard/registry.h"
#include "metal/device/metal_driver.h"

namespace {

[[maybe_unused]] const hal_status_t g_registered =
    hal_registry_register_driver(hal_registry_default(), hal_metal_driver_interface());

}  // namespace
