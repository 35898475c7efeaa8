// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a strided copy moves, in as few dimensions as that takes.
#ifndef HALYARD_DRIVER_KIT_QUEUE_COPY_BOX_H_
#define HALYARD_DRIVER_KIT_QUEUE_COPY_BOX_H_

#include <algorithm>
#include <cstdint>

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Bytes from one row, and from one slice, to the next.
struct CopyPitch {
  uint64_t row = 0;
  uint64_t slice = 0;

  friend bool operator==(const CopyPitch&, const CopyPitch&) = default;
};

/// `depth` slices of `height` rows of `width` bytes. A pitch is 0 where there is no next one.
struct CopyBox {
  uint64_t width = 0;
  uint64_t height = 0;
  uint64_t depth = 0;
  CopyPitch source;
  CopyPitch target;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  bool is_row() const { return height == 1 && depth == 1; }
  uint64_t bytes() const { return width * height * depth; }
  uint64_t largest_row_pitch() const { return std::max(source.row, target.row); }

  friend bool operator==(const CopyBox&, const CopyBox&) = default;
};

/// The box of a command, whose pitches the core has filled in. Rows without a gap on both sides become one row, and
/// slices of one row become rows. If it has rows and slices, slice pitches are multiples of row pitches.
CopyBox BoxOf(const hal_strided_copy_params_t& params);

/// A part of a box, and where it begins on each side, in bytes.
struct CopyPiece {
  CopyBox box;
  uint64_t source = 0;
  uint64_t target = 0;
};

/// The parts of a box, one after the other: of at most `most` bytes each, and `most_rows` rows. Whole slices if they
/// fit, else whole rows, else parts of rows.
class CopyPieces {
 public:
  CopyPieces() = default;
  CopyPieces(const CopyBox& box, uint64_t most, uint64_t most_rows) : box_(box), finished_(box.empty()) {
    if (finished_) return;
    width_ = std::min(box.width, most);
    const uint64_t rows = width_ < box.width ? 1 : std::min(most / width_, most_rows);
    height_ = std::min(box.height, rows);
    depth_ = height_ < box.height ? 1 : std::min(box.depth, rows / height_);
  }

  bool finished() const { return finished_; }
  /// The next part; there must be one.
  CopyPiece Next() {
    const CopyPiece piece = {{std::min(width_, box_.width - x_), std::min(height_, box_.height - y_),
                              std::min(depth_, box_.depth - z_), box_.source, box_.target},
                             z_ * box_.source.slice + y_ * box_.source.row + x_,
                             z_ * box_.target.slice + y_ * box_.target.row + x_};
    Advance();
    return piece;
  }

 private:
  void Advance() {
    if ((x_ += width_) < box_.width) return;
    x_ = 0;
    if ((y_ += height_) < box_.height) return;
    y_ = 0;
    finished_ = (z_ += depth_) >= box_.depth;
  }

  CopyBox box_;
  uint64_t width_ = 0;
  uint64_t height_ = 0;
  uint64_t depth_ = 0;
  uint64_t x_ = 0;
  uint64_t y_ = 0;
  uint64_t z_ = 0;
  bool finished_ = true;
};

/// Calls `visit(piece)` for the parts of a box, see CopyPieces, until one fails.
template <class Visit>
Status ForEachPiece(const CopyBox& box, uint64_t most, uint64_t most_rows, const Visit& visit) {
  for (CopyPieces pieces(box, most, most_rows); !pieces.finished();) HAL_TRY(visit(pieces.Next()));
  return kOk;
}

/// Calls `visit(source, target)` with the offset of each row on both sides, in bytes.
template <class Visit>
void ForEachRow(const CopyBox& box, const Visit& visit) {
  for (uint64_t z = 0; z < box.depth; ++z) {
    for (uint64_t y = 0; y < box.height; ++y) {
      visit(z * box.source.slice + y * box.source.row, z * box.target.slice + y * box.target.row);
    }
  }
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_COPY_BOX_H_
