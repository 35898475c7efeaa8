// The smallest program: open a device, load a kernel, run it over a buffer, wait, read the results back.
#include <halyard/halyard.h>
#include <stdio.h>

static void check(hal_status_t status) {
  if (status != HAL_STATUS_OK) fprintf(stderr, "%s: %s\n", hal_status_name(status), hal_last_error_message());
}

int main(int argc, char** argv) {
  hal_device_t* device = NULL;
  hal_executable_t* executable = NULL;
  hal_semaphore_t* timeline = NULL;
  hal_buffer_t* buffer = NULL;
  float factor = 10, values[4] = {1, 2, 3, 4};

  check(hal_device_create(hal_string_view(argc > 1 ? argv[1] : "local"), &device));
  hal_executable_params_t kernels = HAL_INIT(hal_executable_params_t);
  kernels.path = hal_string_view("hello.halx");
  check(hal_executable_create(device, &kernels, &executable));
  check(hal_semaphore_create(device, NULL, &timeline));
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;  // memory that the host can write and read
  params.usage |= HAL_BUFFER_USAGE_STORAGE;                     // and kernels, too
  check(hal_allocator_allocate(hal_device_allocator(device), &params, sizeof(values), &buffer));
  check(hal_buffer_write(buffer, 0, values, sizeof(values)));

  hal_buffer_ref_t binding = hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE);
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;  // one workgroup
  dispatch.bindings = hal_buffer_ref_list(&binding, 1);
  dispatch.constants = &factor;
  dispatch.constants_size = sizeof(factor);
  hal_timeline_point_t done = hal_timeline_point(timeline, 1);
  hal_submit_params_t submit = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&done, 1));
  check(hal_device_queue_dispatch(device, &submit, executable, 0, &dispatch));
  check(hal_semaphore_wait(timeline, 1, HAL_TIMEOUT_INFINITE));
  check(hal_buffer_read(buffer, 0, values, sizeof(values)));
  printf("%g %g %g %g\n", values[0], values[1], values[2], values[3]);

  hal_buffer_release(buffer);
  hal_semaphore_release(timeline);
  hal_executable_release(executable);
  hal_device_release(device);
  return values[3] == 40 ? 0 : 1;
}
