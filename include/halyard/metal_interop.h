// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension of Metal devices: Metal's own objects, in one order with Halyard's queues. Get it by
/// `hal_device_query_interface(device, hal_string_view(HAL_METAL_INTEROP_INTERFACE), 1, &table)`. See
/// docs/metal-driver.md.
///
/// Metal's objects are passed as `void*`, so that C code can use this header: an id<MTLDevice>, an id<MTLCommandQueue>,
/// an id<MTLSharedEvent>, an id<MTLBuffer>. What a function gives is not retained for the caller. What it takes is
/// retained for as long as it is needed. No function waits for the device.
///
/// @return INVALID_ARGUMENT (a device of another driver, a NULL event or out parameter, a signal of 0), OUT_OF_RANGE
/// (no
///         such queue, a value past max_semaphore_value), RESOURCE_EXHAUSTED, DEVICE_LOST.
///
/// Since 0.1, all of it.
#ifndef HALYARD_METAL_INTEROP_H_
#define HALYARD_METAL_INTEROP_H_

#include "halyard/base.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension.
#define HAL_METAL_INTEROP_INTERFACE "halyard.metal.interop"

/// Version 1 of the extension. All functions are thread-safe.
typedef struct hal_metal_interop_interface_t {
  size_t struct_size;  ///< as the driver knows it

  /// The id<MTLDevice>, which lives as long as the device does.
  hal_status_t (*device)(hal_device_t* device, void** out_device);

  /// The id<MTLCommandQueue> of a queue, which lives as long as the device does. What the application commits there is
  /// in no order with Halyard's work, except through events.
  hal_status_t (*queue)(hal_device_t* device, uint32_t queue, void** out_queue);

  /// Makes a value of an id<MTLSharedEvent> a timepoint: the points in `signal_list` are signalled once the event has
  /// reached `value`, at once if it has done so already. A listener of Metal's and the device watch the event, and
  /// nothing changes its value. Metal's events know no failure.
  ///
  /// Signals of work that was submitted before and that the event may depend on come first, and points of lower values
  /// of the event. So if export_event() tells the application that Halyard's work has ended, the application's own next
  /// value may signal the next point of the same semaphore. A point that its semaphore has passed by then is a mistake:
  /// the semaphore fails with INVALID_ARGUMENT.
  hal_status_t (*import_event)(hal_device_t* device, void* event, uint64_t value, hal_semaphore_list_t signal_list);

  /// Sets an id<MTLSharedEvent> to `value` once all points in `wait_list` are reached: on the device, where they are
  /// points of Metal devices. An event that has a higher value by then keeps it. If one of the points fails the event
  /// is set all the same: query the semaphore before you rely on results.
  hal_status_t (*export_event)(hal_device_t* device, hal_semaphore_list_t wait_list, void* event, uint64_t value);
} hal_metal_interop_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_METAL_INTEROP_H_
