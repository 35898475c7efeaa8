// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object that uses the library, as a plugin of some application does.
#include <halyard/halyard.h>

static hal_status_t call(void* user_data, hal_status_t status) {
  (void)user_data;
  return status;
}

// 0 if all went well.
__attribute__((visibility("default"))) int use_halyard(const char* uri) {
  hal_device_t* device = NULL;
  hal_semaphore_t* done = NULL;
  if (hal_device_create(hal_string_view(uri), &device) != HAL_STATUS_OK) return 1;
  if (hal_semaphore_create(device, NULL, &done) != HAL_STATUS_OK) return 2;
  hal_timeline_point_t signal = hal_timeline_point(done, 1);
  hal_submit_params_t submit = HAL_INIT(hal_submit_params_t);
  submit.signal_list = hal_semaphore_list(&signal, 1);
  if (hal_device_queue_host_call(device, &submit, call, NULL) != HAL_STATUS_OK) return 3;
  if (hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) != HAL_STATUS_OK) return 4;
  hal_semaphore_release(done);
  hal_device_release(device);
#if !defined(WITHOUT_SHUTDOWN)
  hal_status_t status = hal_shutdown();
  while (status == HAL_STATUS_FAILED_PRECONDITION) status = hal_shutdown();  // a busy machine: work on its way out
  if (status != HAL_STATUS_OK) return 5;
#endif
  return 0;
}
