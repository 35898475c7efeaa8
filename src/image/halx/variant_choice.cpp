// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/variant_choice.h"

#include <cstdio>
#include <limits>
#include <tuple>

namespace halyard {
namespace {

/// As many variants as a message lists.
constexpr size_t kListed = 8;

/// Appends `variants[1] (ptx for sm_90): ` and why the device does not take it.
void AddReason(const ContainerVariant& variant, size_t index, std::string_view why, HostString* reasons) {
  char number[48];
  std::snprintf(number, sizeof(number), "%svariants[%zu] (", reasons->empty() ? "" : "; ", index);
  reasons->append(number).append(variant.format);
  if (!variant.target.empty()) reasons->append(" for ").append(variant.target);
  reasons->append("): ").append(why);
}

/// What a device says about the variants of a file. Many variants are for one kind of device, which is asked once.
class Ranks {
 public:
  struct Answer {
    Failure refusal;
    uint32_t rank = 0;
  };

  explicit Ranks(const VariantRanker& ranker) : ranker_(ranker) {}

  const Answer& Of(const ContainerVariant& variant) {
    const auto [place, added] =
        answers_.try_emplace(std::tuple(variant.format, variant.target, variant.isa_version), Answer());
    Answer& answer = place->second;
    if (!added) return answer;
    answer.refusal = Failure(ranker_.Rank(variant.format, variant.target, variant.isa_version, &answer.rank));
    return answer;
  }

 private:
  const VariantRanker& ranker_;
  HostMap<std::tuple<std::string_view, std::string_view, uint32_t>, Answer> answers_;
};

struct Choice {
  uint64_t rank = std::numeric_limits<uint64_t>::max();
  size_t variant = 0;

  bool IsMade() const { return rank <= std::numeric_limits<uint32_t>::max(); }
};

/// For every export.
Status ChooseAll(const ContainerContents& contents, Ranks* ranks, HostVector<Choice>* choices) {
  choices->resize(contents.exports.size());
  for (size_t i = 0; i < contents.variants.size(); ++i) {
    const Ranks::Answer& answer = ranks->Of(contents.variants[i]);
    if (answer.refusal.code() == HAL_STATUS_INCOMPATIBLE) continue;
    if (answer.refusal) return answer.refusal.Share();
    for (const ContainerEntryPoint& entry_point : contents.variants[i].entry_points) {
      Choice& choice = (*choices)[entry_point.ordinal];
      if (answer.rank < choice.rank) choice = {answer.rank, i};
    }
  }
  return kOk;
}

Status FailWithout(const ContainerContents& contents, uint32_t ordinal, bool some_fit, Ranks* ranks) {
  HostString reasons;
  size_t count = 0;
  for (size_t i = 0; i < contents.variants.size(); ++i) {
    if (!contents.variants[i].Find(ordinal) || ++count > kListed) continue;
    AddReason(contents.variants[i], i, ranks->Of(contents.variants[i]).refusal.message(), &reasons);
  }
  HostString subject;
  if (some_fit) subject.append("export '").append(contents.exports[ordinal].name).append("': ");
  if (count > kListed) reasons.append("; and ").append(std::to_string(count - kListed)).append(" more");
  return Fail(HAL_STATUS_INCOMPATIBLE, "%sno variant fits the device: %s", subject.c_str(), reasons.c_str());
}

}  // namespace

Status ChooseVariants(const ContainerContents& contents, const VariantRanker& ranker,
                      std::span<const uint32_t> ordinals, HostVector<size_t>* out_variants) {
  Ranks ranks(ranker);
  HostVector<Choice> choices;
  HAL_TRY(ChooseAll(contents, &ranks, &choices));
  out_variants->clear();
  for (const uint32_t ordinal : ordinals) {
    if (!choices[ordinal].IsMade()) return FailWithout(contents, ordinal, !out_variants->empty(), &ranks);
    out_variants->push_back(choices[ordinal].variant);
  }
  return kOk;
}

}  // namespace halyard
