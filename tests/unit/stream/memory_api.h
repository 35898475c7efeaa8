// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native API over the simulated devices of tests/sim/engine, which work in the host's memory.
#ifndef HALYARD_TESTS_UNIT_STREAM_MEMORY_API_H_
#define HALYARD_TESTS_UNIT_STREAM_MEMORY_API_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/device.h"
#include "engine/faults.h"
#include "halyard/local_kernel.h"
#include "stream/native/host_registrations.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// One simulated device: what is alive on it, and what is to go wrong.
struct MemoryWorld : std::enable_shared_from_this<MemoryWorld> {
  MemoryWorld();

  std::atomic<int> streams{0};
  std::atomic<int> events{0};
  std::atomic<int> allocations{0};
  std::atomic<int> registrations{0};
  std::atomic<int> pools{0};
  std::atomic<int> modules{0};
  std::atomic<int> graphs{0};            // of either kind
  std::atomic<int> contexts_entered{0};  // Enter() without Leave()
  std::atomic<uint64_t> pool_keeps{0};   // bytes, of the pool that was made last

  sim::Faults faults;                    // results are statuses
  std::atomic<bool> broken{false};       // every call says DEVICE_LOST, and streams do nothing more
  std::atomic<bool> paused{false};       // streams stand still
  std::atomic<uint32_t> late_writes{0};  // which of each 32 writes of values come late, one bit each
  std::function<void()> hold_up;         // called before each piece of work; set before there is any

  HostRegistrations imports;
  sim::Device device;
  sim::Context context{device};

  /// The same object; keeps the world alive.
  std::shared_ptr<sim::Context> Context() { return {shared_from_this(), &context}; }
  int alive() const { return streams + events + allocations + registrations + pools + modules + graphs; }
  /// Calls so far that got through to the device: of one function of NativeApi, or of all. A patch is a "Patch".
  uint64_t Calls(const char* name = "") const { return faults.Calls(name); }
  /// Calls of this thread alone: a device's own threads poll at varying times.
  static uint64_t CallsHere();
  /// The n-th of those calls from now on fails. DEVICE_LOST breaks the device.
  void Fail(const char* name, hal_status_t status, uint64_t nth = 1) { faults.FailCall(name, nth, status); }
  /// Waits until the streams have done or dropped all work.
  void AwaitIdle();
};

/// Every image has these, by name; they take one buffer. Fill it before a test.
std::map<std::string, hal_local_kernel_fn_t>& MemoryKernels();
/// What was done against the rules of tests/sim/README.md since the last time, one line each.
std::string TakeReports();

std::unique_ptr<NativeApi> MakeMemoryApi(const std::shared_ptr<MemoryWorld>& world, const NativeTraits& traits);

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_MEMORY_API_H_
