// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-fault-injection and halyard-hip-fault-injection: fail each call of the vendor's API in turn, on a simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "cts/options.h"
#include "fault_injection/loading.h"

int main(int argc, char** argv) {
  unsigned long long nth = 0;
  unsigned long long injection = 0;
  if (argc == 2 && std::sscanf(argv[1], "--load-once=%llu,%llu", &nth, &injection) == 2) {
    return halyard::fault_injection::LoadOnce(nth, injection);
  }
  testing::InitGoogleMock(&argc, argv);
  halyard::cts::options().kernels = HALYARD_CTS_KERNEL_DIR;
  return RUN_ALL_TESTS();
}
