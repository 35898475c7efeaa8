// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/collective_validation.h"

#include <algorithm>
#include <array>
#include <cinttypes>

#include "core/collective/reduction.h"
#include "core/validation/checks.h"
#include "halyard/buffer_view.h"

namespace halyard {
namespace {

/// One side of the operation, as this rank has it.
struct OwnSide {
  const char* argument;
  hal_buffer_usage_t usage;
  const CollectiveSide& side;
  const hal_buffer_ref_t& given;
  hal_buffer_ref_t* out;
};

Status CheckRank(const char* argument, uint32_t rank, const RankPlace& place) {
  if (rank < place.rank_count) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "params->%s is %" PRIu32 "; the channel has ranks 0 to %" PRIu32, argument, rank,
              place.rank_count - 1);
}

Status CheckChosenRank(const char* argument, bool required, uint32_t rank, const RankPlace& place) {
  return rank != HAL_RANK_NONE || required ? CheckRank(argument, rank, place) : kOk;
}

Status CheckReduction(const hal_collective_params_t& params) {
  const char* const name = ReductionName(params.reduction);
  if (!name) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->reduction is %d, which is none",
                static_cast<int>(params.reduction));
  }
  if (FindReduction(params.element_type, params.reduction)) return kOk;
  std::array<char, 32> type{};
  HAL_TRY(hal_element_type_format(params.element_type, type.data(), type.size()));
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->element_type is %s, of which there is no %s", type.data(), name);
}

/// Bytes of a piece.
Status FindLength(const hal_collective_params_t& params, const RankPlace& place, uint64_t* out) {
  const uint64_t size = hal_element_type_size(params.element_type);
  if (size == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->element_type is 0x%" PRIx32 ", which is no type",
                params.element_type);
  }
  uint64_t all = 0;
  if (!__builtin_mul_overflow(size, params.count, out) && !__builtin_mul_overflow(*out, place.rank_count, &all) &&
      all <= INT64_MAX) {
    return kOk;
  }
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "params->count is %" PRIu64 "; so many elements for each of %" PRIu32 " ranks are past 63 bits of bytes",
              params.count, place.rank_count);
}

bool Has(const CollectiveSide& side, const RankPlace& place, uint32_t root, uint32_t chosen) {
  switch (side.role) {
    case RankRole::kAll:
      return true;
    case RankRole::kRoot:
      return place.rank == root;
    case RankRole::kChosen:
      return chosen != HAL_RANK_NONE;
    default:
      return false;
  }
}

/// The alignment that an element's size amounts to, a power of two.
uint32_t AlignmentOf(hal_element_type_t type) {
  const auto size = static_cast<uint32_t>(hal_element_type_size(type));
  return size & (~size + 1);
}

Status ResolveSide(CommandContext& context, const RankPlace& place, const Collective& what, const OwnSide& own) {
  const uint64_t needed = own.side.piece_per_rank ? what.length * place.rank_count : what.length;
  if (needed == 0) return kOk;
  const BufferUse use = {own.usage, AlignmentOf(what.element_type)};
  HAL_TRY(ResolveCommandRef(context, own.argument, ArgumentName::kNoIndex, use, own.given, own.out));
  if (own.out->length < needed) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s has %" PRIu64 " bytes; %s on %" PRIu32 " ranks takes %" PRIu64,
                own.argument, own.out->length, what.Text().c_str(), place.rank_count, needed);
  }
  own.out->length = needed;
  return kOk;
}

/// Source and target may be one range, or the shorter one the rank's own piece of the longer one.
Status CheckOverlap(const CollectiveRequest& request, const RankPlace& place) {
  const hal_buffer_ref_t& source = request.source;
  const hal_buffer_ref_t& target = request.target;
  if (!source.buffer || !target.buffer || !Overlap(source, target)) return kOk;
  const bool source_is_piece = source.length < target.length;
  const hal_buffer_ref_t& piece = source_is_piece ? source : target;
  const hal_buffer_ref_t& whole = source_is_piece ? target : source;
  const uint64_t own = piece.length < whole.length ? place.rank * piece.length : 0;
  if (piece.offset == whole.offset + own) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "source and target overlap, from byte %" PRIu64 " and %" PRIu64
              " of one allocation; in place they are the same range, or one is rank %" PRIu32 "'s piece of the other",
              source.offset, target.offset, place.rank);
}

}  // namespace

Status ReadCollective(CommandContext& context, const RankPlace& place, const hal_collective_params_t* params,
                      CollectiveRequest* out) {
  hal_collective_params_t read = HAL_COLLECTIVE_PARAMS_INIT;
  HAL_TRY(ReadStruct("params", params, &read));
  const CollectiveKind* const kind = FindCollectiveKind(read.kind);
  if (!kind) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->kind is %d, which is none", static_cast<int>(read.kind));
  }
  Collective& what = out->what;
  what.kind = kind;
  what.element_type = read.element_type;
  what.count = read.count;
  HAL_TRY(FindLength(read, place, &what.length));
  if (kind->reduces) {
    HAL_TRY(CheckReduction(read));
    what.reduction = read.reduction;
    out->scale = read.scale;
  }
  if (kind->has_root()) {
    HAL_TRY(CheckRank("root", read.root, place));
    what.root = read.root;
  }
  if (kind->source.role == RankRole::kChosen) {
    HAL_TRY(CheckChosenRank("send_to", kind->is_between_two(), read.send_to, place));
    out->send_to = read.send_to;
  }
  if (kind->target.role == RankRole::kChosen) {
    HAL_TRY(CheckChosenRank("receive_from", kind->is_between_two(), read.receive_from, place));
    out->receive_from = read.receive_from;
  }
  const OwnSide source = {"source", HAL_BUFFER_USAGE_TRANSFER_SOURCE, kind->source, read.source, &out->source};
  const OwnSide target = {"target", HAL_BUFFER_USAGE_TRANSFER_TARGET, kind->target, read.target, &out->target};
  if (Has(kind->source, place, what.root, out->send_to)) HAL_TRY(ResolveSide(context, place, what, source));
  const bool may_lack = kind->kind == HAL_COLLECTIVE_BROADCAST && place.rank == what.root && !read.target.buffer;
  if (Has(kind->target, place, what.root, out->receive_from) && !may_lack) {
    HAL_TRY(ResolveSide(context, place, what, target));
  }
  return CheckOverlap(*out, place);
}

}  // namespace halyard
