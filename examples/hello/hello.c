// The smallest program: open a device, fill a buffer on a queue, wait, read it back.
#include <halyard/halyard.h>
#include <stdio.h>

static void check(hal_status_t status) {
  if (status != HAL_STATUS_OK) fprintf(stderr, "%s: %s\n", hal_status_name(status), hal_last_error_message());
}

int main(int argc, char** argv) {
  hal_device_t* device = NULL;
  hal_semaphore_t* semaphore = NULL;
  hal_buffer_t* buffer = NULL;
  uint32_t seven = 7, values[4] = {0};

  check(hal_device_create(hal_string_view(argc > 1 ? argv[1] : "local"), &device));
  check(hal_semaphore_create(device, 0, &semaphore));
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  check(hal_allocator_allocate(hal_device_allocator(device), &params, sizeof(values), &buffer));

  hal_timeline_point_t done = hal_timeline_point(semaphore, 1);
  check(hal_device_queue_fill(device, HAL_QUEUE_ANY, hal_semaphore_list_empty(), hal_semaphore_list(&done, 1),
                              hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE), &seven, sizeof(seven)));
  check(hal_semaphore_wait(semaphore, 1, HAL_TIMEOUT_INFINITE));
  check(hal_buffer_read(buffer, 0, values, sizeof(values)));
  printf("%u %u %u %u\n", values[0], values[1], values[2], values[3]);

  hal_buffer_release(buffer);
  hal_semaphore_release(semaphore);
  hal_device_release(device);
  return values[3] == 7 ? 0 : 1;
}
