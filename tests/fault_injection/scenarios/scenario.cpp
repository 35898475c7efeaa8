// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/scenarios/scenario.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "fault_injection/vendor.h"

namespace halyard::fault_injection {

Witness::Witness(std::string driver, std::string parameters)
    : driver_(std::move(driver)), parameters_(std::move(parameters)) {
  cts::Check(hal_registry_create(registry_.out()), "hal_registry_create");
  if (TestedVendor().register_driver) TestedVendor().register_driver(registry_, driver_);
}

cts::Device Witness::Open(uint32_t ordinal, const std::string& more) const {
  const std::string uri =
      driver_ + "://" + std::to_string(ordinal) + "?" + (more.empty() ? "" : more + "&") + parameters_;
  cts::Device device;
  cts::Check(hal_registry_create_device(registry_, cts::View(uri), 0, nullptr, device.out()),
             "hal_registry_create_device");
  return device;
}

bool Witness::Ok(hal_status_t status, const std::string& what) {
  if (status == HAL_STATUS_OK) return true;
  Caught(what + ": " + hal_status_name(status) + ": " + hal_last_error_message());
  return false;
}

bool Witness::Reached(const cts::Semaphore& semaphore, uint64_t value, const std::string& what) {
  return Ok(semaphore.Wait(value), what);
}

void Witness::Expect(bool right, const std::string& what) {
  if (right) return;
  const std::lock_guard lock(mutex_);
  wrong_results_.push_back(what);
}

void Witness::Caught(const std::string& what) {
  const std::lock_guard lock(mutex_);
  failures_.push_back(what);
}

std::vector<std::string> Witness::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

std::vector<std::string> Witness::wrong_results() const {
  const std::lock_guard lock(mutex_);
  return wrong_results_;
}

std::vector<Scenario> AllScenarios() {
  std::vector<Scenario> all;
  for (const auto& subject :
       {DeviceScenarios(), WorkScenarios(), MemoryScenarios(), OrderScenarios(), TestedVendor().scenarios()}) {
    std::copy_if(subject.begin(), subject.end(), std::back_inserter(all), [](const Scenario& scenario) {
      return scenario.apis == Apis::kAll || scenario.apis == TestedVendor().apis;
    });
  }
  return all;
}

Scenario FindScenario(std::string_view name) {
  for (const Scenario& scenario : AllScenarios()) {
    if (scenario.name == name) return scenario;
  }
  throw std::runtime_error("there is no scenario '" + std::string(name) + "'");
}

}  // namespace halyard::fault_injection
