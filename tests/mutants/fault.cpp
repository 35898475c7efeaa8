// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants/fault.h"

#include "local/local_driver.h"

namespace halyard::faults {

std::vector<Fault> AllFaults() {
  std::vector<Fault> all;
  for (const auto& subject :
       {Controls(), OrderFaults(), BarrierFaults(), FailureFaults(), SemaphoreFaults(), CallbackFaults(),
        TransferFaults(), DispatchFaults(), CaptureFaults(), MemoryFaults(), CoherenceFaults()}) {
    all.insert(all.end(), subject.begin(), subject.end());
  }
  return all;
}

const Fault* FindFault(std::string_view name) {
  static const std::vector<Fault> all = AllFaults();
  for (const Fault& fault : all) {
    if (fault.name == name) return &fault;
  }
  return nullptr;
}

std::string DeviceUri(const Fault& fault) {
  return "faulty-" + std::string(fault.name) + "://" + std::string(fault.mode);
}

namespace {

// The registry copies tables and names, and the local driver makes its objects with the tables that it is given.
hal_status_t RegisterFaultyDriver(hal_registry_t* registry, const Fault& fault) {
  hal_driver_interface_t driver = *hal_local_driver_interface();
  Tables tables = {*driver.device,    *driver.allocator,      *driver.buffer,
                   *driver.semaphore, *driver.command_buffer, *driver.executable};
  fault.plant(tables);
  driver.device = &tables.device;
  driver.allocator = &tables.allocator;
  driver.buffer = &tables.buffer;
  driver.semaphore = &tables.semaphore;
  driver.command_buffer = &tables.command_buffer;
  driver.executable = &tables.executable;

  const std::string name = "faulty-" + std::string(fault.name);
  driver.name = {name.data(), name.size()};
  driver.description = {fault.what.data(), fault.what.size()};
  return hal_registry_register_driver(registry, &driver);
}

}  // namespace

hal_status_t RegisterFaultyDrivers(hal_registry_t* registry) {
  for (const Fault& fault : AllFaults()) {
    const hal_status_t status = RegisterFaultyDriver(registry, fault);
    if (status != HAL_STATUS_OK) return status;
  }
  return HAL_STATUS_OK;
}

}  // namespace halyard::faults
