// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Timeline semaphores: the one thing that orders work. See docs/queue-semantics.md.
///
/// Since 0.1, all of it.
#ifndef HALYARD_SEMAPHORE_H_
#define HALYARD_SEMAPHORE_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// A point on a timeline: reached once the semaphore's value is at least `value`. A frozen struct.
typedef struct hal_timeline_point_t {
  /// The timeline.
  hal_semaphore_t* semaphore;
  /// The value to reach.
  uint64_t value;
} hal_timeline_point_t;

/// A point on a timeline. Thread-safe.
static inline hal_timeline_point_t hal_timeline_point(hal_semaphore_t* semaphore, uint64_t value) {
  hal_timeline_point_t point;
  point.semaphore = semaphore;
  point.value = value;
  return point;
}

/// Points to wait for or to signal. A frozen struct, passed by value; the call that takes it copies what it needs.
typedef struct hal_semaphore_list_t {
  /// The points; may be NULL if there are none.
  const hal_timeline_point_t* points;
  /// How many there are.
  size_t count;
} hal_semaphore_list_t;

/// The empty list. Thread-safe.
static inline hal_semaphore_list_t hal_semaphore_list_empty(void) {
  hal_semaphore_list_t list;
  list.points = NULL;
  list.count = 0;
  return list;
}

/// A list of `count` points. Thread-safe.
static inline hal_semaphore_list_t hal_semaphore_list(const hal_timeline_point_t* points, size_t count) {
  hal_semaphore_list_t list;
  list.points = points;
  list.count = count;
  return list;
}

/// For what to wait, and how. Of AUTO, SPIN, YIELD and BLOCK at most one; without one a wait for one point follows the
/// parameter `wait` of its semaphore's device, and a wait for several points is AUTO. See docs/threads.md.
typedef uint64_t hal_wait_flags_t;
/// Until all are reached.
#define HAL_WAIT_ALL 0x0
/// Until any is reached.
#define HAL_WAIT_ANY 0x1
/// The thread polls closely around the time at which the work is expected to end, and sleeps otherwise.
#define HAL_WAIT_AUTO 0x2
/// The thread polls until the end, and keeps a processor busy.
#define HAL_WAIT_SPIN 0x4
/// The same, and the thread offers its processor to other threads in between.
#define HAL_WAIT_YIELD 0x8
/// The thread sleeps.
#define HAL_WAIT_BLOCK 0x10

/// Called once when a point is reached (OK), when its semaphore fails (that failure), or when the callback is cancelled
/// or the semaphore destroyed (CANCELLED). For a failure `message` says why; it is valid during the call.
///
/// Runs on the application's thread that signals, fails, cancels, destroys or registers, before that function returns.
/// If a device's work moves the timeline, it runs on a thread of the device (on `local://sync`: on the thread that runs
/// the work). It never runs within hal_semaphore_query() or another function that detects completion. Callbacks do not
/// nest: a callback that another one causes comes after it. The library holds no lock. The callback may call the
/// library, may release any reference and must not block. An exception is logged. See docs/threads.md.
typedef void (*hal_timepoint_fn_t)(void* user_data, hal_status_t status, hal_string_view_t message);

/// Names one registered callback of one semaphore. A frozen struct.
typedef struct hal_timepoint_t {
  uint64_t value;     ///< the value it waits for
  uint64_t sequence;  ///< which registration; 0 names none
} hal_timepoint_t;

/// What a new semaphore is to be.
typedef struct hal_semaphore_params_t {
  size_t struct_size;          ///< sizeof(hal_semaphore_params_t)
  uint64_t initial_value;      ///< where the timeline stands at first
  hal_peer_handles_t handles;  ///< HAL_PEER_HANDLE_HOST_FD: the semaphore can leave; see hal_semaphore_export()
  uint32_t reserved;           ///< 0
} hal_semaphore_params_t;

/// What kind of semaphore crosses the library's border.
typedef enum hal_external_semaphore_type_t {
  HAL_EXTERNAL_SEMAPHORE_TYPE_NONE = 0,
  /// A file descriptor of a timeline in memory of the host. Every device of every driver takes it.
  HAL_EXTERNAL_SEMAPHORE_TYPE_HOST_FD = 1,
  /// An opaque file descriptor of Vulkan's. Not implemented here: import_timeline_fd() and export_timeline_fd() of
  /// halyard/vulkan_interop.h have it, as only the application can say which values the timeline is to have.
  HAL_EXTERNAL_SEMAPHORE_TYPE_OPAQUE_FD = 2,
  /// A CUipcEventHandle or a hipIpcEventHandle_t. Not implemented: an event has no value, and a process that records it
  /// anew takes it from those that wait.
  HAL_EXTERNAL_SEMAPHORE_TYPE_IPC = 3,
  /// A HANDLE of Windows. Not implemented: the library does not run there yet.
  HAL_EXTERNAL_SEMAPHORE_TYPE_WIN32 = 4,
  HAL_EXTERNAL_SEMAPHORE_TYPE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_external_semaphore_type_t;

/// A semaphore that leaves the library, or enters it. As to descriptors, see hal_external_memory_t.
typedef struct hal_external_semaphore_t {
  size_t struct_size;                  ///< sizeof(hal_external_semaphore_t)
  hal_external_semaphore_type_t type;  ///< how to read `handle`
  uint32_t flags;                      ///< 0
  uint64_t handle;                     ///< a file descriptor
} hal_external_semaphore_t;

/// Makes a semaphore.
/// @param params  NULL stands for all zero: a timeline at 0
/// @return OUT_OF_RANGE (`initial_value` is above the device's `max_semaphore_value`), UNIMPLEMENTED (semaphores do not
///         leave by such a handle, or not on this system). Thread-safe.
HAL_API hal_status_t hal_semaphore_create(hal_device_t* device, const hal_semaphore_params_t* params,
                                          hal_semaphore_t** out_semaphore);

/// Keeps a semaphore alive. Thread-safe.
HAL_API void hal_semaphore_retain(hal_semaphore_t* semaphore);
/// Releases a reference. Submitted work keeps the semaphores alive that it will signal, not those it waits for. A
/// semaphore that no caller and no operation can signal any more is destroyed, and all that waits for it fails with
/// CANCELLED. Thread-safe.
HAL_API void hal_semaphore_release(hal_semaphore_t* semaphore);

/// Reads the current value. `*out_value` is set even if the semaphore has failed: to the last value reached.
///
/// It may end completed work, which calls release callbacks and profiling sinks. It calls no timepoint callback, runs
/// no released work and waits for nothing.
/// @return the failure of a failed semaphore, whatever its status: a query has no time-out.
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value);

/// Moves the timeline to `value` from the host and wakes what waits for values up to it.
///
/// If an asynchronous device has work in flight that is to signal lower values, the timeline gets to `value` after
/// these: the application may know from the device itself that such work has ended, before the library does. Until then
/// the signal counts as submitted. Host calls and the work of local devices do not come first: wait for their signals.
///
/// This thread may submit the released work to the device; on `local://sync` it runs the work. Within a callback this
/// happens after the callback returned.
/// @return INVALID_ARGUMENT (not above the current value; on a queue this fails the semaphore with that status),
///         OUT_OF_RANGE (above `max_semaphore_value`, or ahead by more than `max_semaphore_distance`),
///         the failure of a failed semaphore. Thread-safe.
HAL_API hal_status_t hal_semaphore_signal(hal_semaphore_t* semaphore, uint64_t value);

/// Fails the semaphore permanently: every point that is not reached yet fails with `status`. The first failure stays.
///
/// Values that were reached stay reached, so that failures travel only along dependencies. All that waits for a later
/// value fails, on every driver. This includes work that a device has begun because the signal was pending. The work
/// that was to signal runs to its end.
/// @param status  any status but OK
/// @return INVALID_ARGUMENT (OK or no status at all, a length without text). Failing a failed semaphore does nothing.
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_fail(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message);

/// Blocks until `value` is reached. How the thread waits, the parameter `wait` of the device says; a wait with flags of
/// its own is hal_semaphore_list_wait() with one point.
///
/// DEADLINE_EXCEEDED says that this wait took too long. If the semaphore itself failed with DEADLINE_EXCEEDED, every
/// function that waits, and hal_fence_query(), returns ABORTED. hal_semaphore_query() and callbacks tell such a failure
/// as it is.
/// @param timeout_ns  nanoseconds from now; 0 only checks, HAL_TIMEOUT_INFINITE never expires
/// @return DEADLINE_EXCEEDED, the failure of the semaphore (unless `value` was reached before it),
///         OUT_OF_RANGE (`value` is above `max_semaphore_value`, or ahead by more than `max_semaphore_distance`).
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_wait(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns);

/// Blocks until all points are reached, or with HAL_WAIT_ANY until any of them is. An empty list is satisfied at once.
///
/// The semaphores may belong to different devices and drivers.
/// @param out_index  may be NULL. With HAL_WAIT_ANY set to the index of a point that is reached, or whose semaphore
///                   failed first; SIZE_MAX if no point ended the wait: for DEADLINE_EXCEEDED, an empty list and wrong
///                   arguments. Without it set to SIZE_MAX
/// @return DEADLINE_EXCEEDED, the failure of a semaphore: of all points as soon as one fails, with HAL_WAIT_ANY if the
///         first that comes to an end fails; INVALID_ARGUMENT (unknown flags, or several of AUTO, SPIN, YIELD and
///         BLOCK), OUT_OF_RANGE as hal_semaphore_wait().
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_list_wait(hal_semaphore_list_t list, hal_wait_flags_t flags, uint64_t timeout_ns,
                                             size_t* out_index);

/// Asked by a thread that waits whether it is to go on. It may run for any time, and call the library.
typedef bool (*hal_wait_go_on_fn_t)(void* user_data);

/// As hal_semaphore_list_wait(), and asks `go_on` every 50 ms while the thread waits: for Ctrl-C, a cancelled request,
/// a window that was closed. What is waited for goes on. The first question comes after 50 ms. Since 0.2.
/// @param timeout_ns  the time in `go_on` counts
/// @return also CANCELLED once `go_on` has answered false; ABORTED if it throws.
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_list_wait_while(hal_semaphore_list_t list, hal_wait_flags_t flags,
                                                   uint64_t timeout_ns, hal_wait_go_on_fn_t go_on, void* user_data,
                                                   size_t* out_index);

/// Calls `callback` once `value` is reached. If `value` is reached already, or the semaphore has failed, the callback
/// runs within this call. If this call is made in a callback, it runs after that callback returned.
///
/// @param out_timepoint  may be NULL; names the registration for hal_semaphore_cancel()
/// @return OK if the callback was or will be called; OUT_OF_RANGE as hal_semaphore_wait(). Thread-safe.
HAL_API hal_status_t hal_semaphore_notify(hal_semaphore_t* semaphore, uint64_t value, hal_timepoint_fn_t callback,
                                          void* user_data, hal_timepoint_t* out_timepoint);

/// Cancels a registration: its callback is called with CANCELLED within this call, even if this call is made in a
/// callback.
/// @return NOT_FOUND if it was called already or is being called right now. Thread-safe.
HAL_API hal_status_t hal_semaphore_cancel(hal_semaphore_t* semaphore, hal_timepoint_t timepoint);

/// Hands a semaphore out, to be imported by another process, or by another device of this one. All that have it share
/// one timeline: each may signal it, fail it and wait for it, from the host and on the queues of any device.
///
/// If a process ends and has not released its semaphore, the timeline fails for all others with ABORTED. Those that
/// wait hear of it within 100 ms, and a process that only queries with its next query 50 ms later. What was reached
/// stays reached. A child of fork() counts as a part of its parent until it ends or starts another program. A signal
/// goes through the host: a device's work that signals has ended before, and that which waits begins afterwards.
/// @return PERMISSION_DENIED (the semaphore was not made with that kind of handle), UNIMPLEMENTED (that type),
///         RESOURCE_EXHAUSTED (no descriptor), INVALID_ARGUMENT.
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_export(hal_semaphore_t* semaphore, hal_external_semaphore_type_t type,
                                          hal_external_semaphore_t* out_external);

/// Makes a semaphore of one that was exported. Its timeline stands where the other's does, and it can be exported.
///
/// At most 256 semaphores share a timeline. Its values are below 2^63. The one that imports has to be of the same user.
/// @return INVALID_ARGUMENT (no open descriptor), INCOMPATIBLE (a descriptor of something else),
///         PERMISSION_DENIED (of another user, or one that may only be read), UNIMPLEMENTED (that type, or this
///         system), RESOURCE_EXHAUSTED (too many share it), UNAVAILABLE (the system has no /proc).
/// Thread-safe.
HAL_API hal_status_t hal_semaphore_import(hal_device_t* device, const hal_external_semaphore_t* external,
                                          hal_semaphore_t** out_semaphore);

HAL_EXTERN_C_END

#endif  // HALYARD_SEMAPHORE_H_
