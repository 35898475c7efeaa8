// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/copy_box.h"

namespace halyard {
namespace {

// What is not used may be anything.
CopyPitch PitchOf(uint64_t row, uint64_t slice, const hal_strided_copy_params_t& params) {
  return {params.height > 1 ? row : 0, params.depth > 1 ? slice : 0};
}

// Slices of one row are rows, so that at most the last dimension is missing.
void Lower(CopyBox* box) {
  if (box->height != 1 || box->depth == 1) return;
  box->height = box->depth;
  box->depth = 1;
  box->source = {box->source.slice, 0};
  box->target = {box->target.slice, 0};
}

}  // namespace

CopyBox BoxOf(const hal_strided_copy_params_t& params) {
  if (params.width == 0 || params.height == 0 || params.depth == 0) return {};
  CopyBox box = {params.width, params.height, params.depth,
                 PitchOf(params.source_row_pitch, params.source_slice_pitch, params),
                 PitchOf(params.target_row_pitch, params.target_slice_pitch, params)};
  Lower(&box);
  if (box.height > 1 && box.source.row == box.width && box.target.row == box.width) {
    box.width *= box.height;
    box.height = 1;
    box.source.row = box.target.row = 0;
    Lower(&box);
    if (box.height > 1 && box.source.row == box.width && box.target.row == box.width) {
      box = {box.width * box.height, 1, 1, {}, {}};
    }
  } else if (box.depth > 1 && box.source.slice == box.height * box.source.row &&
             box.target.slice == box.height * box.target.row) {
    box.height *= box.depth;
    box.depth = 1;
    box.source.slice = box.target.slice = 0;
  }
  return box;
}

}  // namespace halyard
