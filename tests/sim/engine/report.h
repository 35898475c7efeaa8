// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime under test did wrong: collected as text, so that a test can read it.
#ifndef HALYARD_TESTS_SIM_ENGINE_REPORT_H_
#define HALYARD_TESTS_SIM_ENGINE_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::sim {

// Every rule that is enforced. The text of each is what reports begin with; README.md explains them.
enum class Rule {
  kCallInHostFunction,
  kDestroyInUse,
  kFreeInUse,
  kUseAfterFree,
  kUseBeforeAllocation,
  kDoubleFree,
  kInvalidHandle,
  kNoContext,
  kLeak,
  kExecConcurrency,
  kGraphUpload,
  kKernelParameters,
  kLaunchLimits,
  kOutOfBounds,
  kPeerAccess,
  kHiddenWait,
  kCapturedWork,
  kGraphWidth,
  kDamagedImage,
  kCallAtExit,
  kStagedPeerCopy,
};

const char* RuleText(Rule rule);

// The reports of this process. Thread-safe; its own lock is innermost.
class Reports {
 public:
  // Keeps one line, "rule: text", unless the rule is ignored.
  void Add(std::string_view rule, const std::string& text);
  void Add(Rule rule, const std::string& text) { Add(std::string_view(RuleText(rule)), text); }
  // The rules, by their texts and separated by commas, whose breaches are not kept from now on; others are.
  void Ignore(std::string_view rules);
  // All lines since the last Clear(), each ended by a line feed.
  std::string Text() const;
  // The same for C, ended by NUL and as far as it fits. Returns the bytes of all of it, the NUL included.
  size_t Write(char* text, size_t capacity) const;
  // How many reports there are of one rule, by its text; of all rules if it is empty.
  uint64_t Count(std::string_view rule) const;
  void Clear();

 private:
  mutable std::mutex mutex_;  // protects both
  std::vector<std::string> lines_;
  std::set<std::string, std::less<>> ignored_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_REPORT_H_
