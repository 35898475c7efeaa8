// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/library/compiled_functions.h"

#include <cstdint>
#include <mutex>
#include <set>

#include "metal/library_control.h"

namespace halyard::metal_sim {
namespace {

struct Counts {
  std::mutex mutex;  // protects what follows
  std::set<std::string> compiled;
  uint64_t archive_hits = 0;
  uint64_t fast_libraries = 0;
  uint64_t logging_libraries = 0;
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

void CountLibrary(bool fast_math, bool logging) {
  const std::lock_guard lock(AllCounts().mutex);
  if (fast_math) ++AllCounts().fast_libraries;
  if (logging) ++AllCounts().logging_libraries;
}

void ForgetCompiledFunctions() {
  const std::lock_guard lock(AllCounts().mutex);
  AllCounts().compiled.clear();
  AllCounts().archive_hits = 0;
  AllCounts().fast_libraries = 0;
  AllCounts().logging_libraries = 0;
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

uint64_t halyardSimMetalFastLibraries() {
  const std::lock_guard lock(AllCounts().mutex);
  return AllCounts().fast_libraries;
}

uint64_t halyardSimMetalLoggingLibraries() {
  const std::lock_guard lock(AllCounts().mutex);
  return AllCounts().logging_libraries;
}
