// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Device groups: several devices, of any drivers, that work together. A group knows what connects them, and records
/// one trace of all of them. Nothing in it schedules: the application says which device does what.
///
/// Operations of the devices wait for each other's semaphores as those of one device do, and hal_semaphore_list_wait()
/// takes points of all of them. See docs/devices.md.
///
/// Since 0.1, all of it.
#ifndef HALYARD_DEVICE_GROUP_H_
#define HALYARD_DEVICE_GROUP_H_

#include "halyard/base.h"
#include "halyard/device_properties.h"
#include "halyard/profiling.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// The most devices of a group.
#define HAL_DEVICE_GROUP_MAX 256

/// Makes a group and finds out what connects its devices, each with each. The group keeps the devices.
/// @param devices  each once, in the order in which the group numbers them
/// @return INVALID_ARGUMENT (none, a NULL, a device twice), OUT_OF_RANGE (more than HAL_DEVICE_GROUP_MAX), DEVICE_LOST.
/// Thread-safe.
HAL_API hal_status_t hal_device_group_create(size_t device_count, hal_device_t* const* devices,
                                             hal_device_group_t** out_group);
/// Keeps a group alive. Thread-safe.
HAL_API void hal_device_group_retain(hal_device_group_t* group);
/// Releases a reference. A session of the group's that is under way ends with the last one. Thread-safe.
HAL_API void hal_device_group_release(hal_device_group_t* group);

/// How many devices it has; 0 for NULL. Thread-safe.
HAL_API size_t hal_device_group_count(hal_device_group_t* group);
/// One of its devices, for which the group has a reference; NULL if there is none of that number. Thread-safe.
HAL_API hal_device_t* hal_device_group_device(hal_device_group_t* group, size_t index);
/// What connects the device `from` to the device `to`, as hal_device_query_peer() said when the group was made. Valid
/// as long as the group; NULL if there is no such device. Thread-safe.
HAL_API const hal_peer_properties_t* hal_device_group_peer(hal_device_group_t* group, size_t from, size_t to);

/// Begins a profiling session of each device, all with one sink. Times of all records are of one clock, the host's
/// (CLOCK_MONOTONIC): each driver compares its device's clock with that one as its session begins. If one device has no
/// session to begin, none has.
/// @return as hal_device_profiling_begin(), with the number of the device in the message. Thread-safe.
HAL_API hal_status_t hal_device_group_profiling_begin(hal_device_group_t* group, hal_profiling_flags_t flags,
                                                      const hal_profiling_sink_t* sink);
/// Ends the sessions that hal_device_group_profiling_begin() began. When it returns, the sink is never called again.
/// @return FAILED_PRECONDITION (no session of the group). Thread-safe.
HAL_API hal_status_t hal_device_group_profiling_end(hal_device_group_t* group);

HAL_EXTERN_C_END

#endif  // HALYARD_DEVICE_GROUP_H_
