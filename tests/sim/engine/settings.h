// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says about the simulation; README.md lists the variables.
#ifndef HALYARD_TESTS_SIM_ENGINE_SETTINGS_H_
#define HALYARD_TESTS_SIM_ENGINE_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace halyard::sim {

struct Settings {
  uint64_t seed = 1;
  uint64_t longest_delay = 200;  // microseconds
  int device_count = 2;
  size_t device_memory = size_t{1} << 30;  // bytes, of each device
  bool peer_access = true;                 // whether devices can reach each other's memory
  int driver_version = 0;                  // 0: the vendor layer's own
  std::string architecture;                // of devices whose code is for one alone
  size_t patch_memory = 128;               // bytes that a patch of a kernel node keeps, if it keeps any
  std::string kernels;                     // folder of host code
  std::string attributes;                  // NAME=VALUE,…: what the vendor layer overrides in its devices
  std::string fail;                        // n[:result name]
  std::string ignore;                      // rules that are not reported
  int report_at_exit = 0;                  // 1: print what was reported, and what is left, when the process ends;
                                           // 2: and let the process fail if that is anything
};

// Reads them once. A number that cannot be read is said on stderr, and its default stays.
Settings ReadSettings();

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_SETTINGS_H_
