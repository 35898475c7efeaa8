// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/call.h"

#include <cstdio>
#include <string>

#include "stream_api/captures.h"

namespace halyard::sim {
namespace {

// A call that a test wants to fail. Errors that stay are found by whichever call comes next, so that they come with the
// loss of what is current.
int Injected(int result) {
  const Lock lock(Runtime::Get().mutex);
  const auto context = CurrentContext();
  if (context != nullptr && LosesContext(result)) Runtime::Get().Fault(*context, FromVendor(result));
  return result;
}

}  // namespace

CallsInside& TheCallsInside() {
  static CallsInside& calls = *new CallsInside(Runtime::Get().reports);  // never destroyed, as threads may go on
  return calls;
}

int ToVendor(Error error) {
  for (const auto& [ours, theirs] : VendorErrors()) {
    if (ours == error) return theirs;
  }
  return kUnknownResult;
}

Error FromVendor(int result) {
  for (const auto& [ours, theirs] : VendorErrors()) {
    if (theirs == result) return ours;
  }
  return VendorErrors().back().first;
}

std::optional<int> Refusal(const char* name, Requires needed) {
  Runtime& runtime = Runtime::Get();
  const std::optional<int> fault = runtime.faults.Count(name);
  if (InHostFunction()) {
    runtime.reports.Add(Rule::kCallInHostFunction, std::string(name) + " was called inside a host function");
    return ToVendor(Error::kNotPermitted);
  }
  if (fault) return Injected(*fault);
  if (needed == Requires::kNothing) return std::nullopt;
  Error state = CallState(name, needed);
  if (state == Error::kSuccess && CaptureForbids(name)) state = Error::kCaptureForbids;
  return state == Error::kSuccess ? std::nullopt : std::optional(ToVendor(state));
}

std::shared_ptr<Stream> FindAnyStream(const void* handle) {
  // The numbers are the same for all vendors.
  constexpr uintptr_t kLegacy = 1;
  constexpr uintptr_t kPerThread = 2;
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= kLegacy) return DefaultStream(CurrentContext());
  return number == kPerThread ? ThreadStream(CurrentContext()) : Runtime::Get().streams.Find(handle);
}

std::shared_ptr<Stream> FindStream(const void* handle) {
  auto found = FindAnyStream(handle);
  if (found == nullptr || !found->capture.has_value()) return found;
  Runtime::Get().reports.Add(Rule::kCapturedWork, "a stream that is being captured was used: none of it is recorded");
  return nullptr;
}

std::shared_ptr<Event> FindEvent(const void* handle) { return Runtime::Get().events.Find(handle); }

Device* FindDevice(int ordinal) {
  const auto& devices = Runtime::Get().devices;
  const bool there = ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size();
  return there ? devices[static_cast<size_t>(ordinal)].get() : nullptr;
}

Error CopyText(const char* text, char* out, int capacity) {
  if (out == nullptr || capacity <= 0) return Error::kInvalidValue;
  std::snprintf(out, static_cast<size_t>(capacity), "%s", text);
  return Error::kSuccess;
}

}  // namespace halyard::sim
