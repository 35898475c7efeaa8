// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Status codes and error messages. See docs/errors.md.
///
/// Since 0.1, all of it.
#ifndef HALYARD_STATUS_H_
#define HALYARD_STATUS_H_

#include "halyard/base.h"

HAL_EXTERN_C_BEGIN

/// The outcome of a call or of an operation on a queue.
typedef enum hal_status_t {
  HAL_STATUS_OK = 0,
  HAL_STATUS_CANCELLED = 1,            ///< given up before it began, e.g. its semaphore was destroyed
  HAL_STATUS_INVALID_ARGUMENT = 2,     ///< wrong in any state of the system
  HAL_STATUS_OUT_OF_RANGE = 3,         ///< a range, ordinal or slot past its end
  HAL_STATUS_NOT_FOUND = 4,            ///< no such driver, device, file, export
  HAL_STATUS_ALREADY_EXISTS = 5,       ///< the name is taken
  HAL_STATUS_PERMISSION_DENIED = 6,    ///< a usage or access that the object was not created with
  HAL_STATUS_FAILED_PRECONDITION = 7,  ///< right in another state of the object
  HAL_STATUS_RESOURCE_EXHAUSTED = 8,   ///< out of memory or of another limited resource
  HAL_STATUS_DEADLINE_EXCEEDED = 9,    ///< the timeout expired
  HAL_STATUS_ABORTED = 10,             ///< the operation itself reported a failure
  HAL_STATUS_UNIMPLEMENTED = 11,       ///< this driver or device does not offer it
  HAL_STATUS_UNAVAILABLE = 12,         ///< could work elsewhere or later: library missing, device busy
  HAL_STATUS_INCOMPATIBLE = 13,        ///< made for another device, format or version
  HAL_STATUS_DATA_LOSS = 14,           ///< data is corrupt or truncated
  HAL_STATUS_DEVICE_LOST = 15,         ///< the device does not work any more: its work and its semaphores fail
  HAL_STATUS_INTERNAL = 16,            ///< a bug of the library or of a driver
  HAL_STATUS_FORCE_32 = HAL_ENUM_FORCE_32
} hal_status_t;

/// The name of a status without its prefix, e.g. "OUT_OF_RANGE"; ends in a zero byte. Thread-safe.
HAL_API const char* hal_status_name(hal_status_t status);

/// The message of the last failing call of this thread; ends in a zero byte.
///
/// Says what was wrong and what was expected. For vendor errors it has the error's name and the call that returned it.
/// A successful call leaves it unchanged. Valid until the next failing call of this thread. Empty at first.
/// Thread-safe: each thread has its own.
HAL_API const char* hal_last_error_message(void);

/// Sets what hal_last_error_message() returns on this thread.
///
/// For callbacks that return a failure to the library (hal_host_call_fn_t) and want to say why.
/// Thread-safe.
HAL_API void hal_set_error_message(hal_string_view_t message);

/// Takes the library's own host memory from `allocator` from now on; NULL stands for the C library.
///
/// Call it before any other function that creates an object, or after hal_shutdown(). Memory is freed through the
/// allocator that is set at that time.
/// @return INVALID_ARGUMENT (a function is missing), FAILED_PRECONDITION (memory is in use already).
/// Thread-compatible.
HAL_API hal_status_t hal_set_host_allocator(const hal_host_allocator_t* allocator);

/// Ends the library in a process that continues, once all objects are released. It joins the library's threads, closes
/// the drivers of the default registry and frees all host memory of the library.
///
/// The library can be used again afterwards, as at the start, even with another host allocator. A second call without
/// new objects does nothing. Earlier results of hal_registry_default() and hal_last_error_message() are invalid.
/// Plugins and vendors' libraries stay loaded. A shared object that contains the static library calls it before it is
/// unloaded; a process that ends need not.
///
/// Waits up to 250 ms for completed work to release its references, and up to 10 s while a thread of the library works.
/// hal_device_drain() waits for all work.
/// @return FAILED_PRECONDITION: objects are alive (the message counts them by kind), or the call is in a callback or on
///         a thread of the library. Nothing has changed then.
/// Call it while no other thread is in a function of the library.
HAL_API hal_status_t hal_shutdown(void);

HAL_EXTERN_C_END

#endif  // HALYARD_STATUS_H_
