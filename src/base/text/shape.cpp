// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/shape.h"

#include <algorithm>
#include <cinttypes>
#include <limits>

namespace halyard {
namespace {

Status CheckNotNegative(const int64_t* sizes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (sizes[i] >= 0) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "sizes[%u] is %" PRId64 "; it must not be negative", i, sizes[i]);
  }
  return kOk;
}

bool HasElements(const hal_shape_t& shape) {
  return std::none_of(shape.sizes, shape.sizes + shape.rank, [](int64_t size) { return size == 0; });
}

/// Elements from the lowest to the highest, both included, along explicit strides.
bool StridedElements(const hal_shape_t& shape, int64_t* out) {
  int64_t lowest = 0;
  int64_t highest = 0;
  for (uint32_t i = 0; i < shape.rank; ++i) {
    int64_t distance = 0;
    if (__builtin_mul_overflow(shape.sizes[i] - 1, shape.strides[i], &distance)) return false;
    int64_t& end = distance < 0 ? lowest : highest;
    if (__builtin_add_overflow(end, distance, &end)) return false;
  }
  return !__builtin_sub_overflow(highest, lowest, out) && !__builtin_add_overflow(*out, 1, out);
}

bool DenseElements(const hal_shape_t& shape, int64_t* out) {
  *out = 1;
  for (uint32_t i = 0; i < shape.rank; ++i) {
    if (__builtin_mul_overflow(*out, shape.sizes[i], out)) return false;
  }
  return true;
}

}  // namespace

Status CheckShape(const hal_shape_t& shape) {
  if (shape.element_type != HAL_ELEMENT_TYPE_NONE && hal_element_type_size(shape.element_type) == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "element type 0x%x is unknown", shape.element_type);
  }
  if (shape.rank > kMaxRank) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the rank is %u; at most %u is possible", shape.rank, kMaxRank);
  }
  if (shape.rank == 0) return kOk;
  if (!shape.sizes) return Fail(HAL_STATUS_INVALID_ARGUMENT, "the rank is %u, but sizes is NULL", shape.rank);
  return CheckNotNegative(shape.sizes, shape.rank);
}

std::optional<uint64_t> ShapeExtent(const hal_shape_t& shape) {
  if (shape.rank > 0 && !HasElements(shape)) return 0;
  int64_t elements = 0;
  if (!(shape.strides ? StridedElements(shape, &elements) : DenseElements(shape, &elements))) return std::nullopt;
  int64_t bytes = 0;
  const auto element_size = static_cast<int64_t>(hal_element_type_size(shape.element_type));
  if (__builtin_mul_overflow(elements, element_size, &bytes)) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

uint64_t ElementsBelowFirst(const hal_shape_t& shape) {
  if (!shape.strides || !HasElements(shape)) return 0;
  int64_t below = 0;
  for (uint32_t i = 0; i < shape.rank; ++i) {
    if (shape.strides[i] < 0) below -= (shape.sizes[i] - 1) * shape.strides[i];
  }
  return static_cast<uint64_t>(below);
}

}  // namespace halyard
