// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scenario: work that the fault injector repeats with one failed call in each run.
#ifndef HALYARD_TESTS_FAULT_INJECTION_SCENARIO_H_
#define HALYARD_TESTS_FAULT_INJECTION_SCENARIO_H_

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cts/device.h"

namespace halyard::fault_injection {

/// Whatever a scenario notices. Thread-safe.
class Witness {
 public:
  /// @param driver      the driver under test, as in a URI
  /// @param parameters  of every device that is opened, as in a URI
  Witness(std::string driver, std::string parameters);

  /// A registry that knows the driver, so that opening begins anew in every run.
  const cts::Registry& registry() const { return registry_; }
  /// Opens a device; throws if that fails. `more` are parameters in addition to those of all devices, as in a URI.
  cts::Device Open(uint32_t ordinal = 0, const std::string& more = "") const;

  /// Notes a call that failed, with its message. Returns whether it succeeded.
  bool Ok(hal_status_t status, const std::string& what);
  /// Waits until the value is reached, and notes why it never will be.
  bool Reached(const cts::Semaphore& semaphore, uint64_t value, const std::string& what);
  /// Notes a result that is wrong, whatever else has failed.
  void Expect(bool right, const std::string& what);
  /// Notes what an exception says: a call that failed, and with it the scenario.
  void Caught(const std::string& what);

  /// Calls that failed, each as "what: STATUS: message".
  std::vector<std::string> failures() const;
  std::vector<std::string> wrong_results() const;

 private:
  const std::string driver_;
  const std::string parameters_;
  cts::Registry registry_;
  mutable std::mutex mutex_;  // protects what follows
  std::vector<std::string> failures_;
  std::vector<std::string> wrong_results_;
};

/// What kind of API a driver stands on.
enum class Apis {
  kAll,
  kStreams,  ///< streams and graphs: CUDA, HIP
  kOthers,
};

/// A fixed piece of work. It releases everything before it returns, even by exception. It checks all results that were
/// reported as done.
struct Scenario {
  const char* name;
  void (*run)(Witness& witness);
  /// Calls whose failure only fails work that the scenario does not wait for, separated by commas; "*" for all.
  const char* unheard = "";
  Apis apis = Apis::kAll;
  const char* parameters = "";  ///< of every device, after those of the test
};

/// All scenarios, by subject: one file each.
std::span<const Scenario> DeviceScenarios();
std::span<const Scenario> WorkScenarios();
std::span<const Scenario> MemoryScenarios();
std::span<const Scenario> OrderScenarios();
std::span<const Scenario> InteropScenarios();

/// Those that the tested vendor can run.
std::vector<Scenario> AllScenarios();
/// One by name; throws if there is none.
Scenario FindScenario(std::string_view name);

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_SCENARIO_H_
