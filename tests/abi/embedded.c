// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object that embeds the static library, as a plugin of some host does, and gives it memory of its own.
#include <halyard/halyard.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

static size_t allocations;

static void* allocate(void* user_data, size_t size, size_t alignment) {
  (void)user_data;
  ++allocations;
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void* user_data, void* memory, size_t size, size_t alignment) {
  (void)user_data;
  (void)size;
  (void)alignment;
  free(memory);
}

EXPORTED size_t embedded_allocations(void) { return allocations; }

static hal_status_t use_allocator(void) {
  hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
  allocator.allocate = allocate;
  allocator.free = release;
  return hal_set_host_allocator(&allocator);
}

static hal_status_t open_and_fill(void) {
  hal_device_t* device = NULL;
  hal_status_t status = hal_device_create(hal_string_view("local://sync"), &device);
  hal_buffer_t* buffer = NULL;
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  if (status == HAL_STATUS_OK) {
    status = hal_allocator_allocate(hal_device_allocator(device), &params, 64, &buffer);
  }
  if (status == HAL_STATUS_OK) {
    const unsigned char zero = 0;
    status = hal_device_queue_fill(device, NULL, hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE), &zero, 1);
  }
  hal_buffer_release(buffer);
  hal_device_release(device);
  return status;
}

EXPORTED const char* embedded_run(void) {
  hal_status_t status = allocations == 0 ? use_allocator() : HAL_STATUS_OK;
  if (status == HAL_STATUS_OK) status = open_and_fill();
  return status == HAL_STATUS_OK ? "" : hal_last_error_message();
}
