// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/compiled_functions.h"

#include <cstdint>
#include <mutex>
#include <set>

#include "metal/library_control.h"

namespace halyard::metal_sim {
namespace {

struct Counts {
  std::mutex mutex;  // protects both
  std::set<std::string> compiled;
  uint64_t archive_hits = 0;
};

// Never destroyed: threads of the framework may outlive main().
Counts& AllCounts() {
  static auto* counts = new Counts;
  return *counts;
}

}  // namespace

void CountCompiledFunction(const std::string& key) {
  const std::lock_guard lock(AllCounts().mutex);
  AllCounts().compiled.insert(key);
}

void CountArchiveHit() {
  const std::lock_guard lock(AllCounts().mutex);
  ++AllCounts().archive_hits;
}

void ForgetCompiledFunctions() {
  const std::lock_guard lock(AllCounts().mutex);
  AllCounts().compiled.clear();
  AllCounts().archive_hits = 0;
}

}  // namespace halyard::metal_sim

using halyard::metal_sim::AllCounts;

uint64_t halyardSimMetalCompiledFunctions() {
  const std::lock_guard lock(AllCounts().mutex);
  return AllCounts().compiled.size();
}

uint64_t halyardSimMetalArchiveHits() {
  const std::lock_guard lock(AllCounts().mutex);
  return AllCounts().archive_hits;
}
