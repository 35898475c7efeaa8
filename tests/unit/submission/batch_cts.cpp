// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the batch driver known to the conformance suite, whose main() is linked with this.
#include "cts/cts.h"
#include "unit/submission/batch_device.h"

namespace {

[[maybe_unused]] const bool g_registered = [] {
  halyard::cts::Check(hal_registry_register_driver(halyard::cts::SuiteRegistry(), halyard::BatchDriverInterface()),
                      "registering the batch driver");
  return true;
}();

}  // namespace
