// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/variant_choice.h"

#include <cstdio>
#include <limits>

namespace halyard {
namespace {

/// As many variants as a message lists.
constexpr size_t kListed = 8;

/// Appends `variants[1] (ptx for sm_90): ` and why the device does not take it.
void AddReason(const ContainerVariant& variant, size_t index, std::string_view why, HostString* reasons) {
  char number[32];
  std::snprintf(number, sizeof(number), "%svariants[%zu] (", index == 0 ? "" : "; ", index);
  reasons->append(number).append(variant.format);
  if (!variant.target.empty()) reasons->append(" for ").append(variant.target);
  reasons->append("): ").append(why);
}

}  // namespace

Status ChooseVariant(const ContainerContents& contents, const VariantRanker& ranker, size_t* out_variant) {
  ScopedErrorMessage keeper;  // the refusal of one variant is no failure
  HostString reasons;
  uint64_t best = std::numeric_limits<uint64_t>::max();
  for (size_t i = 0; i < contents.variants.size(); ++i) {
    const ContainerVariant& variant = contents.variants[i];
    uint32_t rank = 0;
    const Status status = ranker.Rank(variant.format, variant.target, &rank);
    if (status == HAL_STATUS_INCOMPATIBLE) {
      if (i < kListed) AddReason(variant, i, LastErrorMessage(), &reasons);
    } else if (status != kOk) {
      keeper.Dismiss();
      return status;
    } else if (rank < best) {
      best = rank;
      *out_variant = i;
    }
  }
  if (best <= std::numeric_limits<uint32_t>::max()) return kOk;
  keeper.Dismiss();
  const size_t unlisted = contents.variants.size() - std::min(contents.variants.size(), kListed);
  if (unlisted == 0) return Fail(HAL_STATUS_INCOMPATIBLE, "no variant fits the device: %s", reasons.c_str());
  return Fail(HAL_STATUS_INCOMPATIBLE, "no variant fits the device: %s; and %zu more", reasons.c_str(), unlisted);
}

}  // namespace halyard
