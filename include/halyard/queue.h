// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Queue operations: everything that a device does, in the order that semaphores give. See docs/queue-semantics.md.
///
/// Every operation is given a hal_submit_params_t: it waits for the points in `wait_list`, runs, and signals the points
/// in `signal_list`. None waits on the caller's thread: an operation whose waits are not reached is deferred.
///
/// A call copies what it points to (lists, patterns, constants, tables) before it returns. Objects that it names stay
/// alive until the operation is done. If a call returns a failure, nothing was submitted. If the operation or one of
/// its waits fails, the semaphores in `signal_list` fail with that status. If there are none, a warning goes to the
/// log.
///
/// The points in `signal_list` are signalled in list order, even several on one semaphore. A late signal, whose
/// timeline has reached its value already, fails that semaphore with INVALID_ARGUMENT.
///
/// Common to all: INVALID_ARGUMENT (NULL device or semaphore, a signal of 0), OUT_OF_RANGE (no such queue, a value
/// above `max_semaphore_value`, or ahead of its timeline by more than `max_semaphore_distance`), PERMISSION_DENIED
/// (none of the named queues may use all of the operation's buffers, executable and command buffer),
/// FAILED_PRECONDITION (a buffer whose hal_device_queue_dealloca() was submitted before, independent of semaphores),
/// DEVICE_LOST. All are thread-safe.
///
/// hal_device_queue_alloca() and hal_device_queue_dealloca() run on any queue, independent of the buffer's `queues`.
///
/// Since 0.1, all of it.
#ifndef HALYARD_QUEUE_H_
#define HALYARD_QUEUE_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/buffer.h"
#include "halyard/channel.h"
#include "halyard/command_buffer.h"
#include "halyard/device.h"
#include "halyard/file.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// When one operation ran, without a profiling session. `struct_size` is that of the caller.
///
/// The library writes it before the operation signals `signal_list`. So it must stay until the operation has ended, as
/// the memory of hal_device_queue_upload() does. Both times stay as they are if the operation failed before it ran.
typedef struct hal_operation_times_t {
  size_t struct_size;   ///< sizeof(hal_operation_times_t)
  uint64_t start_time;  ///< when it began to run, in nanoseconds of the clock of hal_profiling_record_t
  uint64_t end_time;    ///< when it was done, on the same clock
} hal_operation_times_t;

/// Where an operation may run, what it waits for and what it signals. All zero is a legal choice: any queue, at once,
/// and nothing tells the end. The call that takes it copies it; NULL stands for all zero.
typedef struct hal_submit_params_t {
  size_t struct_size;                ///< sizeof(hal_submit_params_t)
  hal_queue_mask_t queues;           ///< the queues that may run it; 0: any, as HAL_QUEUE_ANY
  hal_semaphore_list_t wait_list;    ///< points that are reached before it runs
  hal_semaphore_list_t signal_list;  ///< points that it reaches, in this order
  hal_operation_times_t* out_times;  ///< where it writes when it ran; NULL if that is not asked for
} hal_submit_params_t;

/// Parameters for any queue. The lists are not copied. Thread-safe.
static inline hal_submit_params_t hal_submit_params(hal_semaphore_list_t wait_list, hal_semaphore_list_t signal_list) {
  hal_submit_params_t params;
  params.struct_size = sizeof(params);
  params.queues = HAL_QUEUE_ANY;
  params.wait_list = wait_list;
  params.signal_list = signal_list;
  params.out_times = NULL;
  return params;
}

/// Joins `wait_list` into `signal_list` and does nothing else. Thread-safe.
HAL_API hal_status_t hal_device_queue_barrier(hal_device_t* device, const hal_submit_params_t* submit);

/// Allocates a buffer as a queue operation.
///
/// The buffer object exists when the call returns and may be recorded and submitted immediately. It gets its memory
/// when the waits are reached. Mapping or exporting it before is FAILED_PRECONDITION. If there is no memory then,
/// `signal_list` fails with RESOURCE_EXHAUSTED.
/// @return as hal_allocator_allocate(), except RESOURCE_EXHAUSTED. Only a length that no machine can have (above
///         INT64_MAX) is RESOURCE_EXHAUSTED at the call. Thread-safe.
HAL_API hal_status_t hal_device_queue_alloca(hal_device_t* device, const hal_submit_params_t* submit,
                                             const hal_buffer_params_t* params, uint64_t length,
                                             hal_buffer_t** out_buffer);

/// Frees the memory of a buffer from hal_device_queue_alloca(), as a queue operation.
///
/// The object lives until it is released, without memory. A buffer without a dealloca keeps its memory until the last
/// reference is released.
///
/// After this call no other call may use the buffer or a part of it, even if semaphores order that use first. So submit
/// the uses before. End all mappings before this call, including those of its parts, which are not counted.
/// @return INVALID_ARGUMENT (a buffer that is not from queue_alloca, or a subspan), FAILED_PRECONDITION (submitted
///         before, or mapped). Thread-safe.
HAL_API hal_status_t hal_device_queue_dealloca(hal_device_t* device, const hal_submit_params_t* submit,
                                               hal_buffer_t* buffer);

/// As hal_command_buffer_fill(). Thread-safe.
HAL_API hal_status_t hal_device_queue_fill(hal_device_t* device, const hal_submit_params_t* submit,
                                           hal_buffer_ref_t target, const void* pattern, size_t pattern_size);

/// As hal_command_buffer_update(). Thread-safe.
HAL_API hal_status_t hal_device_queue_update(hal_device_t* device, const hal_submit_params_t* submit, const void* data,
                                             hal_buffer_ref_t target);

/// As hal_command_buffer_copy(). Either buffer may belong to another device, of any driver: hal_device_query_peer()
/// says how such a copy goes.
/// @return also INVALID_ARGUMENT (neither buffer is one of `device`). Thread-safe.
HAL_API hal_status_t hal_device_queue_copy(hal_device_t* device, const hal_submit_params_t* submit,
                                           hal_buffer_ref_t source, hal_buffer_ref_t target);

/// As hal_command_buffer_copy_strided(). Either buffer may belong to another device, as with hal_device_queue_copy().
/// Thread-safe.
HAL_API hal_status_t hal_device_queue_copy_strided(hal_device_t* device, const hal_submit_params_t* submit,
                                                   const hal_strided_copy_params_t* params);

/// Writes `target.length` bytes of host memory into a buffer, any number of them.
///
/// Nothing is read before the waits are reached, nor if one fails. `data` must stay as it is until the operation
/// has ended: until it has signalled `signal_list`. A timeline that fails says that only if this operation or its waits
/// failed it. After DEVICE_LOST and hal_semaphore_fail() the operation may still run; of hal_file_from_memory() and
/// hal_device_queue_read(), which do the same, `release` tells the end. The driver stages memory that the device cannot
/// reach in pieces, and allocates nothing once such operations have run.
/// @return INVALID_ARGUMENT (`data` is NULL), OUT_OF_RANGE, PERMISSION_DENIED (no TRANSFER_TARGET). Thread-safe.
HAL_API hal_status_t hal_device_queue_upload(hal_device_t* device, const hal_submit_params_t* submit, const void* data,
                                             hal_buffer_ref_t target);

/// Writes `source.length` bytes of a buffer into host memory, any number of them.
///
/// Nothing is written before the waits are reached. `data` must stay valid and may not be used until the operation has
/// ended. When that is, and the rest, is as in hal_device_queue_upload(). If a wait fails, nothing is written; if the
/// device fails meanwhile, a part may be, also later.
/// @return INVALID_ARGUMENT (`data` is NULL), OUT_OF_RANGE, PERMISSION_DENIED (no TRANSFER_SOURCE). Thread-safe.
HAL_API hal_status_t hal_device_queue_download(hal_device_t* device, const hal_submit_params_t* submit,
                                               hal_buffer_ref_t source, void* data);

/// Reads `target.length` bytes of a file into a buffer. A file that is too short when the operation runs fails it with
/// DATA_LOSS.
/// @return OUT_OF_RANGE (past the file's length), PERMISSION_DENIED (file not opened for READ, no TRANSFER_TARGET).
/// Thread-safe.
HAL_API hal_status_t hal_device_queue_read(hal_device_t* device, const hal_submit_params_t* submit, hal_file_t* file,
                                           uint64_t file_offset, hal_buffer_ref_t target);

/// Writes `source.length` bytes of a buffer into a file, within its length.
/// @return OUT_OF_RANGE (past the file's length), PERMISSION_DENIED (file not opened for WRITE, no TRANSFER_SOURCE).
/// Thread-safe.
HAL_API hal_status_t hal_device_queue_write(hal_device_t* device, const hal_submit_params_t* submit,
                                            hal_buffer_ref_t source, hal_file_t* file, uint64_t file_offset);

/// Dispatches without a command buffer. As hal_command_buffer_dispatch(). Thread-safe.
HAL_API hal_status_t hal_device_queue_dispatch(hal_device_t* device, const hal_submit_params_t* submit,
                                               hal_executable_t* executable, uint32_t ordinal,
                                               const hal_dispatch_params_t* params);

/// Submits the part of one rank in a collective operation: that of the channel's rank, whose device is `device`. When
/// it runs, in which order and how it fails: halyard/channel.h.
/// @return INVALID_ARGUMENT (a channel of another device, an unknown kind, a type or reduction that the operation has
///         not, ranges that overlap otherwise than allowed), OUT_OF_RANGE (a rank, a range that is too short, a count
///         past 64 bits), PERMISSION_DENIED (usage), FAILED_PRECONDITION (a channel of a split that has not ended), the
///         failure of the channel. Thread-safe; the order of calls on several threads is that of the operations.
HAL_API hal_status_t hal_device_queue_collective(hal_device_t* device, const hal_submit_params_t* submit,
                                                 hal_channel_t* channel, const hal_collective_params_t* params);

/// Executes a command buffer.
///
/// @param table  a buffer range for each slot that the command buffer uses; this call copies the contents. Unused slots
///               may be empty (NULL buffer).
/// @return FAILED_PRECONDITION (not ended; a one-shot that was executed), OUT_OF_RANGE (a slot's range is shorter than
///         the commands need, too few slots), PERMISSION_DENIED (usage that the commands need), INVALID_ARGUMENT (a
///         used slot is empty or misaligned; with this table a copy overlaps itself).
/// Thread-safe.
HAL_API hal_status_t hal_device_queue_execute(hal_device_t* device, const hal_submit_params_t* submit,
                                              hal_command_buffer_t* command_buffer, hal_buffer_ref_list_t table);

/// What one execution gives to a command buffer. The call that takes it copies all that it points to.
typedef struct hal_execute_params_t {
  size_t struct_size;           ///< sizeof(hal_execute_params_t)
  hal_buffer_ref_list_t table;  ///< as in hal_device_queue_execute()
  const void* numbers;          ///< the block that its hal_number_ref_t name
  size_t numbers_size;          ///< bytes of `numbers`; at least as many as the commands use
} hal_execute_params_t;

/// As hal_device_queue_execute(), with numbers.
/// @return also OUT_OF_RANGE (the block is shorter than the commands need; it holds a workgroup count that the device
///         does not take, with the limit), INVALID_ARGUMENT (it holds a workgroup count that the kernel cannot have).
/// Thread-safe.
HAL_API hal_status_t hal_device_queue_execute_with(hal_device_t* device, const hal_submit_params_t* submit,
                                                   hal_command_buffer_t* command_buffer,
                                                   const hal_execute_params_t* params);

/// Called once on a thread of the runtime that holds no lock: with OK when the waits are reached, else with their
/// failure. May call the library and must not block. A returned failure fails the operation's signals, with the message
/// of hal_set_error_message(). The returned status is ignored if `status` is a failure. An exception fails the signals
/// with ABORTED and the exception's text.
typedef hal_status_t (*hal_host_call_fn_t)(void* user_data, hal_status_t status);

/// Calls a function of the host as a queue operation. Other work of the queue continues meanwhile. Thread-safe.
HAL_API hal_status_t hal_device_queue_host_call(hal_device_t* device, const hal_submit_params_t* submit,
                                                hal_host_call_fn_t callback, void* user_data);

HAL_EXTERN_C_END

#endif  // HALYARD_QUEUE_H_
