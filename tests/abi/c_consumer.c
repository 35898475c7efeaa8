// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in pure C11: opens a device, fills a buffer and reads it back.
#include <halyard/halyard.h>
#include <stdint.h>
#include <stdio.h>

#define COUNT 256u

static int Failed(const char* what, hal_status_t status) {
  fprintf(stderr, "%s: %s: %s\n", what, hal_status_name(status), hal_last_error_message());
  return 1;
}

static int FillAndRead(hal_device_t* device, hal_buffer_t* buffer, hal_semaphore_t* done) {
  const uint32_t pattern = 0xC0FFEEu;
  const hal_timeline_point_t point = hal_timeline_point(done, 1);
  hal_submit_params_t submit = HAL_INIT(hal_submit_params_t);
  submit.signal_list = hal_semaphore_list(&point, 1);
  hal_status_t status =
      hal_device_queue_fill(device, &submit, hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
  if (status != HAL_STATUS_OK) return Failed("fill", status);
  status = hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE);
  if (status != HAL_STATUS_OK) return Failed("wait", status);

  uint32_t data[COUNT] = {0};
  status = hal_buffer_read(buffer, 0, data, sizeof(data));
  if (status != HAL_STATUS_OK) return Failed("read", status);
  for (size_t i = 0; i < COUNT; ++i) {
    if (data[i] == pattern) continue;
    fprintf(stderr, "element %zu is %x\n", i, (unsigned)data[i]);
    return 1;
  }
  return 0;
}

int main(void) {
  if (hal_version() != HAL_VERSION) return Failed("version", HAL_STATUS_INCOMPATIBLE);
  hal_device_t* device = NULL;
  hal_status_t status = hal_device_create(hal_string_view("local://sync"), &device);
  if (status != HAL_STATUS_OK) return Failed("device", status);

  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage |= HAL_BUFFER_USAGE_MAPPING;
  hal_buffer_t* buffer = NULL;
  hal_semaphore_t* done = NULL;
  status = hal_allocator_allocate(hal_device_allocator(device), &params, COUNT * sizeof(uint32_t), &buffer);
  if (status == HAL_STATUS_OK) status = hal_semaphore_create(device, NULL, &done);
  const int result = status == HAL_STATUS_OK ? FillAndRead(device, buffer, done) : Failed("buffer", status);

  hal_semaphore_release(done);
  hal_buffer_release(buffer);
  hal_device_release(device);
  if (result == 0) puts("filled and read back");
  return result;
}
