// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver in plain C11, built against the public headers alone, as it may have been built years ago: its tables end
// where a first version of them might have ended. The library must fill in the rest.
//
// Its device knows two operations: barrier and host call. They wait for semaphores of any driver and signal them
// through their vtables; its own semaphores are the host's.
#include <halyard/driver_api.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#ifndef TINY_NAME
#define TINY_NAME "tiny"
#endif
#ifndef TINY_ABI_VERSION
#define TINY_ABI_VERSION HAL_DRIVER_ABI_VERSION
#endif
#ifndef TINY_REFUSES
#define TINY_REFUSES 0
#endif
#ifndef TINY_ENTRY
#define TINY_ENTRY hal_plugin_entry
#endif

#if defined(_WIN32)
#define TINY_EXPORT __declspec(dllexport)
#else
#define TINY_EXPORT __attribute__((visibility("default")))
#endif

// --- The tables as they were -----------------------------------------------------------------------------------------

// The interface before there were semaphores, events, command buffers and executables.
typedef struct tiny_interface_t {
  size_t struct_size;
  uint32_t abi_version;
  uint32_t reserved;
  hal_string_view_t name;
  hal_string_view_t description;
  hal_status_t (*create_driver)(const hal_driver_interface_t* tables, const hal_host_services_t* host,
                                hal_driver_t** out_driver);
  const hal_driver_vtable_t* driver;
  const hal_device_vtable_t* device;
  const hal_allocator_vtable_t* allocator;
} tiny_interface_t;

// The device's vtable before there was profiling.
typedef struct tiny_device_vtable_t {
  size_t struct_size;
  void (*destroy)(hal_object_t* device);
  hal_status_t (*query_format)(hal_device_t* device, hal_string_view_t format);
  hal_status_t (*query_health)(hal_device_t* device);
  hal_status_t (*query_interface)(hal_device_t* device, hal_string_view_t name, uint32_t version,
                                  const void** out_table);
  hal_status_t (*create_semaphore)(hal_device_t* device, const hal_semaphore_params_t* params,
                                   hal_semaphore_t** out_semaphore);
  hal_status_t (*create_event)(hal_device_t* device, hal_event_t** out_event);
  hal_status_t (*create_command_buffer)(hal_device_t* device, const hal_command_buffer_params_t* params,
                                        hal_command_buffer_t** out_command_buffer);
  hal_status_t (*create_executable)(hal_device_t* device, const hal_executable_params_t* params,
                                    hal_executable_t** out_executable);
  hal_status_t (*submit)(hal_device_t* device, const hal_queue_operation_t* operation);
} tiny_device_vtable_t;

// The allocator's vtable before it could allocate.
typedef struct tiny_allocator_vtable_t {
  size_t struct_size;
  void (*destroy)(hal_object_t* allocator);
  hal_status_t (*query_heaps)(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps);
} tiny_allocator_vtable_t;

// --- Objects ---------------------------------------------------------------------------------------------------------

static const hal_host_services_t* g_host;  // set once, by the entry function

typedef struct tiny_driver_t {
  hal_driver_t head;
} tiny_driver_t;

typedef struct tiny_device_t {
  hal_device_t head;
  hal_allocator_t allocator;
  hal_device_info_t info;
} tiny_device_t;

// An operation in flight. Freed by the thread that takes the last part of `remaining`.
typedef struct tiny_action_t {
  tiny_device_t* device;       // retained
  atomic_size_t remaining;     // waits that have not come to an end, and one while it is being submitted
  atomic_int status;           // the first failure
  char message[160];           // written by the thread that changed `status`
  hal_queue_host_call_t call;  // without a callback: a barrier
  size_t signal_count;
  hal_timeline_point_t signals[];  // retained
} tiny_action_t;

static size_t ActionSize(size_t signal_count) {
  return sizeof(tiny_action_t) + signal_count * sizeof(hal_timeline_point_t);
}

static hal_status_t Fail(hal_status_t status, const char* message) {
  return g_host->set_error(status, hal_string_view(message));
}

static const hal_semaphore_vtable_t* TableOf(const hal_semaphore_t* semaphore) {
  return (const hal_semaphore_vtable_t*)semaphore->object.vtable;
}

// --- Operations ------------------------------------------------------------------------------------------------------

static void KeepFailure(tiny_action_t* action, hal_status_t status, const char* text, size_t size) {
  int none = HAL_STATUS_OK;
  if (!atomic_compare_exchange_strong(&action->status, &none, (int)status)) return;
  if (size >= sizeof(action->message)) size = sizeof(action->message) - 1;
  if (size > 0) memcpy(action->message, text, size);
  action->message[size] = 0;
}

static void CallHost(tiny_action_t* action) {
  const hal_status_t waits = (hal_status_t)atomic_load(&action->status);
  const hal_status_t result = action->call.callback(action->call.user_data, waits);
  if (waits != HAL_STATUS_OK || result == HAL_STATUS_OK) return;
  const char* const words = g_host->last_error();
  KeepFailure(action, result, words, strlen(words));
}

static void Finish(tiny_action_t* action) {
  if (action->call.callback) CallHost(action);
  const hal_status_t status = (hal_status_t)atomic_load(&action->status);
  for (size_t i = 0; i < action->signal_count; ++i) {
    hal_semaphore_t* const semaphore = action->signals[i].semaphore;
    if (status != HAL_STATUS_OK) {
      TableOf(semaphore)->fail(semaphore, status, hal_string_view(action->message));
    } else {
      const hal_status_t signalled = TableOf(semaphore)->signal(semaphore, action->signals[i].value);
      if (signalled != HAL_STATUS_OK) {
        TableOf(semaphore)->fail(semaphore, signalled, hal_string_view(g_host->last_error()));
      }
    }
    g_host->release(&semaphore->object);
  }
  tiny_device_t* const device = action->device;
  g_host->free(action, ActionSize(action->signal_count), _Alignof(tiny_action_t));
  g_host->release(&device->head.object);
}

static void OnWaitEnded(void* user_data, hal_status_t status, hal_string_view_t message) {
  tiny_action_t* const action = (tiny_action_t*)user_data;
  if (status != HAL_STATUS_OK) KeepFailure(action, status, message.data, message.size);
  if (atomic_fetch_sub(&action->remaining, 1) == 1) Finish(action);
}

static hal_status_t Submit(hal_device_t* device, const hal_queue_operation_t* operation) {
  const bool is_host_call = operation->type == HAL_QUEUE_OPERATION_TYPE_HOST_CALL;
  if (!is_host_call && operation->type != HAL_QUEUE_OPERATION_TYPE_BARRIER) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "tiny devices know barriers and host calls only");
  }
  tiny_action_t* const action =
      (tiny_action_t*)g_host->allocate(ActionSize(operation->signal_list.count), _Alignof(tiny_action_t));
  if (!action) return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "out of host memory");
  memset(action, 0, sizeof(*action));
  action->device = (tiny_device_t*)device;
  g_host->retain(&device->object);
  atomic_init(&action->remaining, operation->wait_list.count + 1);
  atomic_init(&action->status, HAL_STATUS_OK);
  if (is_host_call) action->call = operation->u.host_call;
  action->signal_count = operation->signal_list.count;
  for (size_t i = 0; i < action->signal_count; ++i) {
    action->signals[i] = operation->signal_list.points[i];
    g_host->retain(&action->signals[i].semaphore->object);
  }
  for (size_t i = 0; i < operation->wait_list.count; ++i) {
    const hal_timeline_point_t point = operation->wait_list.points[i];
    hal_timepoint_t timepoint;
    const hal_status_t status =
        TableOf(point.semaphore)->notify(point.semaphore, point.value, OnWaitEnded, action, &timepoint);
    if (status != HAL_STATUS_OK) OnWaitEnded(action, status, hal_string_view(g_host->last_error()));
  }
  OnWaitEnded(action, HAL_STATUS_OK, hal_string_view(NULL));
  return HAL_STATUS_OK;
}

// --- Device ----------------------------------------------------------------------------------------------------------

static void DestroyDevice(hal_object_t* object) {
  g_host->free(object, sizeof(tiny_device_t), _Alignof(tiny_device_t));
}

static hal_status_t CreateSemaphore(hal_device_t* device, const hal_semaphore_params_t* params,
                                    hal_semaphore_t** out_semaphore) {
  return g_host->create_timeline_semaphore(device, params, out_semaphore);
}

// Constant for the life of the plugin, as every device's info points to them.
static const hal_device_limits_t kLimits = {
    .struct_size = sizeof(hal_device_limits_t),
    .max_semaphore_value = INT64_MAX,
    .max_semaphore_distance = INT64_MAX,
};

static void DescribeDevice(hal_device_info_t* info) {
  memset(info, 0, sizeof(*info));
  info->struct_size = sizeof(*info);
  info->driver = hal_string_view(TINY_NAME);
  info->id = hal_string_view("only");
  info->name = hal_string_view("a tiny device");
  info->queue_count = 1;
  info->limits = &kLimits;
}

// --- Driver ----------------------------------------------------------------------------------------------------------

static void DestroyDriver(hal_object_t* object) {
  g_host->free(object, sizeof(tiny_driver_t), _Alignof(tiny_driver_t));
}

static hal_status_t ListDevices(hal_driver_t* driver, size_t* count, hal_device_summary_t* devices) {
  (void)driver;
  const size_t capacity = *count;
  *count = 1;
  if (!devices) return HAL_STATUS_OK;
  if (capacity < 1) return Fail(HAL_STATUS_OUT_OF_RANGE, "there is one device");
  devices->id = hal_string_view("only");
  devices->name = hal_string_view("a tiny device");
  return HAL_STATUS_OK;
}

static hal_status_t CreateDevice(hal_driver_t* driver, hal_string_view_t id, size_t pair_count,
                                 const hal_key_value_t* pairs, hal_device_t** out_device) {
  (void)id;
  (void)pairs;
  if (pair_count > 0) return Fail(HAL_STATUS_INVALID_ARGUMENT, "tiny devices take no parameters");
  tiny_device_t* const device = (tiny_device_t*)g_host->allocate(sizeof(*device), _Alignof(tiny_device_t));
  if (!device) return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "out of host memory");
  memset(device, 0, sizeof(*device));
  hal_object_initialize(&device->head.object, HAL_OBJECT_KIND_DEVICE, driver->tables->device);
  hal_object_initialize(&device->allocator.object, HAL_OBJECT_KIND_ALLOCATOR, driver->tables->allocator);
  DescribeDevice(&device->info);
  device->head.info = &device->info;
  device->head.allocator = &device->allocator;
  *out_device = &device->head;
  return HAL_STATUS_OK;
}

static hal_status_t CreateDriver(const hal_driver_interface_t* tables, const hal_host_services_t* host,
                                 hal_driver_t** out_driver) {
  tiny_driver_t* const driver = (tiny_driver_t*)host->allocate(sizeof(*driver), _Alignof(tiny_driver_t));
  if (!driver) return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "out of host memory");
  memset(driver, 0, sizeof(*driver));
  hal_object_initialize(&driver->head.object, HAL_OBJECT_KIND_DRIVER, tables->driver);
  driver->head.tables = tables;
  *out_driver = &driver->head;
  return HAL_STATUS_OK;
}

static const hal_driver_vtable_t kDriver = {
    .struct_size = sizeof(hal_driver_vtable_t),
    .destroy = DestroyDriver,
    .list_devices = ListDevices,
    .create_device = CreateDevice,
};
static const tiny_device_vtable_t kDevice = {
    .struct_size = sizeof(tiny_device_vtable_t),
    .destroy = DestroyDevice,
    .create_semaphore = CreateSemaphore,
    .submit = Submit,
};
static const tiny_allocator_vtable_t kAllocator = {
    .struct_size = sizeof(tiny_allocator_vtable_t),
};
static const tiny_interface_t kInterface = {
    .struct_size = sizeof(tiny_interface_t),
    .abi_version = TINY_ABI_VERSION,
    .name = {TINY_NAME, sizeof(TINY_NAME) - 1},
    .description = {"a plugin for tests", sizeof("a plugin for tests") - 1},
    .create_driver = CreateDriver,
    .driver = &kDriver,
    .device = (const hal_device_vtable_t*)&kDevice,
    .allocator = (const hal_allocator_vtable_t*)&kAllocator,
};

TINY_EXPORT const hal_driver_interface_t* TINY_ENTRY(uint32_t host_abi_version, const hal_host_services_t* host);

const hal_driver_interface_t* TINY_ENTRY(uint32_t host_abi_version, const hal_host_services_t* host) {
  g_host = host;
  // The tables say what they were built for, and the host looks; a plugin need only look if it can do better.
  if (!TINY_REFUSES) return (const hal_driver_interface_t*)&kInterface;
  char message[64];
  snprintf(message, sizeof(message), "hosts of version %u are not to my taste", (unsigned)host_abi_version);
  Fail(HAL_STATUS_INCOMPATIBLE, message);
  return NULL;
}
