// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests ask of the library that counts calls and objects (tests/sim/README.md).
#ifndef HALYARD_TESTS_VULKAN_SIMULATION_H_
#define HALYARD_TESTS_VULKAN_SIMULATION_H_

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "unit/sim_library.h"
#include "vulkan/vulkan_control.h"

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
    sim::FindSymbol(library, "halyardSimFailCalls", &fail_calls_);
    sim::FindSymbol(library, "halyardSimLoseDevice", &lose_device_);
    sim::FindSymbol(library, "halyardSimInside", &inside_);
    sim::FindSymbol(library, "halyardSimSubgroupSize", &subgroup_size_);
    sim::FindSymbol(library, "halyardSimReturnLate", &return_late_);
    sim::FindSymbol(library, "halyardSimThreadsInside", &threads_inside_);
    reset_();
  }

  void Reset() const { reset_(); }
  uint64_t Objects() const { return objects_(); }
  /// Since the last Reset(), or since this was made.
  uint64_t Reports() const { return reports_(nullptr); }
  /// Lets the n-th call of a function from now on fail.
  void Fail(const char* function, uint64_t nth, int result) const { fail_(function, nth, result); }
  /// Lets all calls of a function from now on fail; 0 lets them work again.
  void FailCalls(const char* function, int result) const { fail_calls_(function, result); }
  /// Loses the first device with its n-th submission from now on, a number of HalyardSimLoss.
  void LoseAt(uint64_t nth, int how) const { lose_device_(0, nth, how); }
  /// Runs `body` in the middle of the next call of a function. It must live until then.
  template <class Body>
  void Inside(const char* function, Body& body) const {
    inside_(
        function, [](void* called) { (*static_cast<Body*>(called))(); }, &body);
  }
  /// That the pipeline which was made last asks for; 0 if it asks for none.
  uint32_t SubgroupSize() const { return subgroup_size_(); }
  /// Lets all calls of a function from now on return late.
  void ReturnLate(const char* function, uint64_t milliseconds) const { return_late_(function, milliseconds); }
  /// Threads inside a function.
  uint64_t ThreadsInside(const char* function) const { return threads_inside_(function); }
  uint64_t Calls(const char* function) const { return calls_(function); }
  /// All calls without those that look how far the device has come: their number varies.
  uint64_t Calls() const { return calls_(nullptr) - calls_("vkGetSemaphoreCounterValue") - calls_("vkWaitSemaphores"); }

 private:
  decltype(&halyardSimReset) reset_ = nullptr;
  decltype(&halyardSimCalls) calls_ = nullptr;
  decltype(&halyardSimObjects) objects_ = nullptr;
  decltype(&halyardSimReports) reports_ = nullptr;
  decltype(&halyardSimFail) fail_ = nullptr;
  decltype(&halyardSimFailCalls) fail_calls_ = nullptr;
  decltype(&halyardSimLoseDevice) lose_device_ = nullptr;
  decltype(&halyardSimInside) inside_ = nullptr;
  decltype(&halyardSimSubgroupSize) subgroup_size_ = nullptr;
  decltype(&halyardSimReturnLate) return_late_ = nullptr;
  decltype(&halyardSimThreadsInside) threads_inside_ = nullptr;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_TESTS_VULKAN_SIMULATION_H_
