// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include "allocations/counting_allocator.h"

int main(int argc, char** argv) {
  halyard::allocations::InstallCountingAllocator();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
