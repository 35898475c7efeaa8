// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension of CUDA and HIP devices: streams and events of the application, and of other libraries, in one order
/// with Halyard's queues. Get it by
/// `hal_device_query_interface(device, hal_string_view(HAL_STREAM_INTEROP_INTERFACE), 1, &table)`. Each vendor's name
/// for it is answered by that vendor's devices alone: see halyard/cuda_interop.h and halyard/hip_interop.h.
///
/// The vendor's handles are passed as `void*`, so that no header of the vendor is needed. Memory needs no function
/// here: hal_allocator_import() and hal_buffer_export() take and give HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER.
///
/// Common to all functions: they restore the calling thread's context or device, and do not wait for the device. A
/// handle is used during the call only. Afterwards the application may destroy its stream or event, or record the event
/// again, as soon as the vendor allows that. A call that returns a failure has submitted nothing.
///
/// @return INVALID_ARGUMENT (a device of another driver, a NULL event, semaphore or out parameter, a signal of 0, a
///         handle that the vendor does not know), INCOMPATIBLE (a stream of another context or device),
///         FAILED_PRECONDITION (a stream or event under capture), OUT_OF_RANGE (a value past max_semaphore_value),
///         RESOURCE_EXHAUSTED, DEVICE_LOST.
///
/// Since 0.1, all of it.
#ifndef HALYARD_STREAM_INTEROP_H_
#define HALYARD_STREAM_INTEROP_H_

#include "halyard/base.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension.
#define HAL_STREAM_INTEROP_INTERFACE "halyard.stream.interop"

/// Version 1 of the extension. All functions are thread-safe.
typedef struct hal_stream_interop_interface_t {
  size_t struct_size;  ///< as the driver knows it

  /// What the vendor calls the device: its ordinal, and its context where there is one (CUDA's primary context, which
  /// lives as long as the device does), else NULL. `out_context` may be NULL.
  hal_status_t (*native_device)(hal_device_t* device, void** out_context, int32_t* out_ordinal);

  /// The stream of a queue, which lives as long as the device does. Work that the application puts there comes after
  /// what the queue has put there and before what it will put there. Deferred operations are not there yet, and
  /// barriers never are. To signal a semaphore after that work, use signal_from_stream(). The work must not wait for
  /// anything that only later work of that stream brings about.
  /// @return also OUT_OF_RANGE (no such queue).
  hal_status_t (*queue_stream)(hal_device_t* device, uint32_t queue, void** out_stream);

  /// Makes an external event signal: the points in `signal_list` are signalled once `event` completes, as it was
  /// recorded last. Halyard's work that waits for them waits on the device; no thread does.
  ///
  /// An event that was never recorded counts as complete, as it does for the vendor. If the device is lost before the
  /// event completes, the semaphores fail. An event of another device works too, but a failure there is not noticed.
  /// Signals of this device's semaphores come after those that were submitted before.
  hal_status_t (*import_event)(hal_device_t* device, void* event, hal_semaphore_list_t signal_list);

  /// Records an external event, which completes once all points in `wait_list` are reached. Streams of any library that
  /// wait for it wait on the device.
  ///
  /// The vendor's events know no failure. So the event also completes when the work it stands for fails: query the
  /// semaphore before you rely on results.
  /// @return also FAILED_PRECONDITION and the failure of a failed semaphore, as wait_on_stream().
  hal_status_t (*export_event)(hal_device_t* device, hal_semaphore_list_t wait_list, void* event);

  /// Makes later work of an external stream (NULL is the default one) wait, on the device, until all points in
  /// `wait_list` are reached.
  ///
  /// @return also FAILED_PRECONDITION: a point is not reached and its signal has not been submitted to a device of this
  ///         vendor either. Later work of the stream might bring the point about, so the stream never waits for it.
  ///         Submit the signal first, or wait on the host (hal_semaphore_wait(), hal_semaphore_notify()). The failure
  ///         of a failed semaphore.
  hal_status_t (*wait_on_stream)(hal_device_t* device, void* stream, hal_semaphore_list_t wait_list);

  /// Signals once all work that an external stream (NULL is the default one) has so far is done. As import_event(),
  /// with an event recorded there now.
  hal_status_t (*signal_from_stream)(hal_device_t* device, void* stream, hal_semaphore_list_t signal_list);

  /// Until end_stream(), submissions of this thread to the device go into `stream` (NULL is the default one) instead of
  /// their queues. They run in the stream's order: after the work that is there, before the work that the application
  /// puts there afterwards. Keeps a reference to the device. Submissions of callbacks that Halyard calls on this thread
  /// meanwhile go to their queues.
  ///
  /// A submission that cannot go into the stream immediately fails. FAILED_PRECONDITION: one of its waits is neither
  /// reached nor submitted (see wait_on_stream()). UNIMPLEMENTED: it needs the host between two steps. These are host
  /// calls, reads, writes, indirect dispatches, and queue allocations of host-visible memory.
  /// @return also FAILED_PRECONDITION (this thread has begun a stream already).
  hal_status_t (*begin_stream)(hal_device_t* device, void* stream);

  /// Ends what this thread has begun with begin_stream().
  /// @return FAILED_PRECONDITION (it has not, or on another device).
  hal_status_t (*end_stream)(hal_device_t* device);

  /// DLPack's type of the device: kDLCUDA (2) or kDLROCM (10). Its number there is the ordinal.
  int32_t dlpack_device_type;
} hal_stream_interop_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_STREAM_INTEROP_H_
