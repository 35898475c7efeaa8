// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of two devices that wait for each other, for tests in which the first is lost.
#ifndef HALYARD_TESTS_FAULT_INJECTION_EXCHANGE_H_
#define HALYARD_TESTS_FAULT_INJECTION_EXCHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {

/// Work that goes to and fro between two devices and their queues, and some that has nothing to do with it.
class Exchange {
 public:
  static constexpr uint64_t kSteps = 8;

  explicit Exchange(const Witness& witness);

  const cts::Device& first() const { return devices_[0]; }
  const cts::Device& second() const { return devices_[1]; }

  /// Steps 1, 3, … run on the first device, the others on the second. A device that is lost meanwhile refuses some.
  void Submit();
  /// Steps are reached up to one, and all later ones fail.
  void Await();
  /// Of submissions and steps, each as "what: STATUS: message".
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void Note(hal_status_t status, const std::string& what);

  const cts::Device devices_[2];
  std::vector<cts::Buffer> buffers_;  // one a step: what waited for a failure is over in any order
  std::vector<cts::Semaphore> times_;
  cts::Semaphore apart_;
  cts::Buffer alone_;
  uint64_t submitted_ = 0;
  std::vector<std::string> failures_;
};

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_EXCHANGE_H_
