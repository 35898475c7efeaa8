// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-metal-tests: what the Metal driver does beyond the conformance suite, on the simulated Metal.
//
//   halyard-metal-tests --open=<uri>          opens a device and says which, or why not
//   halyard-metal-tests --prepare=<folder>    for archive_test.cpp: ends with the number of functions that it compiled
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "allocations/counting_allocator.h"
#include "archive_test.h"
#include "cts/cts.h"
#include "metal/device/metal_driver.h"

namespace {

int Open(std::string_view uri) {
  halyard::cts::Device device;
  const hal_status_t status = hal_device_create({uri.data(), uri.size()}, device.out());
  if (status == HAL_STATUS_OK) {
    std::printf("%s\n", halyard::cts::Text(device.info().id).c_str());
  } else {
    std::printf("%s: %s\n", hal_status_name(status), hal_last_error_message());
  }
  return 0;
}

int Prepare(const std::string& folder) {
  int compiled = halyard::metal::kPreparedWrongly;
  try {
    compiled = halyard::metal::PrepareWithCache(folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  static_cast<void>(hal_shutdown());
  return compiled;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("HALYARD_METAL_LIBRARY", HALYARD_SIM_METAL_LIBRARY, 0);
  halyard::allocations::InstallCountingAllocator();
  halyard::cts::Check(hal_registry_register_driver(hal_registry_default(), hal_metal_driver_interface()),
                      "registering the Metal driver");
  constexpr std::string_view kOpen = "--open=";
  const std::string_view first = argc == 2 ? argv[1] : "";
  if (first.starts_with(kOpen)) return Open(first.substr(kOpen.size()));
  constexpr std::string_view kPrepare = "--prepare=";
  if (first.starts_with(kPrepare)) return Prepare(std::string(first.substr(kPrepare.size())));
  testing::InitGoogleMock(&argc, argv);
  halyard::cts::options().kernels = HALYARD_CTS_KERNEL_DIR;
  const int result = RUN_ALL_TESTS();
  // Joins the threads that ended their own devices, which ThreadSanitizer would call a leak.
  if (hal_shutdown() != HAL_STATUS_OK) std::fprintf(stderr, "%s\n", hal_last_error_message());
  return result;
}
