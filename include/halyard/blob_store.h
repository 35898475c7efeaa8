// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Blob stores: where drivers store results that are costly to compute, beyond the life of the process.
///
/// An executable cache with a directory has one of its own. An application with other storage (a database, an asset
/// bundle, a network) fills in a store. It passes the store to the cache, or to hal_executable_create() directly.
#ifndef HALYARD_BLOB_STORE_H_
#define HALYARD_BLOB_STORE_H_

#include "halyard/base.h"

HAL_EXTERN_C_BEGIN

/// Receives a blob that was found. The bytes are valid until it returns.
typedef void (*hal_blob_found_fn_t)(void* user_data, const void* data, size_t size);

/// Stores blobs by key. A lost blob costs time and nothing else, so neither function can fail. A loaded blob must be
/// complete and must be the one that was stored under that key, because drivers use it without a check.
///
/// Keys are texts of printable ASCII without spaces. A key names all that the blob depends on: the driver, the device's
/// architecture, the vendor's versions, options, and a hash of the contents. Both functions must be thread-safe. The
/// library calls them while executables are created. They may block, and must not call the library.
typedef struct hal_blob_store_t {
  size_t struct_size;  ///< sizeof(hal_blob_store_t)
  void* context;       ///< first argument of both
  /// Calls `found` once if there is a blob under `key`. @return whether there is
  bool (*load)(void* context, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data);
  /// Stores a blob and replaces the one under `key`, if there is one.
  void (*store)(void* context, hal_string_view_t key, const void* data, size_t size);
} hal_blob_store_t;

HAL_EXTERN_C_END

#endif  // HALYARD_BLOB_STORE_H_
