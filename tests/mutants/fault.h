// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faulty drivers: the local driver with one thing spoilt in each. The conformance suite must catch every one of them,
// or it does not test what it says.
#ifndef HALYARD_TESTS_MUTANTS_FAULT_H_
#define HALYARD_TESTS_MUTANTS_FAULT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/driver_api.h"

namespace halyard::faults {

/// A copy of the local driver's vtables, whose entries a fault replaces.
struct Tables {
  hal_device_vtable_t device;
  hal_allocator_vtable_t allocator;
  hal_buffer_vtable_t buffer;
  hal_semaphore_vtable_t semaphore;
  hal_command_buffer_vtable_t command_buffer;
  hal_executable_vtable_t executable;
};

/// One thing that a driver can get wrong.
struct Fault {
  std::string_view name;   ///< its driver is called "faulty-<name>"
  std::string_view what;   ///< what is wrong, in one line
  std::string_view tests;  ///< the tests that ought to notice, as in --gtest_filter
  void (*plant)(Tables& tables);
  bool is_fault = true;            ///< false for a control: a driver that is right, and must pass
  std::string_view mode = "sync";  ///< mode of the local driver; "sync" is the same in every run
};

/// @name The faults, by subject: one file each
/// @{
std::span<const Fault> Controls();
std::span<const Fault> OrderFaults();
std::span<const Fault> BarrierFaults();
std::span<const Fault> FailureFaults();
std::span<const Fault> SemaphoreFaults();
std::span<const Fault> CallbackFaults();
std::span<const Fault> TransferFaults();
std::span<const Fault> DispatchFaults();
std::span<const Fault> CaptureFaults();
std::span<const Fault> MemoryFaults();
std::span<const Fault> CoherenceFaults();
/// @}

/// All of them.
std::vector<Fault> AllFaults();
/// One by name; null if there is none.
const Fault* FindFault(std::string_view name);

/// The URI of a fault's device.
std::string DeviceUri(const Fault& fault);

/// Adds the driver of every fault to a registry.
hal_status_t RegisterFaultyDrivers(hal_registry_t* registry);

}  // namespace halyard::faults

#endif  // HALYARD_TESTS_MUTANTS_FAULT_H_
