// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Blob stores: where drivers keep, beyond the life of the process, what is costly to make again.
///
/// An executable cache with a directory has one of its own. An application that keeps such things elsewhere - in its
/// database, its asset bundle, behind a network - fills in a store and gives it to the cache, or to
/// hal_executable_create() directly.
#ifndef HALYARD_BLOB_STORE_H_
#define HALYARD_BLOB_STORE_H_

#include "halyard/base.h"

HAL_EXTERN_C_BEGIN

/// Receives a blob that was found. The bytes are good until it returns.
typedef void (*hal_blob_found_fn_t)(void* user_data, const void* data, size_t size);

/// Keeps blobs by key. What it loses costs time and nothing else, so neither function can fail; what it returns must be
/// what was stored under that key, whole, as drivers load it without another look.
///
/// Keys are texts of printable ASCII without spaces. A driver puts into them all that the blob depends on: its own
/// name, the device's architecture, the vendor's versions, options, and a hash of the contents. Both functions must be
/// thread-safe; they are called while executables are made, may block, and must not call the library.
typedef struct hal_blob_store_t {
  size_t struct_size;  ///< sizeof(hal_blob_store_t)
  void* context;       ///< first argument of both
  /// Calls `found` once if there is a blob under `key`. @return whether there is
  bool (*load)(void* context, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data);
  /// Keeps a blob, instead of what was there under `key`.
  void (*store)(void* context, hal_string_view_t key, const void* data, size_t size);
} hal_blob_store_t;
#define HAL_BLOB_STORE_INIT HAL_INIT_STRUCT(hal_blob_store_t, sizeof(hal_blob_store_t), NULL, NULL, NULL)
/// HAL_BLOB_STORE_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible. Since 0.1.
HAL_API void hal_blob_store_initialize(hal_blob_store_t* out, size_t struct_size);

HAL_EXTERN_C_END

#endif  // HALYARD_BLOB_STORE_H_
