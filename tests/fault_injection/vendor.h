// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fault injector has to know of a vendor's API. Each program has one vendor: cuda_rules.cpp, hip_rules.cpp,
// metal_rules.cpp or vulkan_rules.cpp. The calls that it makes itself are those of stream_drivers/vendor.h.
#ifndef HALYARD_TESTS_FAULT_INJECTION_VENDOR_H_
#define HALYARD_TESTS_FAULT_INJECTION_VENDOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fault_injection/fault_injector.h"
#include "halyard/halyard.h"

namespace halyard::fault_injection {

/// A call that releases something. Its failure need not be reported.
struct Release {
  std::string_view call;
  uint64_t stay = 0;  ///< objects of the simulation that stay if it fails; the others go with what they are part of
};

/// A call from whose failure the driver recovers, so that it need not report it.
struct Recovery {
  std::string_view call;
  std::string_view how;
};

/// A call that cannot say which error it has. Its failure has one status, whatever the injection.
struct Refusal {
  std::string_view call;
  std::string_view text;  ///< in the message
  hal_status_t status;
};

/// How the devices of a test work, as in a URI.
struct Mode {
  const char* name;
  const char* parameters;
};

struct Vendor {
  Apis apis = Apis::kStreams;
  std::span<const Mode> modes = {};
  std::span<const char* const> functions = {};  ///< that may fail, by the names that the library exports
  std::span<const Injection> injections = {};
  std::span<const Release> releases = {};
  std::span<const Recovery> recoveries = {};
  /// Calls that the driver asks with: to be told that a value is invalid is an answer.
  std::span<const std::string_view> asked_with = {};
  std::span<const Refusal> refusals = {};

  std::string_view work = {};  ///< what a device may end with an error, which loses it, as if it were a call; or empty
  std::string_view makes_work = {};  ///< the call that is counted for it

  std::string_view opens = {};        ///< a call without which no device opens
  std::string_view closes = {};       ///< one without which none closes; empty if closing cannot fail
  std::string_view makes_again = {};  ///< after its failure the thread has another device or context than before
  std::string_view takes_error = {};  ///< after its failure the thread has another last error; empty if it has none
  std::string_view initialises = {};  ///< its failure means that the library is UNAVAILABLE
  std::string_view identifies = {};   ///< the same; it comes before the texts of errors. Empty if there is none
  uint64_t loading_calls = 0;         ///< opening a device takes more of them
  int version_of_loss = 0;            ///< of the library, in which a loss does not end the process; 0 for any
  /// A lost device destroys what it has, and the thread can still ask what is current. Else nothing answers any more.
  bool answers_after_loss = false;

  hal_peer_relation_t peers = HAL_PEER_RELATION_ACCESS;  ///< two devices
  /// What device memory is exported as, to be imported.
  hal_external_memory_type_t device_memory = HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER;
  /// Adds a driver that a new registry lacks, such as a mutant; NULL if there are none.
  void (*register_driver)(hal_registry_t* registry, std::string_view name) = nullptr;
  /// Scenarios of the vendor's own.
  std::span<const Scenario> (*scenarios)() = nullptr;
};
const Vendor& TestedVendor();

/// Whether all devices are closed, after a run in which a call failed ("" for none) and left so many objects.
bool IsClosed(std::string_view failed_call, uint64_t objects_left);

/// What the application makes current to work with a device: a context or an ordinal. Throws if it cannot tell.
uintptr_t ContextOf(hal_device_t* device);
/// Makes it current, and what was current before. Results are the vendor's.
int Enter(uintptr_t context, uintptr_t* out_before);
void Leave(uintptr_t before);
/// Fills `count` words of the device's memory.
int Fill(void* stream, uint64_t address, uint32_t word, size_t count);

/// Waits for threads on which devices were closed, where IsClosed() does not tell of their last call.
void Join();

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_VENDOR_H_
