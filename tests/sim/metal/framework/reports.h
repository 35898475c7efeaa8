// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver under test did wrong, which calls it made, and which of them fail. Thread-safe.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_REPORTS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_REPORTS_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/faults.h"

namespace halyard::metal_sim {

/// Keeps one line, "rule: text", unless the rule is ignored.
void Report(const char* rule, const std::string& text);

/// "2 SimBuffer, 1 SimQueue": what exists.
std::string LiveObjects();

struct Records {
  sim::Faults faults;
  std::mutex mutex;  // protects what follows
  std::vector<std::string> lines;
  std::set<std::string, std::less<>> ignored;
  std::atomic<int64_t> objects{0};
  std::atomic<uint64_t> longest_delay{0};
};
Records& TheRecords();

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_REPORTS_H_
