// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The application's own threads for a device of the local driver, instead of a pool of the library.
///
/// Since 0.1, all of it.
#ifndef HALYARD_EXECUTOR_H_
#define HALYARD_EXECUTOR_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// A task of the library: one queue operation. It never throws and may run as long as the operation does.
typedef void (*hal_executor_task_fn_t)(void* task);

/// Iterations `begin` to `end`, without `end`, of a loop of the library. Never throws.
typedef void (*hal_executor_range_fn_t)(void* loop, uint64_t begin, uint64_t end);

/// Threads of the application on which a local device does its work.
///
/// The library calls the functions from any thread that calls the library and from within tasks and loops, several at
/// once, with no lock held. They must not throw. They must not call the library, except through the tasks and loops
/// that they run. A task may call anything, including `submit` and `parallel_for`.
typedef struct hal_executor_t {
  size_t struct_size;  ///< sizeof(hal_executor_t)
  void* user_data;     ///< passed to all functions
  /// How many threads work at the same time, at least 1. With 1 loops run on the thread of their task and
  /// `parallel_for` is never called.
  uint32_t concurrency;
  /// 0.
  uint32_t reserved;
  /// Has `run(task)` called once, on any thread, and returns OK. Or returns a failure and never calls it. The operation
  /// then fails with that status and the message of hal_set_error_message().
  ///
  /// May call it before it returns. A task that runs inside another one, or inside a call of the library, works when
  /// that is about to return. So a chain of operations needs no stack. Every accepted task must run even if other tasks
  /// have not ended, unless all threads are busy.
  hal_status_t (*submit)(void* user_data, hal_executor_task_fn_t run, void* task);
  /// Calls `body(loop, …)` with ranges that cover 0 to `count` once, and returns OK when all calls have returned. Or
  /// returns a failure, with no call under way, and the operation fails as with `submit`. `count` is at least 1.
  ///
  /// Called within a task, and again within `body`. It must not wait for a thread that waits for it, so the calling
  /// thread must be able to run the whole loop. While it waits it must not run other tasks, which could take long. NULL
  /// runs loops on the thread of their task.
  hal_status_t (*parallel_for)(void* user_data, uint64_t count, hal_executor_range_fn_t body, void* loop);
  /// Called once when the device is destroyed and no longer uses the functions; NULL if that does not matter. It may
  /// run within the last task, on a thread of the executor. So it must not join the executor's threads.
  void (*release)(void* user_data);
} hal_executor_t;

/// As hal_device_create(), for a device that does its work on threads of the application: `local://task` with its
/// parameters, except `threads`. The struct is copied.
///
/// @return as hal_device_create(); INVALID_ARGUMENT (`submit` is missing, `local://sync`, which has
///         no threads), UNIMPLEMENTED (another driver). `release` is called only if the device was made.
/// Thread-safe.
HAL_API hal_status_t hal_device_create_on_executor(hal_string_view_t uri, const hal_executor_t* executor,
                                                   hal_device_t** out_device);

HAL_EXTERN_C_END

#endif  // HALYARD_EXECUTOR_H_
