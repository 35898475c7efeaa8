// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// A driver in a plugin, in plain C: a device whose memory is the host's and that can fill and copy it.
///
/// For readers who know Vulkan: this is what an ICD is there. One exported function hands the loader (here: the core of
/// Halyard) a table of functions. But the core has checked every argument before a driver sees it, and what a driver
/// leaves out of its tables answers UNIMPLEMENTED, so that a driver can begin small:
///
///     abacus_driver.c   the tables, the driver, its one device
///     abacus_memory.c   the allocator and its buffers
///     abacus_queue.c    operations: wait, work, signal
///
/// docs/writing-a-plugin.md leads through it.
#ifndef HALYARD_EXAMPLES_PLUGIN_ABACUS_H_
#define HALYARD_EXAMPLES_PLUGIN_ABACUS_H_

#include <halyard/driver_api.h>

/// What the host gives to a driver, so that it links nothing. Set once, before everything else.
extern const hal_host_services_t* abacus_host;

/// Every object begins with the head that the core reads.
typedef struct abacus_device_t {
  hal_device_t head;
  hal_allocator_t allocator;  // a part of the device: it lives as long
  hal_device_info_t info;
} abacus_device_t;

typedef struct abacus_buffer_t {
  hal_buffer_t head;
  unsigned char* bytes;
  uint64_t length;                  // of `bytes`
  hal_memory_release_fn_t release;  // imported memory: whom to tell
  void* user_data;
  bool is_imported;  // then `bytes` are not ours
} abacus_buffer_t;

extern const hal_allocator_vtable_t abacus_allocator_vtable;
extern const hal_buffer_vtable_t abacus_buffer_vtable;

/// As hal_device_vtable_t::submit.
hal_status_t abacus_submit(hal_device_t* device, const hal_queue_operation_t* operation);

/// Sets the error message of a failure and returns its status.
hal_status_t abacus_fail(hal_status_t status, const char* message);

/// Zeroed memory of the application's allocator; NULL after abacus_fail() if there is none.
void* abacus_allocate(size_t size);
void abacus_free(void* memory, size_t size);

#endif  // HALYARD_EXAMPLES_PLUGIN_ABACUS_H_
