// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <string.h>

#include "abacus.h"

#define ABACUS_ID "frame"
#define ABACUS_NAME "an abacus with one frame"

const hal_host_services_t* abacus_host;

hal_status_t abacus_fail(hal_status_t status, const char* message) {
  return abacus_host->set_error(status, hal_string_view(message));
}

void* abacus_allocate(size_t size) {
  void* const memory = abacus_host->allocate(size, _Alignof(max_align_t));
  if (memory) return memset(memory, 0, size);
  abacus_fail(HAL_STATUS_RESOURCE_EXHAUSTED, "abacus: out of host memory");
  return NULL;
}

void abacus_free(void* memory, size_t size) { abacus_host->free(memory, size, _Alignof(max_align_t)); }

// --- Device ----------------------------------------------------------------------------------------------------------

// Called when the last reference is released. The core has released what it retained for us.
static void destroy_device(hal_object_t* device) { abacus_free(device, sizeof(abacus_device_t)); }

// All work ends on threads of the host, so the host's own timelines will do.
static hal_status_t create_semaphore(hal_device_t* device, const hal_semaphore_params_t* params,
                                     hal_semaphore_t** out_semaphore) {
  return abacus_host->create_timeline_semaphore(device, params, out_semaphore);
}

// There are no kernels, so all limits on them stay 0.
static const hal_device_limits_t abacus_limits = {
    .struct_size = sizeof(hal_device_limits_t),
    .max_semaphore_value = INT64_MAX,
    .max_semaphore_distance = INT64_MAX,
};

static void describe_device(hal_device_info_t* info) {
  info->struct_size = sizeof(*info);
  info->driver = hal_string_view("abacus");
  info->id = hal_string_view(ABACUS_ID);
  info->name = hal_string_view(ABACUS_NAME);
  info->queue_count = 1;
  info->limits = &abacus_limits;
}

// What is not set here is not known; the library says so.
static hal_status_t query_properties(hal_device_t* device, hal_device_properties_t* out_properties) {
  (void)device;
  out_properties->kind = HAL_DEVICE_KIND_VIRTUAL;
  out_properties->compute_units = 1;
  return HAL_STATUS_OK;
}

static hal_status_t make_device(const hal_driver_interface_t* tables, hal_device_t** out_device) {
  abacus_device_t* const device = abacus_allocate(sizeof(*device));
  if (!device) return HAL_STATUS_RESOURCE_EXHAUSTED;
  // Objects point to the completed tables, in which the core has filled in what ours lack.
  hal_object_initialize(&device->head.object, HAL_OBJECT_KIND_DEVICE, tables->device);
  hal_object_initialize(&device->allocator.object, HAL_OBJECT_KIND_ALLOCATOR, tables->allocator);
  describe_device(&device->info);
  device->head.info = &device->info;
  device->head.allocator = &device->allocator;
  *out_device = &device->head;
  abacus_host->log(HAL_LOG_LEVEL_INFO, hal_string_view("abacus: opened the frame"));
  return HAL_STATUS_OK;
}

// --- Driver ----------------------------------------------------------------------------------------------------------

static void destroy_driver(hal_object_t* driver) { abacus_free(driver, sizeof(hal_driver_t)); }

static hal_status_t list_devices(hal_driver_t* driver, size_t* count, hal_device_summary_t* devices) {
  (void)driver;
  const size_t capacity = *count;
  *count = 1;
  if (!devices) return HAL_STATUS_OK;
  if (capacity < 1) return abacus_fail(HAL_STATUS_OUT_OF_RANGE, "abacus: there is one device");
  devices[0].id = hal_string_view(ABACUS_ID);
  devices[0].name = hal_string_view(ABACUS_NAME);
  return HAL_STATUS_OK;
}

// `abacus` and `abacus://frame` name the one device; `?key=value` would come as pairs.
static hal_status_t create_device(hal_driver_t* driver, hal_string_view_t id, size_t pair_count,
                                  const hal_key_value_t* pairs, hal_device_t** out_device) {
  (void)pairs;
  const bool is_known = id.size == 0 || (id.size == strlen(ABACUS_ID) && memcmp(id.data, ABACUS_ID, id.size) == 0);
  if (!is_known) {
    char message[128];
    snprintf(message, sizeof(message), "abacus: no device '%.*s'; there is '%s'", (int)(id.size < 64 ? id.size : 64),
             id.data, ABACUS_ID);
    return abacus_fail(HAL_STATUS_NOT_FOUND, message);
  }
  if (pair_count > 0) return abacus_fail(HAL_STATUS_INVALID_ARGUMENT, "abacus: devices take no parameters");
  return make_device(driver->tables, out_device);
}

static hal_status_t create_driver(const hal_driver_interface_t* tables, const hal_host_services_t* host,
                                  hal_driver_t** out_driver) {
  (void)host;  // the entry function has it, too
  hal_driver_t* const driver = abacus_allocate(sizeof(*driver));
  if (!driver) return HAL_STATUS_RESOURCE_EXHAUSTED;
  hal_object_initialize(&driver->object, HAL_OBJECT_KIND_DRIVER, tables->driver);
  driver->tables = tables;
  *out_driver = driver;
  return HAL_STATUS_OK;
}

// --- Tables ----------------------------------------------------------------------------------------------------------

static const hal_driver_vtable_t driver_vtable = {
    .struct_size = sizeof(hal_driver_vtable_t),
    .destroy = destroy_driver,
    .list_devices = list_devices,
    .create_device = create_device,
};

static const hal_device_vtable_t device_vtable = {
    .struct_size = sizeof(hal_device_vtable_t),
    .destroy = destroy_device,
    .create_semaphore = create_semaphore,
    .submit = abacus_submit,
    .query_properties = query_properties,
};

static const hal_driver_interface_t driver_interface = {
    .struct_size = sizeof(hal_driver_interface_t),
    .abi_version = HAL_DRIVER_ABI_VERSION,
    .name = {"abacus", 6},
    .description = {"an example: fills and copies, no kernels", 40},
    .create_driver = create_driver,
    .driver = &driver_vtable,
    .device = &device_vtable,
    .allocator = &abacus_allocator_vtable,
    .buffer = &abacus_buffer_vtable,
};

__attribute__((visibility("default"))) const hal_driver_interface_t* hal_plugin_entry(uint32_t host_abi_version,
                                                                                      const hal_host_services_t* host);

/// The one function that a plugin exports. The host compares `abi_version` itself; a plugin that can speak several
/// versions chooses by `host_abi_version`.
const hal_driver_interface_t* hal_plugin_entry(uint32_t host_abi_version, const hal_host_services_t* host) {
  (void)host_abi_version;
  abacus_host = host;
  return &driver_interface;
}
