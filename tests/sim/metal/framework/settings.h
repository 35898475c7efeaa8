// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says about the simulated Metal; tests/sim/README.md lists the variables.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_SETTINGS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_SETTINGS_H_

#include <cstddef>
#include <cstdint>

namespace halyard::metal_sim {

struct Settings {
  unsigned devices = 2;
  bool unified = true;               // memory; else discrete GPUs, with a copy of managed memory on each side
  unsigned macos = 15;               // what the framework is of: 13 lacks residency sets and log states
  bool metal3 = true;                // the family Metal 3
  unsigned tier = 2;                 // of argument buffers: in tier 1 encoders alone know the layout
  size_t memory = size_t{1} << 30;   // bytes of all devices together
  unsigned max_threads = 1024;       // of a threadgroup
  unsigned pipeline_threads = 1024;  // the same of one pipeline, as if its registers allowed no more
  bool sample_dispatches = false;    // counters at dispatches, as other GPUs than Apple's; not at the ends of encoders
  unsigned captures = 2;             // destinations: 1 for the developer tools, 2 for documents, 3 for both
  uint64_t seed = 0;                 // of all orders and delays
  unsigned longest_delay = 200;      // microseconds
  bool report_at_exit = false;       // prints what was reported, and lets the process fail
};

const Settings& TheSettings();

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_SETTINGS_H_
