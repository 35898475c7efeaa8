// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/pipeline/pipeline_gate.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "framework/reports.h"
#include "metal/library_control.h"

namespace halyard::metal_sim {
namespace {

struct Gate {
  std::mutex mutex;  // protects what follows
  std::condition_variable changed;
  uint64_t wanted = 0;
  uint64_t asked = 0;
  std::chrono::milliseconds longest{0};
};

// Never destroyed: threads of the framework may outlive main().
Gate& TheGate() {
  static auto* gate = new Gate;
  return *gate;
}

}  // namespace

void NotePipeline() {
  const std::lock_guard lock(TheGate().mutex);
  ++TheGate().asked;
  TheGate().changed.notify_all();
}

void AwaitPipelines() {
  bool open = false;
  {
    std::unique_lock lock(TheGate().mutex);
    open = TheGate().changed.wait_for(lock, TheGate().longest, [] { return TheGate().asked >= TheGate().wanted; });
  }
  if (!open) Report("pipelines-apart", "a caller waits for a pipeline before it asks for the next one");
}

}  // namespace halyard::metal_sim

void halyardSimMetalHoldPipelines(uint64_t count, uint64_t milliseconds) {
  halyard::metal_sim::Gate& gate = halyard::metal_sim::TheGate();
  const std::lock_guard lock(gate.mutex);
  gate.wanted = count;
  gate.longest = std::chrono::milliseconds(milliseconds);
  gate.asked = 0;
  gate.changed.notify_all();
}
