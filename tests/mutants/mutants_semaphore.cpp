// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores that tell or do the wrong thing.
#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

hal_status_t QueryHidesFailure(hal_semaphore_t* semaphore, uint64_t* out_value) {
  Local().semaphore->query(semaphore, out_value);
  return HAL_STATUS_OK;
}

hal_status_t QueryForgetsValueOfFailed(hal_semaphore_t* semaphore, uint64_t* out_value) {
  const hal_status_t status = Local().semaphore->query(semaphore, out_value);
  if (status != HAL_STATUS_OK) *out_value = 0;
  return status;
}

hal_status_t WaitHidesTimeout(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns) {
  const hal_status_t status = Local().semaphore->wait(semaphore, value, timeout_ns);
  return status == HAL_STATUS_DEADLINE_EXCEEDED ? HAL_STATUS_OK : status;
}

hal_status_t WaitHidesFailure(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns) {
  const hal_status_t status = Local().semaphore->wait(semaphore, value, timeout_ns);
  return status == HAL_STATUS_DEADLINE_EXCEEDED ? status : HAL_STATUS_OK;
}

// A failure later on makes values fail that were reached before.
hal_status_t WaitFailsReachedValues(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns) {
  uint64_t current = 0;
  if (hal_status_t status = Local().semaphore->query(semaphore, &current); status != HAL_STATUS_OK) return status;
  return Local().semaphore->wait(semaphore, value, timeout_ns);
}

hal_status_t WaitGivesUp(hal_semaphore_t* semaphore, uint64_t value, uint64_t) {
  return Local().semaphore->wait(semaphore, value, 0);
}

hal_status_t WaitForOneLess(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns) {
  return Local().semaphore->wait(semaphore, value > 0 ? value - 1 : 0, timeout_ns);
}

hal_status_t SignalGoesBack(hal_semaphore_t* semaphore, uint64_t value) {
  const hal_status_t status = Local().semaphore->signal(semaphore, value);
  return status == HAL_STATUS_INVALID_ARGUMENT ? HAL_STATUS_OK : status;
}

// As if the value were counted up by each signal.
hal_status_t SignalAddsOne(hal_semaphore_t* semaphore, uint64_t value) {
  uint64_t current = 0;
  if (hal_status_t status = Local().semaphore->query(semaphore, &current); status != HAL_STATUS_OK) return status;
  return Local().semaphore->signal(semaphore, value > current ? current + 1 : value);
}

hal_status_t SignalHidesFailure(hal_semaphore_t* semaphore, uint64_t value) {
  Local().semaphore->signal(semaphore, value);
  return HAL_STATUS_OK;
}

hal_status_t CreateAtZero(hal_device_t* device, const hal_semaphore_params_t*, hal_semaphore_t** out_semaphore) {
  const hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  return Local().device->create_semaphore(device, &params, out_semaphore);
}

constexpr Mutant kSemaphoreMutants[] = {
    {"query-hides-failure", "the query of a failed semaphore returns OK", "Semaphore*",
     [](Tables& tables) { tables.semaphore.query = QueryHidesFailure; }},
    {"query-forgets-value", "the query of a failed semaphore gives 0 as its value", "Semaphore*",
     [](Tables& tables) { tables.semaphore.query = QueryForgetsValueOfFailed; }},
    {"wait-hides-timeout", "a wait that ran out returns OK", "Semaphore*",
     [](Tables& tables) { tables.semaphore.wait = WaitHidesTimeout; }},
    {"wait-hides-failure", "a wait that failed returns OK", "Semaphore*",
     [](Tables& tables) { tables.semaphore.wait = WaitHidesFailure; }},
    {"wait-fails-reached-value", "a value that was reached fails once the semaphore does", "Semaphore*",
     [](Tables& tables) { tables.semaphore.wait = WaitFailsReachedValues; }},
    {"wait-gives-up", "a wait runs out at once, whatever its timeout", "Semaphore*",
     [](Tables& tables) { tables.semaphore.wait = WaitGivesUp; }},
    {"host-wait-one-short", "a host wait ends one value early", "Semaphore*",
     [](Tables& tables) { tables.semaphore.wait = WaitForOneLess; }},
    {"signal-goes-back", "a signal that does not exceed the value is accepted", "Semaphore*",
     [](Tables& tables) { tables.semaphore.signal = SignalGoesBack; }},
    {"signal-adds-one", "a signal moves the timeline by one, whatever its value", "Semaphore*",
     [](Tables& tables) { tables.semaphore.signal = SignalAddsOne; }},
    {"signal-hides-failure", "the signal of a failed semaphore returns OK", "Semaphore*",
     [](Tables& tables) { tables.semaphore.signal = SignalHidesFailure; }},
    {"initial-value-lost", "every semaphore begins at 0", "Semaphore*",
     [](Tables& tables) { tables.device.create_semaphore = CreateAtZero; }},
};

}  // namespace

std::span<const Mutant> SemaphoreMutants() { return kSemaphoreMutants; }

}  // namespace halyard::mutants
