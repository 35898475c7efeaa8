// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sides of a workgroup that no dispatch may change, though others are open (hal_export_info_t::fixed_sides).
#ifndef HALYARD_FUNCTION_FIXED_SIDES_H_
#define HALYARD_FUNCTION_FIXED_SIDES_H_

#include "halyard/base.h"

namespace halyard {

/// Whether any side is fixed.
constexpr bool IsAnyFixed(const hal_dim3_t& fixed) { return fixed.x > 0 || fixed.y > 0 || fixed.z > 0; }

/// Whether a size has the sides that are fixed.
constexpr bool HasFixedSides(const hal_dim3_t& size, const hal_dim3_t& fixed) {
  return (fixed.x == 0 || size.x == fixed.x) && (fixed.y == 0 || size.y == fixed.y) &&
         (fixed.z == 0 || size.z == fixed.z);
}

}  // namespace halyard

#endif  // HALYARD_FUNCTION_FIXED_SIDES_H_
