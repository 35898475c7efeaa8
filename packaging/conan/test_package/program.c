// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library of the package has the version of its headers, and does work.
#include <halyard/halyard.h>
#include <stdio.h>

static int failed(const char* what, hal_status_t status) {
  if (status == HAL_STATUS_OK) return 0;
  fprintf(stderr, "%s: %s: %s\n", what, hal_status_name(status), hal_last_error_message());
  return 1;
}

static hal_status_t call_back(void* user_data, hal_status_t status) {
  *(int*)user_data = 1;
  return status;
}

int main(void) {
  hal_device_t* device = NULL;
  hal_semaphore_t* done = NULL;
  int called = 0;
  if (hal_version() != HAL_VERSION) return 1;
  if (failed("open the device", hal_device_create(hal_string_view("local://sync"), &device))) return 1;
  if (failed("create a semaphore", hal_semaphore_create(device, NULL, &done))) return 1;
  const hal_timeline_point_t signal = hal_timeline_point(done, 1);
  const hal_submit_params_t submit = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1));
  if (failed("submit", hal_device_queue_host_call(device, &submit, call_back, &called))) return 1;
  if (failed("wait", hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE))) return 1;
  hal_semaphore_release(done);
  hal_device_release(device);
  puts(called ? "the queue called back" : "the queue did not call");
  return !called;
}
