// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Queue operations: everything that a device does, in the order that semaphores give. See docs/queue-semantics.md.
///
/// Every operation waits for the points in `wait_list`, runs, and signals the points in `signal_list`; none waits on
/// the caller's thread. What a call points to (lists, patterns, constants, tables) is captured before it returns, and
/// objects that it names stay alive until the operation is done. If a call returns a failure, nothing was submitted.
/// If the operation itself fails, or one of its waits does, the semaphores in `signal_list` fail with that status
/// instead.
///
/// The points in `signal_list` are signalled in the order of the list, also several on one semaphore. A signal that
/// comes late, when its timeline already stands at the value or above, fails that semaphore with INVALID_ARGUMENT.
///
/// Common to all: INVALID_ARGUMENT (NULL device or semaphore, a signal of 0), OUT_OF_RANGE (no such queue, a value
/// above `max_semaphore_value`, or ahead of its timeline by more than `max_semaphore_distance`), PERMISSION_DENIED (no
/// queue that is named was given to all that the operation uses: buffers, executable, command buffer),
/// FAILED_PRECONDITION (a buffer whose hal_device_queue_dealloca() was submitted before, whatever the semaphores say),
/// DEVICE_LOST. All are thread-safe.
///
/// Allocating and giving back need no queue of the buffer's own: hal_device_queue_alloca() and
/// hal_device_queue_dealloca() run on any queue, whatever the `queues` of the buffer are.
#ifndef HALYARD_QUEUE_H_
#define HALYARD_QUEUE_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/buffer.h"
#include "halyard/command_buffer.h"
#include "halyard/device.h"
#include "halyard/file.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Joins `wait_list` into `signal_list` and does nothing else. Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_barrier(hal_device_t* device, hal_queue_mask_t queues,
                                              hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list);

/// Allocates a buffer in the order of the queue.
///
/// The buffer object exists when the call returns and may be recorded and submitted at once; it gets its memory when
/// the waits are reached, and mapping or exporting it before is FAILED_PRECONDITION. Running out of memory then fails
/// `signal_list` with RESOURCE_EXHAUSTED.
/// @return as hal_allocator_allocate(), but for running out of memory; only a length that no machine can have (above
///         INT64_MAX) is RESOURCE_EXHAUSTED at once. Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_alloca(hal_device_t* device, hal_queue_mask_t queues,
                                             hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                             const hal_buffer_params_t* params, uint64_t length,
                                             hal_buffer_t** out_buffer);

/// Gives the memory of a buffer from hal_device_queue_alloca() back in the order of the queue.
///
/// The object lives on until released, without memory. A buffer that is released without this keeps its memory until
/// the last reference goes.
///
/// From this call on no other may use the buffer or a part of it, also one that semaphores order before this one:
/// submit the uses first. End its mappings before this call, also those of its parts, which are not counted.
/// @return INVALID_ARGUMENT (a buffer that is not from queue_alloca, or a subspan), FAILED_PRECONDITION (submitted
///         before, or mapped). Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_dealloca(hal_device_t* device, hal_queue_mask_t queues,
                                               hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                               hal_buffer_t* buffer);

/// As hal_command_buffer_fill(). Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_fill(hal_device_t* device, hal_queue_mask_t queues,
                                           hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                           hal_buffer_ref_t target, const void* pattern, size_t pattern_size);

/// As hal_command_buffer_update(). Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_update(hal_device_t* device, hal_queue_mask_t queues,
                                             hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                             const void* data, hal_buffer_ref_t target);

/// As hal_command_buffer_copy(). Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_copy(hal_device_t* device, hal_queue_mask_t queues,
                                           hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                           hal_buffer_ref_t source, hal_buffer_ref_t target);

/// Reads `target.length` bytes of a file into a buffer. A file that is too short when the operation runs fails it with
/// DATA_LOSS.
/// @return OUT_OF_RANGE (past the file's length), PERMISSION_DENIED (file not opened for READ, no TRANSFER_TARGET).
/// Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_read(hal_device_t* device, hal_queue_mask_t queues,
                                           hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                           hal_file_t* file, uint64_t file_offset, hal_buffer_ref_t target);

/// Writes `source.length` bytes of a buffer into a file, within its length.
/// @return OUT_OF_RANGE (past the file's length), PERMISSION_DENIED (file not opened for WRITE, no TRANSFER_SOURCE).
/// Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_write(hal_device_t* device, hal_queue_mask_t queues,
                                            hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                            hal_buffer_ref_t source, hal_file_t* file, uint64_t file_offset);

/// Dispatches without a command buffer. As hal_command_buffer_dispatch(). Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_dispatch(hal_device_t* device, hal_queue_mask_t queues,
                                               hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                               hal_executable_t* executable, uint32_t ordinal,
                                               const hal_dispatch_params_t* params);

/// Executes a recording.
///
/// @param table  a buffer range for each slot that the recording uses; its contents are taken at this call. Slots that
///               are not used may be empty (NULL buffer).
/// @return FAILED_PRECONDITION (not ended; a one-shot that was executed), OUT_OF_RANGE (a slot's range is shorter than
///         the recording needs, too few slots), PERMISSION_DENIED (usage that the recording needs),
///         INVALID_ARGUMENT (a slot that is used is empty or misaligned; with this table a copy overlaps itself).
/// Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_execute(hal_device_t* device, hal_queue_mask_t queues,
                                              hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                              hal_command_buffer_t* command_buffer, hal_buffer_ref_list_t table);

/// Called once on a thread of the runtime that holds no lock: with OK when the waits are reached, else with their
/// failure. May call the library and must not block. A failure that it returns fails the operation's signals, with
/// the message it set (hal_set_error_message()); what it returns is ignored when `status` is a failure.
typedef hal_status_t (*hal_host_call_fn_t)(void* user_data, hal_status_t status);

/// Calls a function of the host in the order of the queue. Other work of the queue goes on meanwhile.
/// Thread-safe. Since 0.1.
HAL_API hal_status_t hal_device_queue_host_call(hal_device_t* device, hal_queue_mask_t queues,
                                                hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list,
                                                hal_host_call_fn_t callback, void* user_data);

HAL_EXTERN_C_END

#endif  // HALYARD_QUEUE_H_
