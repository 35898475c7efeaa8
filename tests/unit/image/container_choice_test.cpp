// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variant a device gets.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "container_samples.h"
#include "image/halx/variant_choice.h"

namespace halyard::testing {
namespace {

class TableRanker final : public VariantRanker {
 public:
  using Ranks = std::map<std::pair<std::string, std::string>, uint32_t>;
  explicit TableRanker(Ranks ranks, hal_status_t otherwise = HAL_STATUS_INCOMPATIBLE)
      : ranks_(std::move(ranks)), otherwise_(otherwise) {}

  Status Rank(std::string_view format, std::string_view target, uint32_t isa_version,
              uint32_t* out_rank) const override {
    if (isa_version > 90) return FailWith(otherwise_, "it is too new");
    const auto found = ranks_.find({std::string(format), std::string(target)});
    if (found == ranks_.end()) return FailWith(otherwise_, "it takes other things");
    *out_rank = found->second;
    return kOk;
  }

 private:
  Ranks ranks_;
  hal_status_t otherwise_;
};

using Variants = HostVector<size_t>;

/// For both exports of a file.
Status ChooseBoth(const ContainerContents& contents, const TableRanker& ranker, Variants* chosen) {
  const uint32_t ordinals[] = {0, 1};
  return ChooseVariants(contents, ranker, ordinals, chosen);
}

size_t Choose(const TableRanker& ranker) {
  Variants chosen;
  EXPECT_EQ(ChooseBoth(SampleContents(), ranker, &chosen), kOk) << LastErrorMessage();
  EXPECT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen.front(), chosen.back());
  return chosen.front();
}

TEST(VariantChoiceTest, TheLowestRankWins) {
  EXPECT_EQ(Choose(TableRanker({{{"ptx", "sm_80"}, 3}, {{"spirv", ""}, 2}})), 2u);
  EXPECT_EQ(Choose(TableRanker({{{"ptx", "sm_80"}, 1}, {{"spirv", ""}, 2}})), 1u);
  EXPECT_EQ(Choose(TableRanker({{{"host-shared-object", "x86_64"}, UINT32_MAX}})), 0u);
}

TEST(VariantChoiceTest, AmongEqualsTheFirstWins) {
  EXPECT_EQ(Choose(TableRanker({{{"ptx", "sm_80"}, 2}, {{"spirv", ""}, 2}})), 1u);
}

TEST(VariantChoiceTest, AChoiceLeavesTheMessageAlone) {
  Publish(FailWith(HAL_STATUS_NOT_FOUND, "an earlier failure"));
  Choose(TableRanker({{{"spirv", ""}, 0}}));
  EXPECT_EQ(LastErrorMessage(), "an earlier failure");
}

TEST(VariantChoiceTest, WithoutAFitEveryVariantIsTold) {
  Variants chosen;
  EXPECT_EQ(Publish(ChooseBoth(SampleContents(), TableRanker({}), &chosen)), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(LastErrorMessage(),
            "no variant fits the device: variants[0] (host-shared-object for x86_64): it takes other things; "
            "variants[1] (ptx for sm_80): it takes other things; variants[2] (spirv): it takes other things");
}

TEST(VariantChoiceTest, LongListsAreCutShort) {
  ContainerContents contents = SampleContents();
  contents.variants.resize(20, contents.variants[0]);
  Variants chosen;
  EXPECT_EQ(Publish(ChooseBoth(contents, TableRanker({}), &chosen)), HAL_STATUS_INCOMPATIBLE);
  EXPECT_NE(LastErrorMessage().find("variants[7]"), std::string_view::npos);
  EXPECT_NE(LastErrorMessage().find("; and 12 more"), std::string_view::npos);
}

TEST(VariantChoiceTest, OtherFailuresAreNotTakenForARefusal) {
  Variants chosen;
  const TableRanker lost({{{"spirv", ""}, 0}}, HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(Publish(ChooseBoth(SampleContents(), lost, &chosen)), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(LastErrorMessage(), "it takes other things");
}

TEST(VariantChoiceTest, EachExportIsTakenFromTheBestImageThatHasIt) {
  Variants chosen;
  const TableRanker any({{{"cubin", "sm_90"}, 5}, {{"ptx", "sm_90"}, 2}, {{"hsaco", "gfx942"}, 9}});
  EXPECT_EQ(ChooseBoth(PartialContents(), any, &chosen), kOk) << LastErrorMessage();
  EXPECT_EQ(chosen, (Variants{2, 0})) << "the first PTX is too new";
  EXPECT_EQ(ChooseBoth(PartialContents(), TableRanker({{{"ptx", "sm_90"}, 0}, {{"hsaco", "gfx942"}, 1}}), &chosen),
            kOk);
  EXPECT_EQ(chosen, (Variants{2, 3}));
}

TEST(VariantChoiceTest, AnExportWithoutAFitIsNamed) {
  Variants chosen;
  EXPECT_EQ(Publish(ChooseBoth(PartialContents(), TableRanker({{{"ptx", "sm_90"}, 0}}), &chosen)),
            HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(LastErrorMessage(),
            "export 'softmax': no variant fits the device: variants[0] (cubin for sm_90): it takes other things; "
            "variants[3] (hsaco for gfx942): it takes other things");
}

TEST(VariantChoiceTest, ExportsThatAreNotWantedNeedNoFit) {
  Variants chosen;
  const uint32_t add[] = {0};
  EXPECT_EQ(ChooseVariants(PartialContents(), TableRanker({{{"ptx", "sm_90"}, 0}}), add, &chosen), kOk);
  EXPECT_EQ(chosen, (Variants{2}));
}

}  // namespace
}  // namespace halyard::testing
