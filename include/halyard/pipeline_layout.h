// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Descriptor set layouts and pipeline layouts: which resources an export takes. Plain data.
///
/// No driver reads a layout at a dispatch. It can stand for an export's parameters when an executable is made, and each
/// export tells its own. `examples/order` reads one.
///
/// Since 0.1, all of it.
#ifndef HALYARD_PIPELINE_LAYOUT_H_
#define HALYARD_PIPELINE_LAYOUT_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What a kernel does with a binding.
typedef enum hal_binding_access_t {
  HAL_BINDING_ACCESS_READ_WRITE = 0,
  HAL_BINDING_ACCESS_READ = 1,
  HAL_BINDING_ACCESS_WRITE = 2,
  HAL_BINDING_ACCESS_FORCE_32 = HAL_ENUM_FORCE_32
} hal_binding_access_t;

/// One binding of a descriptor set. A frozen struct.
typedef struct hal_descriptor_binding_t {
  uint32_t binding;             ///< its number within the set; numbers may have gaps
  hal_binding_access_t access;  ///< what kernels do with it
} hal_descriptor_binding_t;

/// Makes the layout of one descriptor set.
/// @param bindings  in rising order of their numbers
/// @return INVALID_ARGUMENT (order, a number twice), OUT_OF_RANGE (more than the device's `max_bindings`).
/// Thread-safe.
HAL_API hal_status_t hal_descriptor_set_layout_create(hal_device_t* device, size_t binding_count,
                                                      const hal_descriptor_binding_t* bindings,
                                                      hal_descriptor_set_layout_t** out_layout);
/// Keeps a layout alive. Thread-safe.
HAL_API void hal_descriptor_set_layout_retain(hal_descriptor_set_layout_t* layout);
/// Releases a reference. Thread-safe.
HAL_API void hal_descriptor_set_layout_release(hal_descriptor_set_layout_t* layout);
/// The bindings; lives as long as the layout. `*out_count` is 0 for NULL. Thread-safe.
HAL_API const hal_descriptor_binding_t* hal_descriptor_set_layout_bindings(hal_descriptor_set_layout_t* layout,
                                                                           size_t* out_count);

/// Makes the layout of all that an export takes: sets (in order, NULL for an unused one) and constant bytes.
///
/// The flat list of bindings that a dispatch gives runs through the sets in order, and through each set by number.
/// @return OUT_OF_RANGE (more bindings, sets or constant bytes than the device takes), INVALID_ARGUMENT.
/// Thread-safe.
HAL_API hal_status_t hal_pipeline_layout_create(hal_device_t* device, size_t set_count,
                                                hal_descriptor_set_layout_t* const* sets, uint32_t constants_size,
                                                hal_pipeline_layout_t** out_layout);
/// Keeps a layout alive. Thread-safe.
HAL_API void hal_pipeline_layout_retain(hal_pipeline_layout_t* layout);
/// Releases a reference. Thread-safe.
HAL_API void hal_pipeline_layout_release(hal_pipeline_layout_t* layout);
/// The number of sets; 0 for NULL. Thread-safe.
HAL_API size_t hal_pipeline_layout_set_count(hal_pipeline_layout_t* layout);
/// Set `index`, not retained for the caller; NULL if unused or out of range. Thread-safe.
HAL_API hal_descriptor_set_layout_t* hal_pipeline_layout_set(hal_pipeline_layout_t* layout, size_t index);
/// The number of bindings over all sets; 0 for NULL. Thread-safe.
HAL_API size_t hal_pipeline_layout_binding_count(hal_pipeline_layout_t* layout);
/// The bytes of constants; 0 for NULL. Thread-safe.
HAL_API uint32_t hal_pipeline_layout_constants_size(hal_pipeline_layout_t* layout);

HAL_EXTERN_C_END

#endif  // HALYARD_PIPELINE_LAYOUT_H_
