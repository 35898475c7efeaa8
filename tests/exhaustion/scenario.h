// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole pieces of work, from opening a device to its release, in which any allocation may fail.
#ifndef HALYARD_TESTS_EXHAUSTION_SCENARIO_H_
#define HALYARD_TESTS_EXHAUSTION_SCENARIO_H_

#include <span>
#include <string>
#include <vector>

#include "cts/handles.h"

namespace halyard::exhaustion {

using Device = cts::Handle<hal_device_t, hal_device_retain, hal_device_release>;

/// What a scenario works on, and what it notices. Scenarios run on one thread.
class Run {
 public:
  Run(std::string uri, std::string folder) : uri_(std::move(uri)), folder_(std::move(folder)) {}

  const std::string& uri() const { return uri_; }
  /// A path of this process, in a folder for temporary files.
  std::string Path(const char* name) const;

  /// Whether a call succeeded. A failure is noted, with its message.
  bool Ok(hal_status_t status, const char* what);
  /// Notes something that must not be, whatever failed.
  void Expect(bool right, const char* what);
  /// Whether the value is reached; if it never will be, that is noted as a call that failed.
  bool Reached(hal_semaphore_t* semaphore, uint64_t value);

  bool Open(Device* out);
  bool Allocate(const Device& device, uint64_t length, cts::Buffer* out);
  bool Load(const Device& device, hal_executable_t** out);

  const std::vector<std::string>& failures() const { return failures_; }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  const std::string uri_;
  const std::string folder_;
  std::vector<std::string> failures_;  // "what: STATUS: message"
  std::vector<std::string> faults_;
};

enum class Devices { kAll, kLocal };

/// Returns early when a call fails. Releases everything in any case.
struct Scenario {
  const char* name;
  void (*run)(Run& run);
  Devices devices = Devices::kAll;
};

std::span<const Scenario> Scenarios();

}  // namespace halyard::exhaustion

#endif  // HALYARD_TESTS_EXHAUSTION_SCENARIO_H_
