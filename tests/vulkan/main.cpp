// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-vulkan-tests: what the Vulkan driver does beyond the conformance suite, on lavapipe unless the environment
// names another driver of Vulkan.
#include <gmock/gmock.h>

#include <cstdio>

#include "cts/cts.h"
#include "vulkan/runtime/lavapipe.h"

int main(int argc, char** argv) {
  halyard::vulkan_sim::UseLavapipe();
  testing::InitGoogleMock(&argc, argv);
  halyard::cts::options().kernels = HALYARD_CTS_KERNEL_DIR;
  const int result = RUN_ALL_TESTS();
  // Joins the threads that ended their own devices, which ThreadSanitizer would call a leak.
  if (hal_shutdown() != HAL_STATUS_OK) std::fprintf(stderr, "%s\n", hal_last_error_message());
  return result;
}
