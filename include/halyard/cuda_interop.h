// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension of CUDA devices: CUDA streams and events of the application, and of other libraries, in one order with
/// Halyard's queues. Get it by
/// `hal_device_query_interface(device, hal_string_view(HAL_CUDA_INTEROP_INTERFACE), 1, &table)`. See
/// docs/cuda-interop.md.
///
/// CUDA's handles are passed as `void*`, so that no header of CUDA is needed: a CUstream (or cudaStream_t), a CUevent
/// (or cudaEvent_t), a CUcontext. Memory needs no function here: hal_allocator_import() and
/// hal_buffer_export() take and give a CUdeviceptr, as HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER.
///
/// Common to all: the calling thread's CUDA context is left as it was found. None waits for the device. A handle is
/// used during the call only; the application may destroy its stream or event, or record the event again, as soon as
/// CUDA allows that. A call that returns a failure has submitted nothing. Streams and events belong to the device's
/// primary context, that of the CUDA runtime, and are not part of a capture. (To ask about an event that a capture
/// which is under way has recorded invalidates the capture; that is CUDA's rule, and import_event() asks.)
///
/// @return INVALID_ARGUMENT (a device of another driver, a NULL event, semaphore or out parameter, a signal of 0, a
///         handle that CUDA does not know), INCOMPATIBLE (a stream of another context), FAILED_PRECONDITION (a stream
///         or event that is being captured), OUT_OF_RANGE (a value past
///         max_semaphore_value), RESOURCE_EXHAUSTED, DEVICE_LOST.
#ifndef HALYARD_CUDA_INTEROP_H_
#define HALYARD_CUDA_INTEROP_H_

#include "halyard/base.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension.
#define HAL_CUDA_INTEROP_INTERFACE "halyard.cuda.interop"

/// Version 1 of the extension. All functions are thread-safe.
typedef struct hal_cuda_interop_interface_t {
  size_t struct_size;  ///< as the driver knows it

  /// The device's primary context (a CUcontext), which lives as long as the device does, and its CUdevice.
  /// Since version 1.
  hal_status_t (*context)(hal_device_t* device, void** out_context, int32_t* out_device);

  /// The stream (a CUstream) of a queue, which lives as long as the device does. Work that the application puts there
  /// comes after what the queue has put there and before what it will put there. What is held back for its waits is not
  /// there yet, and barriers never are: to have a semaphore stand for that work, use signal_from_stream(). The work is
  /// not to wait for what only later work of that stream brings about.
  /// @return also OUT_OF_RANGE (no such queue). Since version 1.
  hal_status_t (*queue_stream)(hal_device_t* device, uint32_t queue, void** out_stream);

  /// Makes an event of the application a timepoint: `signal_list` are signalled once `event` (a CUevent) completes, as
  /// it was recorded last. Work of Halyard's that waits for them waits on the device; no thread does.
  ///
  /// An event that was never recorded counts as complete, as it does for CUDA. If the device is lost before the event
  /// completes, the semaphores fail. An event of another device is waited for as well, but a failure there is not
  /// noticed. Signals come after those of the same semaphores, if they are this device's, that were submitted before.
  /// Since version 1.
  hal_status_t (*import_event)(hal_device_t* device, void* event, hal_semaphore_list_t signal_list);

  /// Records an event of the application (a CUevent), which completes once all `wait_list` are reached. CUDA streams
  /// that wait for it, of any library, wait on the device.
  ///
  /// As CUDA's events know no failure, an event also completes when what it stands for fails: query the semaphore
  /// before you rely on results.
  /// @return also FAILED_PRECONDITION and the failure of a failed semaphore, as wait_on_stream(). Since version 1.
  hal_status_t (*export_event)(hal_device_t* device, hal_semaphore_list_t wait_list, void* event);

  /// Makes what is put into a stream of the application (a CUstream; NULL is the default one) from now on wait, on the
  /// device, until all `wait_list` are reached.
  ///
  /// @return also FAILED_PRECONDITION: a point is not reached and its signal has not been submitted to a CUDA device
  ///         either. A stream that waits for such a point could keep from running what brings it about, so it is never
  ///         made to: submit the signal first, or wait on the host (hal_semaphore_wait(), hal_semaphore_notify()).
  ///         The failure of a failed semaphore. Since version 1.
  hal_status_t (*wait_on_stream)(hal_device_t* device, void* stream, hal_semaphore_list_t wait_list);

  /// Signals once all that the stream of the application (a CUstream; NULL is the default one) was given so far is
  /// done: as import_event(), with an event recorded there now. Since version 1.
  hal_status_t (*signal_from_stream)(hal_device_t* device, void* stream, hal_semaphore_list_t signal_list);

  /// From now on until end_stream(), what this thread submits to the device (hal_device_queue_fill() and so on, to
  /// whichever queue) goes straight into `stream` (a CUstream; NULL is the default one), in the stream's own order:
  /// after what is there, before what the application puts there afterwards. Holds a reference to the device. What
  /// callbacks submit that Halyard happens to call on this thread meanwhile goes to their queues as always.
  ///
  /// A submission that cannot go into the stream at once fails: FAILED_PRECONDITION if one of its waits is neither
  /// reached nor submitted (see wait_on_stream()); UNIMPLEMENTED for what needs the host between two steps: host calls,
  /// reads, writes, indirect dispatches, queue allocations of memory that the host can see.
  /// @return also FAILED_PRECONDITION (this thread has begun a stream already). Since version 1.
  hal_status_t (*begin_stream)(hal_device_t* device, void* stream);

  /// Ends what this thread has begun with begin_stream().
  /// @return FAILED_PRECONDITION (it has not, or on another device). Since version 1.
  hal_status_t (*end_stream)(hal_device_t* device);
} hal_cuda_interop_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_CUDA_INTEROP_H_
