// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver under test did wrong, which calls it made, and which of them fail.
#ifndef HALYARD_TESTS_SIM_VULKAN_RECORDS_H_
#define HALYARD_TESTS_SIM_VULKAN_RECORDS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "engine/calls_inside.h"
#include "engine/chance.h"
#include "engine/faults.h"
#include "engine/report.h"

namespace halyard::vulkan_sim {

/// Keeps one line, "rule: text", unless the rule is ignored. Thread-safe.
void Report(const char* rule, const std::string& text);
/// Notes what a pipeline asks for (halyardSimSubgroupSize()).
void NoteSubgroupSize(uint32_t size);

struct Records {
  Records();

  sim::Faults faults;
  sim::Reports reports;
  sim::CallsInside inside_calls{reports};

  std::atomic<uint64_t> longest_delay = 0;  // microseconds that a call with exclusive parameters takes longer

  std::atomic<uint32_t> subgroup_size = 0;  // that the last compute pipeline asked for

  std::mutex mutex;  // protects what follows
  sim::Chance chance;
  std::string inside_call;       // the function whose next call runs `inside`
  std::function<void()> inside;  // what a test runs in the middle of a call
};
Records& TheRecords();

/// Once a driver may have registered its handlers of exit(): from ours on, no other thread may call.
void WatchExit();

/// Sleeps for a random time, mostly none, so that calls of different threads overlap.
void Linger();

/// Runs what halyardSimInside() planned for this call.
void RunInside(const char* call);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_RECORDS_H_
