// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants: copies of the local driver with one deliberate defect each. The conformance suite must catch every one of
// them, or it does not test what it says.
#ifndef HALYARD_TESTS_MUTANTS_MUTANT_H_
#define HALYARD_TESTS_MUTANTS_MUTANT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/driver_api.h"

namespace halyard::mutants {

/// A copy of the local driver's vtables, whose entries a mutant replaces.
struct Tables {
  hal_device_vtable_t device;
  hal_allocator_vtable_t allocator;
  hal_buffer_vtable_t buffer;
  hal_semaphore_vtable_t semaphore;
  hal_command_buffer_vtable_t command_buffer;
  hal_executable_vtable_t executable;
};

/// A driver with one defect.
struct Mutant {
  std::string_view name;   ///< its driver is called "mutant-<name>"
  std::string_view what;   ///< what is wrong, in one line
  std::string_view tests;  ///< the tests that must notice, as in --gtest_filter
  void (*plant)(Tables& tables);
  bool is_mutant = true;           ///< false for a control: a driver that is right, and must pass
  std::string_view mode = "sync";  ///< mode of the local driver; "sync" is the same in every run
};

/// @name The mutants, by subject: one file each
/// @{
std::span<const Mutant> Controls();
std::span<const Mutant> OrderMutants();
std::span<const Mutant> BarrierMutants();
std::span<const Mutant> FailureMutants();
std::span<const Mutant> SemaphoreMutants();
std::span<const Mutant> CallbackMutants();
std::span<const Mutant> TransferMutants();
std::span<const Mutant> DispatchMutants();
std::span<const Mutant> CaptureMutants();
std::span<const Mutant> MemoryMutants();
std::span<const Mutant> CoherenceMutants();
/// @}

/// All of them.
std::vector<Mutant> AllMutants();
/// One by name; null if there is none.
const Mutant* FindMutant(std::string_view name);

/// The URI of a mutant's device.
std::string DeviceUri(const Mutant& mutant);

/// Adds every mutant to a registry.
hal_status_t RegisterMutants(hal_registry_t* registry);

}  // namespace halyard::mutants

#endif  // HALYARD_TESTS_MUTANTS_MUTANT_H_
