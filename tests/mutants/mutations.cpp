// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants/mutations.h"

#include <memory>

namespace halyard::mutants {

// A timepoint holds no reference to its semaphore; the submission that signals it does.
hal_status_t AfterWork(hal_device_t* device, const hal_queue_operation_t& operation, Then then) {
  Ref<hal_semaphore_t> done;
  if (hal_status_t status = hal_semaphore_create(device, nullptr, done.out()); status != HAL_STATUS_OK) return status;
  const hal_timeline_point_t signal = {done.get(), 1};
  hal_queue_operation_t work = operation;
  work.signal_list = {&signal, 1};
  if (hal_status_t status = Local().device->submit(device, &work); status != HAL_STATUS_OK) return status;
  const auto on_done = [](void* user_data, hal_status_t status, hal_string_view_t message) {
    const std::unique_ptr<Then> call(static_cast<Then*>(user_data));
    (*call)(status, message);
  };
  return Local().semaphore->notify(done.get(), 1, on_done, new Then(std::move(then)), nullptr);
}

hal_status_t AfterWaits(hal_device_t* device, const hal_queue_operation_t& operation, Then then) {
  return AfterWork(device, BarrierLike(operation), std::move(then));
}

}  // namespace halyard::mutants
