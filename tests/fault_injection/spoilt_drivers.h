// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver with one thing spoilt in each: the sweep must notice every one of them.
#ifndef HALYARD_TESTS_FAULT_INJECTION_SPOILT_DRIVERS_H_
#define HALYARD_TESTS_FAULT_INJECTION_SPOILT_DRIVERS_H_

#include <span>
#include <string_view>

#include "halyard/driver_api.h"
#include "halyard/registry.h"

namespace halyard::sweep {

/// The driver's vtables, whose entries are replaced.
struct Tables {
  hal_device_vtable_t device;
  hal_buffer_vtable_t buffer;
  hal_semaphore_vtable_t semaphore;
  hal_executable_vtable_t executable;
};

struct SpoiltDriver {
  const char* name;
  const char* complaint;  ///< a part of what the sweep says; empty for a driver that is as it should be
  void (*spoil)(Tables& tables);
};

std::span<const SpoiltDriver> SpoiltDrivers();

/// Adds one to a registry; throws if there is none of that name.
void RegisterSpoiltDriver(hal_registry_t* registry, std::string_view name);

}  // namespace halyard::sweep

#endif  // HALYARD_TESTS_FAULT_INJECTION_SPOILT_DRIVERS_H_
