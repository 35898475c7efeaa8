// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the Metal driver known to the conformance suite, whose main() is linked with this.
#include "cts/cts.h"
#include "metal/metal_driver.h"

namespace {

[[maybe_unused]] const bool g_registered = [] {
  halyard::cts::Check(hal_registry_register_driver(halyard::cts::SuiteRegistry(), hal_metal_driver_interface()),
                      "registering the Metal driver");
  return true;
}();

}  // namespace
