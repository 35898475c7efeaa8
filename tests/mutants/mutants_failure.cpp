// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures that get lost, change on their way or go where they should not.
#include <map>
#include <memory>
#include <mutex>

#include "halyard/fault_injection.h"
#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

using Operation = hal_queue_operation_t;

hal_status_t SignalAnyway(hal_device_t* device, const Operation* operation) {
  return AfterWork(device, *operation, [signals = KeptPoints(operation->signal_list)](hal_status_t, hal_string_view_t) {
    signals.Signal();
  });
}

hal_status_t FailTheFirstOnly(hal_device_t* device, const Operation* operation) {
  const auto end = [signals = KeptPoints(operation->signal_list)](hal_status_t status, hal_string_view_t message) {
    hal_semaphore_list_t ended = signals.list();
    if (status != HAL_STATUS_OK && ended.count > 1) ended.count = 1;
    KeptPoints(ended).End(status, message);
  };
  return AfterWork(device, *operation, end);
}

hal_status_t FailTheWaitsToo(hal_device_t* device, const Operation* operation) {
  const auto end = [signals = KeptPoints(operation->signal_list), waits = KeptPoints(operation->wait_list)](
                       hal_status_t status, hal_string_view_t message) {
    if (status != HAL_STATUS_OK) waits.Fail(status, message);
    signals.End(status, message);
  };
  return AfterWork(device, *operation, end);
}

hal_status_t FailNothing(hal_semaphore_t*, hal_status_t, hal_string_view_t) { return HAL_STATUS_OK; }

hal_status_t FailWithoutMessage(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t) {
  return Local().semaphore->fail(semaphore, status, {});
}

hal_status_t FailAsInternal(hal_semaphore_t* semaphore, hal_status_t, hal_string_view_t message) {
  return Local().semaphore->fail(semaphore, HAL_STATUS_INTERNAL, message);
}

hal_status_t FailTheWholeDevice(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message) {
  if (hal_status_t failed = Local().semaphore->fail(semaphore, status, message); failed != HAL_STATUS_OK) return failed;
  const void* table = nullptr;
  hal_device_query_interface(semaphore->device, hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table);
  return static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(semaphore->device, message);
}

/// The latest failure of each semaphore.
class LatestFailures {
 public:
  void Set(hal_semaphore_t* semaphore, const Failure& failure) {
    const std::lock_guard lock(mutex_);
    failures_[semaphore] = failure;
  }
  void Forget(hal_semaphore_t* semaphore) {
    const std::lock_guard lock(mutex_);
    failures_.erase(semaphore);
  }
  hal_status_t Raise(hal_semaphore_t* semaphore) {
    const std::lock_guard lock(mutex_);
    return ToC(failures_[semaphore].Share());
  }

 private:
  std::mutex mutex_;  // protects failures_
  std::map<hal_semaphore_t*, Failure> failures_;
};

LatestFailures g_latest;

void KeepTheLatestFailure(Tables& tables) {
  tables.semaphore.fail = [](hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message) {
    g_latest.Set(semaphore, Failure(FailWith(status, View(message))));
    return Local().semaphore->fail(semaphore, status, message);
  };
  tables.semaphore.query = [](hal_semaphore_t* semaphore, uint64_t* out_value) {
    return Local().semaphore->query(semaphore, out_value) == HAL_STATUS_OK ? HAL_STATUS_OK : g_latest.Raise(semaphore);
  };
  tables.semaphore.wait = [](hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns) {
    const hal_status_t status = Local().semaphore->wait(semaphore, value, timeout_ns);
    return status == HAL_STATUS_OK || status == HAL_STATUS_DEADLINE_EXCEEDED ? status : g_latest.Raise(semaphore);
  };
  tables.semaphore.destroy = [](hal_object_t* semaphore) {
    g_latest.Forget(reinterpret_cast<hal_semaphore_t*>(semaphore));
    Local().semaphore->destroy(semaphore);
  };
}

// A fill whose waits failed runs all the same before the failure is passed on.
hal_status_t FillAfterFailedWaits(hal_device_t* device, const Operation* operation) {
  if (operation->type != HAL_QUEUE_OPERATION_TYPE_COMMAND || operation->u.command.type != HAL_COMMAND_TYPE_FILL) {
    return Local().device->submit(device, operation);
  }
  Operation fill = *operation;
  fill.wait_list = {};
  const auto target = Ref<hal_buffer_t>::Retaining(operation->u.command.u.fill.target.buffer);
  const auto run = [=, signals = KeptPoints(operation->signal_list)](hal_status_t status,
                                                                     hal_string_view_t message) mutable {
    fill.signal_list = status == HAL_STATUS_OK ? signals.list() : hal_semaphore_list_empty();
    Local().device->submit(target->device, &fill);
    if (status != HAL_STATUS_OK) signals.Fail(status, message);
  };
  return AfterWaits(device, *operation, run);
}

// The device is lost, and no semaphore fails.
hal_status_t OfferHarmlessLoss(hal_device_t*, hal_string_view_t, uint32_t, const void** out_table) {
  static const hal_fault_injection_interface_t table = {sizeof(table),
                                                        [](hal_device_t*, hal_string_view_t) { return HAL_STATUS_OK; }};
  *out_table = &table;
  return HAL_STATUS_OK;
}

constexpr Mutant kFailureMutants[] = {
    {"failure-swallowed", "an operation that failed signals as if it had not", "*QueueFailure*",
     [](Tables& tables) { tables.device.submit = SignalAnyway; }},
    {"failure-reaches-one-signal", "of several signals only the first one fails", "*QueueFailure*",
     [](Tables& tables) { tables.device.submit = FailTheFirstOnly; }},
    {"failure-goes-back", "a failed operation also fails the semaphores that it waited for",
     "*QueueFailure*:*RandomDagFailureTest.*:*HostCallStatusTest.*",
     [](Tables& tables) { tables.device.submit = FailTheWaitsToo; }},
    {"failure-spreads", "a failed semaphore takes all others of its device with it", "*QueueFailure*:SemaphoreTest.*",
     [](Tables& tables) { tables.semaphore.fail = FailTheWholeDevice; }},
    {"failure-lost", "a semaphore that is failed stays as it was", "*SemaphoreFailure*",
     [](Tables& tables) { tables.semaphore.fail = FailNothing; }},
    {"failure-message-lost", "a failure arrives without its message", "*SemaphoreFailure*",
     [](Tables& tables) { tables.semaphore.fail = FailWithoutMessage; }},
    {"failure-status-lost", "every failure arrives as INTERNAL", "*SemaphoreFailure*",
     [](Tables& tables) { tables.semaphore.fail = FailAsInternal; }},
    {"second-failure-wins", "a later failure replaces the first one", "*SemaphoreFailure*", KeepTheLatestFailure},
    {"work-after-failed-waits", "a fill runs although its waits failed", "*QueueFailure*:TransferTest.*",
     [](Tables& tables) { tables.device.submit = FillAfterFailedWaits; }},
    {"health-hides-loss", "a lost device says that it is well", "DeviceLossTest.*",
     [](Tables& tables) { tables.device.query_health = [](hal_device_t*) { return HAL_STATUS_OK; }; }},
    {"loss-without-effect", "a lost device carries on", "DeviceLossTest.*",
     [](Tables& tables) { tables.device.query_interface = OfferHarmlessLoss; }},
};

}  // namespace

std::span<const Mutant> FailureMutants() { return kFailureMutants; }

}  // namespace halyard::mutants
