// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided copies as tests write them, and what they must do.
#ifndef HALYARD_TESTS_CTS_TRANSFERS_STRIDED_COPIES_H_
#define HALYARD_TESTS_CTS_TRANSFERS_STRIDED_COPIES_H_

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

#include "cts/device.h"

namespace halyard::cts {

/// A side of a strided copy: the first byte and the pitches.
struct Strides {
  uint64_t offset = 0;
  uint64_t row = 0;    ///< 0 for rows without a gap
  uint64_t slice = 0;  ///< 0 for slices without a gap
};

/// What is copied, and from where to where.
struct Box {
  const char* name;
  uint64_t width;
  uint64_t height;
  uint64_t depth;
  Strides source;
  Strides target;
};
inline void PrintTo(const Box& box, std::ostream* out) { *out << box.name; }

inline hal_strided_copy_params_t StridedCopy(const Box& box, const Buffer& source, const Buffer& target) {
  hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
  params.source = Ref(source, box.source.offset);
  params.target = Ref(target, box.target.offset);
  params.width = box.width;
  params.height = box.height;
  params.depth = box.depth;
  params.source_row_pitch = box.source.row;
  params.source_slice_pitch = box.source.slice;
  params.target_row_pitch = box.target.row;
  params.target_slice_pitch = box.target.slice;
  return params;
}

/// Where a byte of a box is in a buffer.
inline uint64_t PlaceOf(const Box& box, const Strides& side, uint64_t x, uint64_t y, uint64_t z) {
  const uint64_t row = side.row != 0 && box.height > 1 ? side.row : box.width;
  const uint64_t slice = side.slice != 0 && box.depth > 1 ? side.slice : box.height * row;
  return side.offset + z * slice + y * row + x;
}

/// The first byte of a buffer that a box does not need.
inline uint64_t EndOf(const Box& box, const Strides& side) {
  if (box.width == 0 || box.height == 0 || box.depth == 0) return side.offset;
  return PlaceOf(box, side, box.width - 1, box.height - 1, box.depth - 1) + 1;
}

/// Byte for byte what the copy must do.
inline void CopyInModel(const Box& box, const std::vector<uint8_t>& source, std::vector<uint8_t>* target) {
  for (uint64_t z = 0; z < box.depth; ++z) {
    for (uint64_t y = 0; y < box.height; ++y) {
      for (uint64_t x = 0; x < box.width; ++x) {
        (*target)[PlaceOf(box, box.target, x, y, z)] = source[PlaceOf(box, box.source, x, y, z)];
      }
    }
  }
}

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_TRANSFERS_STRIDED_COPIES_H_
