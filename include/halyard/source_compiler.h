// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension by which a device compiles sources to images that it can load. The core gets it by
/// `hal_device_query_interface(device, hal_string_view(HAL_SOURCE_COMPILER_INTERFACE), 1, &table)` when an executable
/// is created of a source. Metal's own language is no case of it: the driver loads that as it is.
///
/// Since 0.2, all of it.
#ifndef HALYARD_SOURCE_COMPILER_H_
#define HALYARD_SOURCE_COMPILER_H_

#include "halyard/base.h"
#include "halyard/executable.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension.
#define HAL_SOURCE_COMPILER_INTERFACE "halyard.source_compiler"

/// Takes what a compiler made; the bytes are valid during the call.
typedef void (*hal_compiled_fn_t)(void* user_data, hal_string_view_t format, const void* data, size_t size);

/// Version 1 of the extension.
typedef struct hal_source_compiler_interface_t {
  size_t struct_size;        ///< as the driver knows it
  hal_string_view_t format;  ///< of sources: "cuda-source"
  /// Compiles a source for the device. Calls `compiled` once if that succeeds.
  ///
  /// @param params  not NULL; its log is called first, if the compiler says anything
  /// @return UNAVAILABLE (no compiler's library is found), ABORTED (the compiler refuses the source; its log is in the
  ///         message), INVALID_ARGUMENT (options). Thread-safe, blocks for as long as the compiler runs.
  hal_status_t (*compile)(hal_device_t* device, hal_string_view_t source, const hal_compile_params_t* params,
                          hal_compiled_fn_t compiled, void* user_data);
} hal_source_compiler_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_SOURCE_COMPILER_H_
