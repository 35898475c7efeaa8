// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-open: opens a device without exceptions, as docs/embedding.md shows it.
#define HAL_CPP_EXCEPTIONS 0
#include <cstdio>
#include <halyard/halyard.hpp>
#include <string>

// halyard-open [URI]
int main(int argc, char** argv) {
  const std::string uri = argc > 1 ? argv[1] : "local";
  const hal::Result<hal::Device> device = hal::Device::Open(uri);
  if (!device.ok()) std::fprintf(stderr, "%s\n", device.status().ToString().c_str());
  return device.ok() ? 0 : 1;
}
