// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Executable caches: the same bytes are prepared once.
#ifndef HALYARD_EXECUTABLE_CACHE_H_
#define HALYARD_EXECUTABLE_CACHE_H_

#include "halyard/base.h"
#include "halyard/executable.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Makes an empty cache for one device. Thread-safe. Since 0.1.
HAL_API hal_status_t hal_executable_cache_create(hal_device_t* device, hal_executable_cache_t** out_cache);
/// Keeps a cache alive. Thread-safe. Since 0.1.
HAL_API void hal_executable_cache_retain(hal_executable_cache_t* cache);
/// Gives a reference back; executables that came from it live on. Thread-safe. Since 0.1.
HAL_API void hal_executable_cache_release(hal_executable_cache_t* cache);

/// Returns the executable for the same image (by content), exports and specialisation, preparing it at the first call.
///
/// A file is read at each call, so that a changed one is prepared anew. The cache keeps what it prepared until it is
/// trimmed or destroyed. Two threads that ask for the same one at the same time get the same object.
/// @return as hal_executable_create(). Thread-safe, may block as hal_executable_create() does. Since 0.1.
HAL_API hal_status_t hal_executable_cache_prepare(hal_executable_cache_t* cache, const hal_executable_params_t* params,
                                                  hal_executable_t** out_executable);
/// Forgets executables that nobody else uses. Thread-safe. Since 0.1.
HAL_API hal_status_t hal_executable_cache_trim(hal_executable_cache_t* cache);

HAL_EXTERN_C_END

#endif  // HALYARD_EXECUTABLE_CACHE_H_
