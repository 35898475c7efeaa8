// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Streams: work that runs in the order in which it is submitted. What to use when you think in streams.
///
/// A stream is one timeline and a choice of queues. It is no object of a driver: each function here is one queue
/// operation (halyard/queue.h) that waits for the stream's last value and signals the next one. So a stream costs one
/// increment, and mixes with all else that uses semaphores.
///
/// ```c
/// hal_stream_t* stream = NULL;
/// hal_stream_create(device, NULL, &stream);
/// hal_stream_upload(stream, data, input);
/// hal_stream_dispatch(stream, executable, 0, &dispatch);
/// hal_stream_download(stream, output, data);
/// hal_stream_wait(stream, HAL_TIMEOUT_INFINITE);
/// ```
///
/// A call that returns a failure has submitted nothing, and the stream goes on without it. An operation that fails when
/// it runs fails the stream, and with it all that comes after it: hal_stream_wait() tells why. Such a stream is of no
/// further use.
///
/// Since 0.1, all of it.
#ifndef HALYARD_STREAM_H_
#define HALYARD_STREAM_H_

#include "halyard/base.h"
#include "halyard/queue.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What is asked of a new stream.
typedef struct hal_stream_params_t {
  size_t struct_size;       ///< sizeof(hal_stream_params_t)
  hal_queue_mask_t queues;  ///< the queues that may run its work; 0: any, as HAL_QUEUE_ANY
} hal_stream_params_t;

/// The place of one operation in a stream. A frozen struct.
typedef struct hal_stream_step_t {
  hal_timeline_point_t before;   ///< what it waits for: the operation before it, if the value is not 0
  hal_timeline_point_t reached;  ///< what it signals
  hal_queue_mask_t queues;       ///< the queues that may run it
} hal_stream_step_t;

/// Parameters for the operation of a step, which must stay as long as they are used. Thread-safe.
static inline hal_submit_params_t hal_stream_submit_params(const hal_stream_step_t* step) {
  hal_submit_params_t params = hal_submit_params(hal_semaphore_list(&step->before, step->before.value > 0 ? 1 : 0),
                                                 hal_semaphore_list(&step->reached, 1));
  params.queues = step->queues;
  return params;
}

/// Makes a stream. `params` may be NULL. The stream keeps the device alive.
/// @return as hal_semaphore_create(); OUT_OF_RANGE (none of the queues exists). Thread-safe.
HAL_API hal_status_t hal_stream_create(hal_device_t* device, const hal_stream_params_t* params,
                                       hal_stream_t** out_stream);
/// Keeps a stream alive. Thread-safe.
HAL_API void hal_stream_retain(hal_stream_t* stream);
/// Releases a reference; submitted work runs to its end. Thread-safe.
HAL_API void hal_stream_release(hal_stream_t* stream);

/// The stream's device, not retained for the caller; NULL for NULL. Thread-safe.
HAL_API hal_device_t* hal_stream_device(hal_stream_t* stream);

/// The end of all that was submitted: a point to wait for, on the host or in another queue. Its semaphore is the
/// stream's own, not retained for the caller. {NULL, 0} for NULL. Thread-safe.
HAL_API hal_timeline_point_t hal_stream_record(hal_stream_t* stream);

/// Blocks until all that was submitted before is done. @return as hal_semaphore_wait(). Thread-safe.
HAL_API hal_status_t hal_stream_wait(hal_stream_t* stream, uint64_t timeout_ns);

/// @name Order
/// @{
/// What is submitted from now on also waits for points, of any device.
/// @return as hal_device_queue_barrier(). Thread-safe.
HAL_API hal_status_t hal_stream_wait_points(hal_stream_t* stream, hal_semaphore_list_t points);
/// What is submitted from now on also waits for all that was submitted to `other`, which may be of another device.
/// @return as hal_device_queue_barrier(). Thread-safe.
HAL_API hal_status_t hal_stream_wait_stream(hal_stream_t* stream, hal_stream_t* other);
/// @}

/// @name Work
/// Each is the queue operation of the same name. Thread-safe: what several threads submit at once runs one after the
/// other, in one order or another.
/// @{

/// As hal_device_queue_fill().
HAL_API hal_status_t hal_stream_fill(hal_stream_t* stream, hal_buffer_ref_t target, const void* pattern,
                                     size_t pattern_size);
/// As hal_device_queue_update().
HAL_API hal_status_t hal_stream_update(hal_stream_t* stream, const void* data, hal_buffer_ref_t target);
/// As hal_device_queue_copy().
HAL_API hal_status_t hal_stream_copy(hal_stream_t* stream, hal_buffer_ref_t source, hal_buffer_ref_t target);
/// As hal_device_queue_upload().
HAL_API hal_status_t hal_stream_upload(hal_stream_t* stream, const void* data, hal_buffer_ref_t target);
/// As hal_device_queue_download().
HAL_API hal_status_t hal_stream_download(hal_stream_t* stream, hal_buffer_ref_t source, void* data);
/// As hal_device_queue_dispatch().
HAL_API hal_status_t hal_stream_dispatch(hal_stream_t* stream, hal_executable_t* executable, uint32_t ordinal,
                                         const hal_dispatch_params_t* params);
/// As hal_device_queue_execute_with().
HAL_API hal_status_t hal_stream_execute(hal_stream_t* stream, hal_command_buffer_t* command_buffer,
                                        const hal_execute_params_t* params);
/// As hal_device_queue_host_call().
HAL_API hal_status_t hal_stream_host_call(hal_stream_t* stream, hal_host_call_fn_t callback, void* user_data);
/// @}

/// @name Any other operation, and times
///
/// ```c
/// hal_stream_step_t step;
/// hal_stream_begin(stream, &step);
/// hal_operation_times_t times = HAL_INIT(hal_operation_times_t);
/// hal_submit_params_t submit = hal_stream_submit_params(&step);
/// submit.out_times = &times;
/// hal_status_t status = hal_device_queue_dispatch(device, &submit, executable, 0, &dispatch);
/// status = hal_stream_end(stream, &step, status);
/// hal_stream_wait(stream, HAL_TIMEOUT_INFINITE);
/// printf("%llu ns\n", (unsigned long long)(times.end_time - times.start_time));
/// ```
/// @{

/// Takes the next place in the stream for one operation, which the caller submits with hal_stream_submit_params().
/// Every hal_stream_begin() needs its hal_stream_end().
/// @return INVALID_ARGUMENT. Thread-safe.
HAL_API hal_status_t hal_stream_begin(hal_stream_t* stream, hal_stream_step_t* out_step);
/// Ends what hal_stream_begin() began. If the operation was refused, something else reaches its point in its place, so
/// that the stream goes on.
/// @param status  what the submission returned
/// @return `status`, with its message; INVALID_ARGUMENT. Thread-safe.
HAL_API hal_status_t hal_stream_end(hal_stream_t* stream, const hal_stream_step_t* step, hal_status_t status);
/// @}

HAL_EXTERN_C_END

#endif  // HALYARD_STREAM_H_
