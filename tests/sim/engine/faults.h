// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls are counted by name, and fail when a test wants them to.
#ifndef HALYARD_TESTS_SIM_ENGINE_FAULTS_H_
#define HALYARD_TESTS_SIM_ENGINE_FAULTS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace halyard::sim {

// Which call of the vendor's API fails next. Thread-safe; its own lock is innermost. Results are the vendor's numbers.
class Faults {
 public:
  // The n-th call from now, counted from 1, of one function, or of all for an empty name, answers `result` and does
  // nothing else. 0 calls the plan off.
  void FailCall(std::string name, uint64_t nth, int result);
  // From now on every call of one function answers `result`; 0 ends it.
  void FailCalls(std::string name, int result);
  // Counts a call; the result that it must answer, if its turn has come. `name` lives as long as the process.
  std::optional<int> Count(const char* name);
  // Counts a call of a function that has no result, and so cannot fail.
  void CountVoid(const char* name);

  // Calls since the last Clear(): of one function, or of all for an empty name.
  uint64_t Calls(const std::string& name) const;
  // Calls that were made to fail since the last Clear().
  uint64_t Failures() const;
  // The last of those, by its name; null if there is none.
  const char* FailedCall() const;
  void Clear();

 private:
  mutable std::mutex mutex_;  // protects everything below
  std::map<std::string, uint64_t, std::less<>> calls_;
  uint64_t all_calls_ = 0;
  uint64_t failures_ = 0;
  const char* failed_call_ = nullptr;
  uint64_t left_ = 0;  // calls until one fails, that one included; 0 if none does
  std::string only_;   // the function whose calls those are; all for an empty name
  int result_ = 0;
  std::string failing_;  // the function all of whose calls fail
  int failing_result_ = 0;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_FAULTS_H_
