// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Fences: sets of timeline points that travel together.
///
/// No driver knows of fences: an operation is given the list of one (hal_fence_list()). `examples/order` has one.
///
/// Since 0.1, all of it.
#ifndef HALYARD_FENCE_H_
#define HALYARD_FENCE_H_

#include "halyard/base.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Makes an empty fence. `capacity` points need no further memory; more may be inserted. Thread-safe.
HAL_API hal_status_t hal_fence_create(size_t capacity, hal_fence_t** out_fence);
/// Keeps a fence alive. Thread-safe.
HAL_API void hal_fence_retain(hal_fence_t* fence);
/// Releases a reference. Thread-safe.
HAL_API void hal_fence_release(hal_fence_t* fence);

/// Adds a point and retains its semaphore; of two points on one semaphore the larger stays.
/// @return OUT_OF_RANGE (`value` is one that hal_semaphore_wait() refuses). Thread-compatible.
HAL_API hal_status_t hal_fence_insert(hal_fence_t* fence, hal_semaphore_t* semaphore, uint64_t value);
/// Adds every point of `list`, all or none. @return as hal_fence_insert(). Thread-compatible.
HAL_API hal_status_t hal_fence_extend(hal_fence_t* fence, hal_semaphore_list_t list);
/// The points, valid until the fence changes; empty for NULL. Thread-compatible.
HAL_API hal_semaphore_list_t hal_fence_list(hal_fence_t* fence);

/// Whether every point is reached: OK, DEADLINE_EXCEEDED if not yet, or the first failure, as hal_semaphore_wait()
/// tells it. Thread-compatible.
HAL_API hal_status_t hal_fence_query(hal_fence_t* fence);
/// Signals every point from the host. Stops at the first that cannot be signalled and returns its status.
/// Thread-compatible.
HAL_API hal_status_t hal_fence_signal(hal_fence_t* fence);
/// Fails every semaphore of the fence. Thread-compatible.
HAL_API hal_status_t hal_fence_fail(hal_fence_t* fence, hal_status_t status, hal_string_view_t message);
/// Blocks until every point is reached; as hal_semaphore_list_wait() with ALL. Thread-compatible.
HAL_API hal_status_t hal_fence_wait(hal_fence_t* fence, uint64_t timeout_ns);

HAL_EXTERN_C_END

#endif  // HALYARD_FENCE_H_
