// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Executable caches: the same bytes are prepared once.
///
/// Since 0.1, all of it.
#ifndef HALYARD_EXECUTABLE_CACHE_H_
#define HALYARD_EXECUTABLE_CACHE_H_

#include "halyard/base.h"
#include "halyard/blob_store.h"
#include "halyard/executable.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What a cache stores beyond its life. Either a directory or a store, or neither.
typedef struct hal_executable_cache_params_t {
  size_t struct_size;             ///< sizeof(hal_executable_cache_params_t)
  hal_string_view_t directory;    ///< a folder for what drivers compiled, made if missing; empty for none
  uint64_t directory_limit;       ///< bytes in that folder, 0 for 1 GiB; the least recently used blobs go first
  const hal_blob_store_t* blobs;  ///< a store of the caller's, which must outlive the cache; or NULL
} hal_executable_cache_params_t;

/// Makes an empty cache for one device.
///
/// With a directory, later processes find what a driver compiled: machine code from PTX, Metal's binary archives,
/// Vulkan's pipeline caches. The key of an entry has content, device and driver versions. Any number of processes may
/// share a folder. Truncated or damaged files are created again, with a line in the log. Drivers that compile nothing,
/// like the local one, store nothing.
///
/// @param params  NULL for a cache that lives in memory only
/// @return INVALID_ARGUMENT (both, no folder), PERMISSION_DENIED (the folder cannot be written, it or a folder around
/// it
///         belongs to another user than this one or root, or every user may write there: the process runs what is in
///         it). A folder on a read-only file system is only read. Thread-safe.
HAL_API hal_status_t hal_executable_cache_create(hal_device_t* device, const hal_executable_cache_params_t* params,
                                                 hal_executable_cache_t** out_cache);
/// Keeps a cache alive. Thread-safe.
HAL_API void hal_executable_cache_retain(hal_executable_cache_t* cache);
/// Releases a reference; executables that came from it stay valid. Thread-safe.
HAL_API void hal_executable_cache_release(hal_executable_cache_t* cache);

/// Returns the executable for the same image (by content), exports and specialisation, preparing it at the first call.
///
/// A file is read at each call, so a changed file is prepared again. The cache keeps executables until it is trimmed or
/// destroyed. Two threads that prepare the same one at the same time get the same object.
/// @return as hal_executable_create(). Thread-safe, may block as hal_executable_create() does.
HAL_API hal_status_t hal_executable_cache_prepare(hal_executable_cache_t* cache, const hal_executable_params_t* params,
                                                  hal_executable_t** out_executable);
/// Releases executables that only the cache uses. Thread-safe.
HAL_API hal_status_t hal_executable_cache_trim(hal_executable_cache_t* cache);

HAL_EXTERN_C_END

#endif  // HALYARD_EXECUTABLE_CACHE_H_
