// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "control.h"

#include "engine/runtime.h"
#include "engine/vendor.h"

#define EXPORTED __attribute__((visibility("default")))

namespace {

using halyard::sim::Lock;
using halyard::sim::Runtime;

const char* OrEmpty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

EXPORTED void halyardSimReset() {
  Runtime& runtime = Runtime::Get();
  runtime.reports.Clear();
  runtime.faults.Clear();
  const Lock lock(runtime.mutex);
  for (const auto& device : runtime.devices) device->launches_before_loss = 0;
}

EXPORTED void halyardSimFail(const char* name, uint64_t nth, int result) {
  Runtime::Get().faults.FailCall(OrEmpty(name), nth, result);
}

EXPORTED uint64_t halyardSimFailures() { return Runtime::Get().faults.Failures(); }

EXPORTED const char* halyardSimFailedCall() { return Runtime::Get().faults.FailedCall(); }

EXPORTED uint64_t halyardSimCalls(const char* name) { return Runtime::Get().faults.Calls(OrEmpty(name)); }

EXPORTED void halyardSimLoseDevice(int device, uint64_t nth, int result) {
  Runtime& runtime = Runtime::Get();
  const Lock lock(runtime.mutex);
  if (device < 0 || static_cast<size_t>(device) >= runtime.devices.size()) return;
  runtime.devices[static_cast<size_t>(device)]->launches_before_loss = nth;
  runtime.devices[static_cast<size_t>(device)]->loss = halyard::sim::FromVendor(result);
}

EXPORTED size_t halyardSimReport(char* text, size_t capacity) { return Runtime::Get().reports.Write(text, capacity); }

EXPORTED uint64_t halyardSimReports(const char* rule) { return Runtime::Get().reports.Count(OrEmpty(rule)); }

EXPORTED void halyardSimIgnore(const char* rules) { Runtime::Get().reports.Ignore(OrEmpty(rules)); }

EXPORTED void halyardSimCheckLeaks() {
  const Lock lock(Runtime::Get().mutex);
  Runtime::Get().ReportLeaks();
}

EXPORTED uint64_t halyardSimObjects() {
  const Lock lock(Runtime::Get().mutex);
  return Runtime::Get().CountObjects();
}

EXPORTED void halyardSimForget() {
  Lock lock(Runtime::Get().mutex);
  Runtime::Get().Forget(lock);
}

EXPORTED void halyardSimShutDown() {
  const Lock lock(Runtime::Get().mutex);
  Runtime::Get().ShutDown();
}

EXPORTED uint64_t halyardSimEventWaiters(void* event) {
  const Lock lock(Runtime::Get().mutex);
  const auto found = Runtime::Get().events.Find(event);
  return found == nullptr ? 0 : static_cast<uint64_t>(found->waiters.pending);
}

EXPORTED int halyardSimSetAttribute(int device, int attribute, int value) {
  const Lock lock(Runtime::Get().mutex);
  return halyard::sim::SetVendorAttribute(device, attribute, value) ? 1 : 0;
}

EXPORTED void halyardSimSetDelay(uint64_t longest) {
  const Lock lock(Runtime::Get().mutex);
  Runtime::Get().settings.longest_delay = longest;
}

EXPORTED int halyardSimSetNodeGrid(void* node, uint32_t x, uint32_t y, uint32_t z) {
  const Lock lock(Runtime::Get().mutex);
  const auto found = Runtime::Get().device_nodes.Find(node);
  return found != nullptr && found->SetGrid({x, y, z}) == halyard::sim::Error::kSuccess ? 0 : 1;
}

EXPORTED int halyardSimSetNodeEnabled(void* node, int enabled) {
  const Lock lock(Runtime::Get().mutex);
  const auto found = Runtime::Get().device_nodes.Find(node);
  if (found == nullptr) return 1;
  found->enabled = enabled != 0;
  return 0;
}
