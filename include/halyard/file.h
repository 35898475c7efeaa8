// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Files: sources and targets of queue reads and writes.
///
/// Since 0.1, all of it.
#ifndef HALYARD_FILE_H_
#define HALYARD_FILE_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What a file is opened for.
typedef uint64_t hal_file_access_t;
/// Queue reads.
#define HAL_FILE_ACCESS_READ 0x1ull
/// Queue writes.
#define HAL_FILE_ACCESS_WRITE 0x2ull

/// Called once when a file no longer needs the memory it was made of. The library holds no lock; the function must not
/// block. An exception is logged.
typedef void (*hal_file_release_fn_t)(void* user_data);

/// Opens an existing file by path. Nothing is created or cut: its length stays as it is.
/// @return NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (access, or no regular file). Thread-safe, may block on the
///         file system.
HAL_API hal_status_t hal_file_open(hal_string_view_t path, hal_file_access_t access, hal_file_t** out_file);

/// Makes a file of memory of the caller, which must stay valid until `release` (may be NULL) is called.
/// If the call fails, `release` is not called. Thread-safe.
HAL_API hal_status_t hal_file_from_memory(void* data, uint64_t length, hal_file_access_t access,
                                          hal_file_release_fn_t release, void* user_data, hal_file_t** out_file);

/// Makes a file of an open POSIX descriptor of a regular file. The descriptor is used by absolute offset, its position
/// stays; it must stay open until the file is destroyed, and is not closed.
/// @return INVALID_ARGUMENT (not open, no regular file, opened for less than `access`, or to append), UNIMPLEMENTED (a
///         system without POSIX descriptors). Thread-safe.
HAL_API hal_status_t hal_file_from_descriptor(int descriptor, hal_file_access_t access, hal_file_t** out_file);

/// Keeps a file alive. Thread-safe.
HAL_API void hal_file_retain(hal_file_t* file);
/// Releases a reference; work submitted with the file keeps it alive. Thread-safe.
HAL_API void hal_file_release(hal_file_t* file);
/// The length in bytes when it was opened; 0 for NULL. Thread-safe.
HAL_API uint64_t hal_file_length(hal_file_t* file);

HAL_EXTERN_C_END

#endif  // HALYARD_FILE_H_
