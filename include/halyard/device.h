// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Devices: what they are, what they can do, and their extensions. What they are made of: halyard/device_properties.h.
///
/// Since 0.1, all of it.
#ifndef HALYARD_DEVICE_H_
#define HALYARD_DEVICE_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Bounds that a device sets. UINT64_MAX or UINT32_MAX where there is none.
typedef struct hal_device_limits_t {
  size_t struct_size;               ///< sizeof(hal_device_limits_t) as the library knows it
  uint64_t max_semaphore_value;     ///< the largest value of a timeline
  uint64_t max_semaphore_distance;  ///< the most that a value may exceed the timeline's when it is waited for or its
                                    ///< signal submitted
  hal_dim3_t max_workgroup_count;   ///< in each dimension
  hal_dim3_t max_workgroup_size;    ///< in each dimension
  uint32_t max_workgroup_volume;    ///< work-items in a workgroup
  uint32_t max_local_memory;        ///< bytes for a workgroup, declared and dynamic together
  uint32_t max_constants_size;      ///< bytes for a dispatch
  uint32_t max_bindings;            ///< for a dispatch
  uint32_t max_descriptor_sets;     ///< of a pipeline layout
  uint32_t binding_alignment;  ///< bytes, a power of two: a binding's offset in its allocation is a multiple of it;
                               ///< 1 if kernels need no more than their own types do
  uint64_t max_binding_range;  ///< bytes of one binding
  uint64_t max_numbers_size;   ///< bytes of the block of numbers of one execution; 0 of a driver that takes none
} hal_device_limits_t;

/// What a device is. Owned by the device and valid as long as it lives. Check `struct_size` before you read fields
/// that are newer than the library you require.
typedef struct hal_device_info_t {
  size_t struct_size;                 ///< sizeof(hal_device_info_t) as the library knows it
  hal_string_view_t driver;           ///< name of its driver: "local"
  hal_string_view_t id;               ///< names it among the driver's devices, stable across runs: "task", a UUID
  hal_string_view_t name;             ///< for people: "NVIDIA H200"
  uint32_t ordinal;                   ///< its number among the driver's devices, in their order of enumeration
  uint32_t queue_count;               ///< queues; bit i of a hal_queue_mask_t is queue i
  const hal_device_limits_t* limits;  ///< bounds; never NULL
} hal_device_info_t;

/// Keeps a device alive. Thread-safe.
HAL_API void hal_device_retain(hal_device_t* device);
/// Releases a reference. The device is destroyed once its children and its submitted work are. Thread-safe.
HAL_API void hal_device_release(hal_device_t* device);

/// What the device is; NULL for NULL. Thread-safe.
HAL_API const hal_device_info_t* hal_device_info(hal_device_t* device);

/// The device's allocator, not retained for the caller; NULL for NULL. Thread-safe.
HAL_API hal_allocator_t* hal_device_allocator(hal_device_t* device);

/// Whether the device runs executables of a format: OK, or INCOMPATIBLE with the formats that it takes.
/// Thread-safe.
HAL_API hal_status_t hal_device_query_format(hal_device_t* device, hal_string_view_t format);

/// Whether the device still works: OK, or DEVICE_LOST with the cause. Thread-safe, never blocks.
HAL_API hal_status_t hal_device_query_health(hal_device_t* device);

/// Blocks until all that was submitted to the device before is over: each operation has ended, the callbacks of
/// timepoints that its signals reach have run, and the memory and objects that it kept are released, with their release
/// callbacks. A wait returns earlier: when the value is reached. Call it before callbacks lose what they use.
///
/// What other threads submit meanwhile is not waited for. An operation whose waits nothing satisfies is never over.
/// Failed operations and those of a lost device are over as soon as they have failed.
/// @param timeout_ns  nanoseconds from now; 0 only checks, HAL_TIMEOUT_INFINITE never expires
/// @return DEADLINE_EXCEEDED (the message counts what is not over), FAILED_PRECONDITION (called in a callback or on a
///         thread of the library, which it would wait for), UNIMPLEMENTED (a plugin that was built before there was
///         this function). Thread-safe.
HAL_API hal_status_t hal_device_drain(hal_device_t* device, uint64_t timeout_ns);

/// Asks for an extension's function table by name, e.g. "halyard.cuda.interop".
///
/// Works alike for built-in and plugin drivers. A table begins with `size_t struct_size`.
/// @param version  the least version of the extension; later versions only add
/// @return UNIMPLEMENTED (the device has no such extension, or an older version). Thread-safe.
HAL_API hal_status_t hal_device_query_interface(hal_device_t* device, hal_string_view_t name, uint32_t version,
                                                const void** out_table);

HAL_EXTERN_C_END

#endif  // HALYARD_DEVICE_H_
