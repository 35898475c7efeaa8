// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and sizes of shapes: those of buffer views and those that bindings carry.
#ifndef HALYARD_BASE_TEXT_SHAPE_H_
#define HALYARD_BASE_TEXT_SHAPE_H_

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "halyard/buffer_view.h"

namespace halyard {

/// The most dimensions of a shape; what array libraries commonly take.
inline constexpr uint32_t kMaxRank = 64;

/// Checks rank, sizes and element type (NONE is fine). Strides may be negative. The messages name no function.
Status CheckShape(const hal_shape_t& shape);

/// The bytes from the lowest element to the end of the highest one, for a shape that CheckShape() accepts and that has
/// an element type; 0 if it has no elements. Empty if that is more than 2^63 - 1.
std::optional<uint64_t> ShapeExtent(const hal_shape_t& shape);

/// Elements from the lowest one to the one with index 0 in each dimension; more than 0 with negative strides only. The
/// shape has an extent.
uint64_t ElementsBelowFirst(const hal_shape_t& shape);

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_SHAPE_H_
