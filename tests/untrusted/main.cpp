// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstdio>

#include "allocations/counting_allocator.h"
#include "halyard/halyard.h"

int main(int argc, char** argv) {
  halyard::allocations::InstallCountingAllocator();
  testing::InitGoogleMock(&argc, argv);
  const int result = RUN_ALL_TESTS();
  // Joins the threads that ended their own devices, which ThreadSanitizer would call a leak.
  if (hal_shutdown() != HAL_STATUS_OK) std::fprintf(stderr, "%s\n", hal_last_error_message());
  return result;
}
