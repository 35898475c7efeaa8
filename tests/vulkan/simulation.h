// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests ask of the library that counts calls and objects (tests/sim/README.md).
#ifndef HALYARD_TESTS_VULKAN_SIMULATION_H_
#define HALYARD_TESTS_VULKAN_SIMULATION_H_

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "unit/sim_library.h"

namespace halyard::vulkan {

/// What the library that the driver has loaded counts.
class Simulation {
 public:
  Simulation() {
    void* const library = dlopen(std::getenv("HALYARD_VULKAN_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    sim::FindSymbol(library, "halyardSimReset", &reset_);
    sim::FindSymbol(library, "halyardSimCalls", &calls_);
    sim::FindSymbol(library, "halyardSimObjects", &objects_);
    sim::FindSymbol(library, "halyardSimReports", &reports_);
    sim::FindSymbol(library, "halyardSimFail", &fail_);
    reset_();
  }

  void Reset() const { reset_(); }
  uint64_t Objects() const { return objects_(); }
  /// Since the last Reset(), or since this was made.
  uint64_t Reports() const { return reports_(nullptr); }
  /// Lets the n-th call of a function from now on fail.
  void Fail(const char* function, uint64_t nth, int result) const { fail_(function, nth, result); }
  uint64_t Calls(const char* function) const { return calls_(function); }
  /// All calls without those that look how far the device has come: their number varies.
  uint64_t Calls() const { return calls_(nullptr) - calls_("vkGetSemaphoreCounterValue") - calls_("vkWaitSemaphores"); }

 private:
  decltype(&halyardSimReset) reset_ = nullptr;
  decltype(&halyardSimCalls) calls_ = nullptr;
  decltype(&halyardSimObjects) objects_ = nullptr;
  decltype(&halyardSimReports) reports_ = nullptr;
  decltype(&halyardSimFail) fail_ = nullptr;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_TESTS_VULKAN_SIMULATION_H_
