// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/strided_copy_validation.h"

#include <algorithm>
#include <cinttypes>

#include "core/validation/checks.h"
#include "core/validation/command_validation.h"
#include "driver_kit/queue/copy_box.h"

namespace halyard {
namespace {

/// One side of a copy: what the caller gave of it.
struct Side {
  const char* argument;
  hal_buffer_usage_t usage;
  hal_buffer_ref_t* ref;
  uint64_t* row_pitch;
  uint64_t* slice_pitch;
};

Status FailPast64Bits(const Side& side) {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "the last byte of params->%s is past 64 bits", side.argument);
}

Status FailPitch(const Side& side, const char* kind, uint64_t pitch, uint64_t least, const char* what) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->%s_%s_pitch is %" PRIu64 "; it must be at least %s, %" PRIu64,
              side.argument, kind, pitch, what, least);
}

Status FailMultiple(const Side& side) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "params->%s_slice_pitch is %" PRIu64 "; it must be a multiple of the row pitch, %" PRIu64, side.argument,
              *side.slice_pitch, *side.row_pitch);
}

/// Fills in pitches of 0 that are used, and checks the others.
Status CompletePitches(const hal_strided_copy_params_t& copy, const Side& side) {
  if (copy.height > 1) {
    if (*side.row_pitch == 0) *side.row_pitch = copy.width;
    if (*side.row_pitch < copy.width) return FailPitch(side, "row", *side.row_pitch, copy.width, "the width");
  }
  if (copy.depth <= 1) return kOk;
  const uint64_t row = copy.height > 1 ? *side.row_pitch : copy.width;
  uint64_t least = 0;
  if (__builtin_mul_overflow(row, copy.height, &least)) return FailPast64Bits(side);
  if (*side.slice_pitch == 0) *side.slice_pitch = least;
  if (*side.slice_pitch < least) return FailPitch(side, "slice", *side.slice_pitch, least, "the rows of a slice");
  return copy.height > 1 && *side.slice_pitch % row != 0 ? FailMultiple(side) : kOk;
}

/// Bytes from the first to the last.
Status FindExtent(const hal_strided_copy_params_t& copy, const Side& side, uint64_t* out) {
  uint64_t rows = 0;
  uint64_t slices = 0;
  const bool overflows = (copy.height > 1 && __builtin_mul_overflow(copy.height - 1, *side.row_pitch, &rows)) ||
                         (copy.depth > 1 && __builtin_mul_overflow(copy.depth - 1, *side.slice_pitch, &slices)) ||
                         __builtin_add_overflow(rows, slices, out) || __builtin_add_overflow(*out, copy.width, out);
  // The largest number stands for HAL_WHOLE_SIZE.
  return overflows || *out == HAL_WHOLE_SIZE ? FailPast64Bits(side) : kOk;
}

Status ResolveSide(CommandContext& context, const hal_strided_copy_params_t& copy, const Side& side) {
  uint64_t extent = 0;
  if (copy.width != 0 && copy.height != 0 && copy.depth != 0) {
    HAL_TRY(CompletePitches(copy, side));
    HAL_TRY(FindExtent(copy, side, &extent));
  }
  hal_buffer_ref_t asked = *side.ref;
  if (!asked.buffer && asked.length == HAL_WHOLE_SIZE) asked.length = extent;
  HAL_TRY(ResolveCommandRef(context, side.argument, ArgumentName::kNoIndex, {side.usage}, asked, side.ref));
  if (context.validated && side.ref->length < extent) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "params->%s has %" PRIu64 " bytes, but there are %" PRIu64 " from the first byte to the last",
                side.argument, side.ref->length, extent);
  }
  side.ref->length = extent;
  return kOk;
}

/// Whether a multiple of `pitch`, of fewer than `count` in either direction, comes closer than `width` to `distance`.
/// `test(rest)` decides of what is left of `distance`.
template <class Test>
bool AnyStep(int64_t distance, uint64_t pitch, uint64_t count, const Test& test) {
  if (count <= 1) return test(distance);
  const auto step = static_cast<int64_t>(pitch);
  const int64_t below = distance / step - (distance % step < 0 ? 1 : 0);
  const auto most = static_cast<int64_t>(count - 1);
  return (below >= -most && below <= most && test(distance - below * step)) ||
         (below + 1 >= -most && below + 1 <= most && test(distance - (below + 1) * step));
}

/// Whether two boxes of the same pitches, that begin `distance` bytes apart, have a byte in common. Rows lie within
/// their pitch and slices within theirs, so that only the two steps next to the distance come into question. Both are
/// at most INT64_MAX bytes long from the first to the last.
bool Meet(const CopyBox& box, int64_t distance) {
  const auto width = static_cast<int64_t>(box.width);
  const auto rows_meet = [&](int64_t rest) { return rest > -width && rest < width; };
  const auto slices_meet = [&](int64_t rest) { return AnyStep(rest, box.source.row, box.height, rows_meet); };
  return AnyStep(distance, box.source.slice, box.depth, slices_meet);
}

}  // namespace

Status CheckStridesDoNotMeet(const hal_strided_copy_params_t& copy) {
  if (!Overlap(copy.source, copy.target)) return kOk;
  const CopyBox box = BoxOf(copy);
  const bool same_pitches = box.source == box.target;
  // No memory is as long as ranges of slots may claim to be.
  const bool fits = copy.source.length <= INT64_MAX && copy.target.length <= INT64_MAX;
  if (same_pitches && fits && !Meet(box, static_cast<int64_t>(copy.target.offset - copy.source.offset))) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "source and target overlap: %" PRIu64 " bytes from byte %" PRIu64 " and %" PRIu64
              " bytes from byte %" PRIu64 " of one allocation%s",
              copy.source.length, copy.source.offset, copy.target.length, copy.target.offset,
              same_pitches ? "" : ", with different pitches");
}

Status MakeCopyStrided(CommandContext& context, const hal_strided_copy_params_t* params, StridedCopyStorage* storage,
                       hal_command_t* out) {
  hal_strided_copy_params_t& copy = storage->params = HAL_STRIDED_COPY_PARAMS_INIT;
  HAL_TRY(ReadStruct("params", params, &copy));
  HAL_TRY(VtableOf(context.device)->check_command(context.device, HAL_COMMAND_TYPE_COPY_STRIDED));
  const Side source = {"source", HAL_BUFFER_USAGE_TRANSFER_SOURCE, &copy.source, &copy.source_row_pitch,
                       &copy.source_slice_pitch};
  const Side target = {"target", HAL_BUFFER_USAGE_TRANSFER_TARGET, &copy.target, &copy.target_row_pitch,
                       &copy.target_slice_pitch};
  HAL_TRY(ResolveSide(context, copy, source));
  HAL_TRY(ResolveSide(context, copy, target));
  out->type = HAL_COMMAND_TYPE_COPY_STRIDED;
  out->u.copy_strided = {&copy};
  if (!context.validated) return kOk;
  HAL_TRY(CheckStridesDoNotMeet(copy));
  const bool slots = !copy.source.buffer || !copy.target.buffer;
  const bool same_slot = !copy.source.buffer && !copy.target.buffer && copy.source.slot == copy.target.slot;
  if (slots && !same_slot) context.commands->AddSlotCopy(copy);
  return kOk;
}

}  // namespace halyard
