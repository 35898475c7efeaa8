// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroup sizes that a kernel was compiled for.
#ifndef HALYARD_CORE_VALIDATION_EXACT_SIZE_H_
#define HALYARD_CORE_VALIDATION_EXACT_SIZE_H_

#include <cstddef>

#include "base/status.h"
#include "driver_kit/device/limit_checks.h"
#include "function/fixed_sides.h"
#include "halyard/executable.h"

namespace halyard {

/// Whether a driver knows the fields of an export that say how it is launched. One that was built before has none.
inline bool HasLaunchRules(const hal_export_info_t& info) {
  return info.struct_size >= offsetof(hal_export_info_t, fixed_sides);
}

/// The sides of its workgroups that no dispatch may change. Of a driver that was built before there were any: none.
inline hal_dim3_t FixedSidesOf(const hal_export_info_t& info) {
  return info.struct_size >= offsetof(hal_export_info_t, reserved2) ? info.fixed_sides : hal_dim3_t{0, 0, 0};
}

/// Whether an export with launch rules can have workgroups of that size.
inline bool CanHaveSize(const hal_export_info_t& info, const hal_dim3_t& size) {
  if ((info.flags & HAL_EXPORT_EXACT_WORKGROUP_SIZE) == 0) return true;
  if (const hal_dim3_t fixed = FixedSidesOf(info); IsAnyFixed(fixed)) return HasFixedSides(size, fixed);
  const hal_dim3_t& own = info.workgroup_size;
  // Where x is open, an older driver leaves out which other sides are fixed.
  return own.x == 0 || (size.x == own.x && size.y == own.y && size.z == own.z);
}

/// Whether an export with launch rules was compiled for workgroups of so many work-items.
inline bool CanHaveVolume(const hal_export_info_t& info, const hal_dim3_t& size) {
  return info.max_workgroup_volume == 0 || HasVolume(size, info.max_workgroup_volume);
}

/// INVALID_ARGUMENT if an export cannot have workgroups of that size, with both sizes. Passes what an older driver does
/// not know. `argument` is the size's name in the message.
Status CheckExactSize(const char* argument, const hal_export_info_t& info, const hal_dim3_t& size);
/// OUT_OF_RANGE if an export with launch rules was compiled for less, with both numbers.
Status CheckCompiledVolume(const char* argument, const hal_export_info_t& info, const hal_dim3_t& size);

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_EXACT_SIZE_H_
