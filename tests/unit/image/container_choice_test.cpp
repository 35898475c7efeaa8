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

  Status Rank(std::string_view format, std::string_view target, uint32_t* out_rank) const override {
    const auto found = ranks_.find({std::string(format), std::string(target)});
    if (found == ranks_.end()) return FailWith(otherwise_, "it takes other things");
    *out_rank = found->second;
    return kOk;
  }

 private:
  Ranks ranks_;
  hal_status_t otherwise_;
};

size_t Choose(const TableRanker& ranker) {
  size_t chosen = 99;
  EXPECT_EQ(ChooseVariant(SampleContents(), ranker, &chosen), kOk) << LastErrorMessage();
  return chosen;
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
  FailWith(HAL_STATUS_NOT_FOUND, "an earlier failure");
  Choose(TableRanker({{{"spirv", ""}, 0}}));
  EXPECT_EQ(LastErrorMessage(), "an earlier failure");
}

TEST(VariantChoiceTest, WithoutAFitEveryVariantIsTold) {
  size_t chosen = 99;
  EXPECT_EQ(ChooseVariant(SampleContents(), TableRanker({}), &chosen), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(LastErrorMessage(),
            "no variant fits the device: variants[0] (host-shared-object for x86_64): it takes other things; "
            "variants[1] (ptx for sm_80): it takes other things; variants[2] (spirv): it takes other things");
  EXPECT_EQ(chosen, 99u);
}

TEST(VariantChoiceTest, LongListsAreCutShort) {
  ContainerContents contents = SampleContents();
  contents.variants.resize(20, contents.variants[0]);
  size_t chosen = 99;
  EXPECT_EQ(ChooseVariant(contents, TableRanker({}), &chosen), HAL_STATUS_INCOMPATIBLE);
  EXPECT_NE(LastErrorMessage().find("variants[7]"), std::string_view::npos);
  EXPECT_NE(LastErrorMessage().find("; and 12 more"), std::string_view::npos);
}

TEST(VariantChoiceTest, OtherFailuresAreNotTakenForARefusal) {
  size_t chosen = 99;
  const TableRanker lost({{{"spirv", ""}, 0}}, HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(ChooseVariant(SampleContents(), lost, &chosen), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(LastErrorMessage(), "it takes other things");
}

}  // namespace
}  // namespace halyard::testing
