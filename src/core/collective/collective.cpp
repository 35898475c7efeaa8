// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/collective.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

#include "halyard/buffer_view.h"

namespace halyard {
namespace {

constexpr CollectiveSide kNoSide = {RankRole::kNone, false};
constexpr CollectiveSide kOfAll = {RankRole::kAll, false};
constexpr CollectiveSide kOfAllForEach = {RankRole::kAll, true};
constexpr CollectiveSide kOfRoot = {RankRole::kRoot, false};
constexpr CollectiveSide kOfRootForEach = {RankRole::kRoot, true};
constexpr CollectiveSide kOfChosen = {RankRole::kChosen, false};

constexpr CollectiveKind kKinds[] = {
    {HAL_COLLECTIVE_ALL_REDUCE, "all_reduce", true, kOfAll, kOfAll},
    {HAL_COLLECTIVE_REDUCE, "reduce", true, kOfAll, kOfRoot},
    {HAL_COLLECTIVE_REDUCE_SCATTER, "reduce_scatter", true, kOfAllForEach, kOfAll},
    {HAL_COLLECTIVE_BROADCAST, "broadcast", false, kOfRoot, kOfAll},
    {HAL_COLLECTIVE_ALL_GATHER, "all_gather", false, kOfAll, kOfAllForEach},
    {HAL_COLLECTIVE_GATHER, "gather", false, kOfAll, kOfRootForEach},
    {HAL_COLLECTIVE_SCATTER, "scatter", false, kOfRootForEach, kOfAll},
    {HAL_COLLECTIVE_ALL_TO_ALL, "all_to_all", false, kOfAllForEach, kOfAllForEach},
    {HAL_COLLECTIVE_PERMUTE, "permute", false, kOfChosen, kOfChosen},
    {HAL_COLLECTIVE_SEND, "send", false, kOfChosen, kNoSide},
    {HAL_COLLECTIVE_RECEIVE, "receive", false, kNoSide, kOfChosen},
};

constexpr const char* kReductions[] = {"sum", "product", "min", "max", "average", "scaled_sum"};

}  // namespace

const CollectiveKind* FindCollectiveKind(hal_collective_kind_t kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &CollectiveKind::kind);
  return found == std::end(kKinds) ? nullptr : found;
}

const char* ReductionName(hal_reduction_t reduction) {
  const auto index = static_cast<size_t>(reduction) - HAL_REDUCTION_SUM;
  return index < std::size(kReductions) ? kReductions[index] : nullptr;
}

HostString Collective::Text() const {
  std::array<char, 32> type{};
  if (hal_element_type_format(element_type, type.data(), type.size()) != HAL_STATUS_OK) type = {"elements"};
  std::array<char, 160> text{};
  const char* const how = kind->reduces ? ReductionName(reduction) : "";
  const int written = std::snprintf(text.data(), text.size(), "%s%s%s%s of %" PRIu64 " x %s", kind->name,
                                    kind->reduces ? " (" : "", how, kind->reduces ? ")" : "", count, type.data());
  if (kind->has_root()) {
    std::snprintf(text.data() + written, text.size() - static_cast<size_t>(written), " with root %" PRIu32, root);
  }
  return text.data();
}

bool Collective::AgreesWith(const Collective& other) const {
  const bool same_kind = kind == other.kind || (kind->is_between_two() && other.kind->is_between_two());
  return same_kind && reduction == other.reduction && element_type == other.element_type && root == other.root &&
         count == other.count;
}

uint64_t CountTransfers(const Collective& what, uint32_t rank_count) {
  switch (what.kind->kind) {
    case HAL_COLLECTIVE_REDUCE_SCATTER:
    case HAL_COLLECTIVE_ALL_GATHER:
    case HAL_COLLECTIVE_GATHER:
    case HAL_COLLECTIVE_SCATTER:
      return rank_count;
    case HAL_COLLECTIVE_ALL_TO_ALL:
      return uint64_t{rank_count} * (rank_count + 1) / 2;
    default:
      return 1;
  }
}

RankPair PairOf(uint64_t number) {
  uint32_t high = 0;
  uint64_t first = 0;  // the number of the pair (high, 0)
  while (first + high + 1 <= number) first += ++high;
  return {high, static_cast<uint32_t>(number - first)};
}

}  // namespace halyard
