// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstdio>

#include "allocations/counting_allocator.h"
#include "halyard/halyard.h"
#if defined(HALYARD_UNTRUSTED_METAL)
#include "metal/device/metal_driver.h"
#endif
#if defined(HALYARD_UNTRUSTED_LAVAPIPE)
#include "vulkan/runtime/lavapipe.h"
#endif

int main(int argc, char** argv) {
#if defined(HALYARD_UNTRUSTED_LAVAPIPE)
  halyard::vulkan_sim::UseLavapipe();
#endif
  halyard::allocations::InstallCountingAllocator();
#if defined(HALYARD_UNTRUSTED_METAL)
  if (hal_registry_register_driver(hal_registry_default(), hal_metal_driver_interface()) != HAL_STATUS_OK) return 1;
#endif
  testing::InitGoogleMock(&argc, argv);
  const int result = RUN_ALL_TESTS();
  // Joins the threads that ended their own devices, which ThreadSanitizer would call a leak.
  if (hal_shutdown() != HAL_STATUS_OK) std::fprintf(stderr, "%s\n", hal_last_error_message());
  return result;
}
