// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension by which a device ranks images before it sees them. The core gets it by
/// `hal_device_query_interface(device, hal_string_view(HAL_EXECUTABLE_TARGETS_INTERFACE), 1, &table)` to choose a
/// variant of an executable file. A device that takes one format for one architecture needs none. See
/// docs/executables.md.
///
/// Since 0.1, all of it.
#ifndef HALYARD_EXECUTABLE_TARGETS_H_
#define HALYARD_EXECUTABLE_TARGETS_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension.
#define HAL_EXECUTABLE_TARGETS_INTERFACE "halyard.executable_targets"

/// Version 1 of the extension.
typedef struct hal_executable_targets_interface_t {
  size_t struct_size;  ///< as the driver knows it
  /// How well the device runs images of a format that were made for a target, e.g. "ptx" for "sm_80".
  ///
  /// @param target    an architecture as the format's tools name it; empty if the image is for any
  /// @param out_rank  0 is best; machine code for this very device before what has to be compiled
  /// @return INCOMPATIBLE, with what the device takes. Thread-safe, does not block.
  hal_status_t (*rank)(hal_device_t* device, hal_string_view_t format, hal_string_view_t target, uint32_t* out_rank);
  /// As `rank`, for an image that needs a version of its instruction set, times 10: 85 for PTX ISA 8.5. 0 if it does
  /// not say. NULL, or behind `struct_size`, if the driver does not look at versions. Thread-safe, does not block.
  hal_status_t (*rank_isa)(hal_device_t* device, hal_string_view_t format, hal_string_view_t target,
                           uint32_t isa_version, uint32_t* out_rank);
} hal_executable_targets_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_EXECUTABLE_TARGETS_H_
