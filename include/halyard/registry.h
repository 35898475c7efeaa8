// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The registry: drivers by name, devices by URI.
///
/// A device URI is `driver`, `driver://`, `driver://<id>` or `driver://<ordinal>`, with parameters as
/// `?key=value&key=value`: `local`, `local://sync`, `local://task?threads=4`, `cuda://0`. Without an id it names the
/// driver's default device. `%XX` stands for the byte with that hexadecimal number in ids, keys and values, such as
/// `%26` for `&`, `%3F` for `?` and `%25` for `%` itself. The driver's page in docs/ lists its parameters. An unknown
/// parameter is an error, and so is a repeated one.
///
/// Since 0.1, all of it.
#ifndef HALYARD_REGISTRY_H_
#define HALYARD_REGISTRY_H_

#include "halyard/base.h"
#include "halyard/device.h"
#include "halyard/device_properties.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// A key and its value, for drivers and devices. A frozen struct.
typedef struct hal_key_value_t {
  /// What is set.
  hal_string_view_t key;
  /// What it is set to.
  hal_string_view_t value;
} hal_key_value_t;

/// A driver that a registry knows. `struct_size` is that of the caller. Strings live as long as the registry.
typedef struct hal_driver_info_t {
  size_t struct_size;             ///< sizeof(hal_driver_info_t)
  hal_string_view_t name;         ///< as in URIs
  hal_string_view_t description;  ///< one line for people
  bool is_plugin;                 ///< it came from a shared library
} hal_driver_info_t;

/// A device that a driver can open. `struct_size` is that of the caller. Strings live as long as the driver.
typedef struct hal_device_summary_t {
  size_t struct_size;      ///< sizeof(hal_device_summary_t)
  hal_string_view_t id;    ///< names it among the driver's devices
  hal_string_view_t name;  ///< for people
} hal_device_summary_t;

/// The registry of the process, with every built-in driver. Created at the first call, destroyed by hal_shutdown();
/// releasing it is not needed. Thread-safe.
HAL_API hal_registry_t* hal_registry_default(void);

/// Makes a registry of its own, with every built-in driver. Thread-safe.
HAL_API hal_status_t hal_registry_create(hal_registry_t** out_registry);
/// Keeps a registry alive. Thread-safe.
HAL_API void hal_registry_retain(hal_registry_t* registry);
/// Releases a reference; drivers and devices opened through it stay valid. Thread-safe.
HAL_API void hal_registry_release(hal_registry_t* registry);

/// Loads a driver from a shared library (see halyard/driver_api.h). It is never unloaded.
/// @return NOT_FOUND (file), INCOMPATIBLE (no Halyard plugin, or made for another ABI version), ALREADY_EXISTS (name),
///         INVALID_ARGUMENT (an empty path, or a zero byte in it).
/// Thread-safe, may block on the loader.
HAL_API hal_status_t hal_registry_load_plugin(hal_registry_t* registry, hal_string_view_t path);

/// Lists the drivers, whether or not they can run here. `*count` as in hal_allocator_query_heaps(). Set `struct_size`
/// of every element first. Thread-safe.
HAL_API hal_status_t hal_registry_list_drivers(hal_registry_t* registry, size_t* count, hal_driver_info_t* drivers);

/// Opens a driver: loads its vendor's library where it has one. Opened once for each registry, then shared.
/// @return NOT_FOUND (with the drivers that exist), UNAVAILABLE (with the vendor library's name and the loader's
///         message). Thread-safe, may block on the loader.
HAL_API hal_status_t hal_registry_open_driver(hal_registry_t* registry, hal_string_view_t name,
                                              hal_driver_t** out_driver);

/// Opens a device by URI; `pairs` adds to the parameters in the URI and wins over them.
/// @return NOT_FOUND (driver or device, with those that exist), INVALID_ARGUMENT (malformed URI, unknown, malformed or
///         repeated parameter, with those that are known), UNAVAILABLE. Thread-safe, may block.
HAL_API hal_status_t hal_registry_create_device(hal_registry_t* registry, hal_string_view_t uri, size_t pair_count,
                                                const hal_key_value_t* pairs, hal_device_t** out_device);

/// Opens a device by URI through the default registry. As hal_registry_create_device().
HAL_API hal_status_t hal_device_create(hal_string_view_t uri, hal_device_t** out_device);

/// Keeps a driver alive. Thread-safe.
HAL_API void hal_driver_retain(hal_driver_t* driver);
/// Releases a reference. Thread-safe.
HAL_API void hal_driver_release(hal_driver_t* driver);
/// Lists the devices; the first is the default. `*count` as in hal_allocator_query_heaps(). Set `struct_size` of every
/// element first. Thread-safe, may block.
HAL_API hal_status_t hal_driver_list_devices(hal_driver_t* driver, size_t* count, hal_device_summary_t* devices);
/// What a device is made of and what it can do, without opening it: no context, queue or thread is made, and no memory
/// of the device is taken. For a program that chooses among devices.
///
/// Limits are those of a device that is opened without parameters. Properties are those of
/// hal_device_query_properties(), except `extensions`, which are empty. What they point to lives as long as the driver.
/// @param id  as for hal_driver_create_device()
/// @param out_properties  NULL if they are not asked for
/// @param out_limits      NULL if they are not asked for
/// @return NOT_FOUND (with the devices that exist), INVALID_ARGUMENT (a struct without `struct_size`), UNIMPLEMENTED (a
///         plugin that was built before there was this function). Thread-safe, may block.
HAL_API hal_status_t hal_driver_query_device(hal_driver_t* driver, hal_string_view_t id,
                                             hal_device_properties_t* out_properties, hal_device_limits_t* out_limits);

/// Opens a device of the driver by id, ordinal ("0") or, with the empty string, the default one.
/// As hal_registry_create_device(). Thread-safe, may block.
HAL_API hal_status_t hal_driver_create_device(hal_driver_t* driver, hal_string_view_t id, size_t pair_count,
                                              const hal_key_value_t* pairs, hal_device_t** out_device);

/// Called once, when the last reference to a wrapped device is released and the driver no longer uses what it was made
/// of. A device that was lost and may work until the process ends is never released; the log says so. Runs on any
/// thread, with no lock of the library held. May call the library and must not block. An exception is logged.
typedef void (*hal_device_release_fn_t)(void* user_data);

/// Makes a device of one that the application has opened with the vendor's own API. The driver destroys nothing of the
/// application's.
///
/// `name` is that of the driver's extension, such as HAL_VULKAN_INTEROP_INTERFACE; its header says what `native` points
/// to. The call reads that structure, and the arrays and text that it points to; they may go when it returns. The
/// objects of the vendor's API that it names (instance, device, queues) must stay as they are until `release` is
/// called; `release` may be NULL. If the call fails, `release` is not called. `pairs` are parameters as in
/// hal_driver_create_device().
/// @return UNIMPLEMENTED (the driver wraps no devices, or none of that name), INCOMPATIBLE (the driver needs what the
///         device was opened without, with its name), INVALID_ARGUMENT. Thread-safe, may block.
HAL_API hal_status_t hal_driver_wrap_device(hal_driver_t* driver, hal_string_view_t name, const void* native,
                                            size_t pair_count, const hal_key_value_t* pairs,
                                            hal_device_release_fn_t release, void* user_data,
                                            hal_device_t** out_device);

HAL_EXTERN_C_END

#endif  // HALYARD_REGISTRY_H_
