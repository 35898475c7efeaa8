// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-vulkan-tests [GoogleTest's options] [folder of kernels]: what the Vulkan driver does beyond the conformance
// suite, through the library that counts.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>

#include "allocations/counting_allocator.h"
#include "cts/options.h"
#include "halyard/halyard.h"
#include "vulkan/runtime/lavapipe.h"

int main(int argc, char** argv) {
  halyard::vulkan_sim::UseLavapipe();
  setenv("HALYARD_VULKAN_LIBRARY", HALYARD_SIM_VULKAN_LIBRARY, 0);
  halyard::allocations::InstallCountingAllocator();
  testing::InitGoogleMock(&argc, argv);
  halyard::cts::options().kernels = argc > 1 ? argv[1] : HALYARD_CTS_KERNEL_DIR;
  const int result = RUN_ALL_TESTS();
  // Joins the threads that ended their own devices, which ThreadSanitizer would call a leak.
  if (hal_shutdown() != HAL_STATUS_OK) std::fprintf(stderr, "%s\n", hal_last_error_message());
  return result;
}
