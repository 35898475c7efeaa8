// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of the CUDA driver with one deliberate defect each. The fault injector must notice every one of them.
#ifndef HALYARD_TESTS_FAULT_INJECTION_CUDA_MUTANTS_H_
#define HALYARD_TESTS_FAULT_INJECTION_CUDA_MUTANTS_H_

#include <span>
#include <string_view>

#include "halyard/driver_api.h"
#include "halyard/registry.h"

namespace halyard::fault_injection {

/// The driver's vtables, whose entries are replaced.
struct Tables {
  hal_device_vtable_t device;
  hal_buffer_vtable_t buffer;
  hal_semaphore_vtable_t semaphore;
  hal_executable_vtable_t executable;
};

struct Mutant {
  const char* name;
  const char* complaint;  ///< a part of the injector's complaint; empty for a driver without a defect
  void (*mutate)(Tables& tables);
};

std::span<const Mutant> CudaMutants();

/// Adds one to a registry; throws if there is none of that name.
void RegisterMutant(hal_registry_t* registry, std::string_view name);

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_CUDA_MUTANTS_H_
