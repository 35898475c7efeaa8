// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants/mutant.h"

#include "local/device/local_driver.h"

namespace halyard::mutants {

std::vector<Mutant> AllMutants() {
  std::vector<Mutant> all;
  for (const auto& subject :
       {Controls(), OrderMutants(), BarrierMutants(), FailureMutants(), SemaphoreMutants(), CallbackMutants(),
        TransferMutants(), DispatchMutants(), CaptureMutants(), MemoryMutants(), CoherenceMutants()}) {
    all.insert(all.end(), subject.begin(), subject.end());
  }
  return all;
}

const Mutant* FindMutant(std::string_view name) {
  static const std::vector<Mutant> all = AllMutants();
  for (const Mutant& mutant : all) {
    if (mutant.name == name) return &mutant;
  }
  return nullptr;
}

std::string DeviceUri(const Mutant& mutant) {
  return "mutant-" + std::string(mutant.name) + "://" + std::string(mutant.mode);
}

namespace {

// The registry copies tables and names, and the local driver makes its objects with the tables that it is given.
hal_status_t RegisterMutant(hal_registry_t* registry, const Mutant& mutant) {
  hal_driver_interface_t driver = *hal_local_driver_interface();
  Tables tables = {*driver.device,    *driver.allocator,      *driver.buffer,
                   *driver.semaphore, *driver.command_buffer, *driver.executable};
  mutant.plant(tables);
  driver.device = &tables.device;
  driver.allocator = &tables.allocator;
  driver.buffer = &tables.buffer;
  driver.semaphore = &tables.semaphore;
  driver.command_buffer = &tables.command_buffer;
  driver.executable = &tables.executable;

  const std::string name = "mutant-" + std::string(mutant.name);
  driver.name = {name.data(), name.size()};
  driver.description = {mutant.what.data(), mutant.what.size()};
  return hal_registry_register_driver(registry, &driver);
}

}  // namespace

hal_status_t RegisterMutants(hal_registry_t* registry) {
  for (const Mutant& mutant : AllMutants()) {
    const hal_status_t status = RegisterMutant(registry, mutant);
    if (status != HAL_STATUS_OK) return status;
  }
  return HAL_STATUS_OK;
}

}  // namespace halyard::mutants
