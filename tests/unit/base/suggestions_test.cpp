// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/suggestions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace halyard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::array<std::string_view, 4> kDrivers = {"local", "null", "cuda", "vulkan"};

TEST(EditDistanceTest, CountsSlips) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("local", "local"), 0u);
  EXPECT_EQ(EditDistance("locl", "local"), 1u);
  EXPECT_EQ(EditDistance("locaal", "local"), 1u);
  EXPECT_EQ(EditDistance("lacal", "local"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(EditDistanceTest, SwappedNeighboursAreOneSlip) {
  EXPECT_EQ(EditDistance("lcoal", "local"), 1u);
  EXPECT_EQ(EditDistance("ba", "ab"), 1u);
}

TEST(EditDistanceTest, IgnoresCase) { EXPECT_EQ(EditDistance("CUDA", "cuda"), 0u); }

TEST(SuggestNamesTest, NearestComesFirst) {
  constexpr std::array<std::string_view, 3> kNames = {"matmul_f16", "matmul_f32", "softmax"};
  EXPECT_THAT(SuggestNames("matmul_f3", kNames), ElementsAre("matmul_f32", "matmul_f16"));
}

TEST(SuggestNamesTest, FarNamesAreNotOffered) {
  EXPECT_THAT(SuggestNames("metal", kDrivers), IsEmpty());
  EXPECT_THAT(SuggestNames("x", kDrivers), IsEmpty());
  EXPECT_THAT(SuggestNames("", kDrivers), IsEmpty());
}

TEST(SuggestNamesTest, AtMostThree) {
  constexpr std::array<std::string_view, 5> kNames = {"k1", "k2", "k3", "k4", "k5"};
  EXPECT_EQ(SuggestNames("k9", kNames).size(), 3u);
}

TEST(SuggestionTextTest, NamesTheNearestAndAllKnown) {
  EXPECT_EQ(SuggestionText("locl", kDrivers), "did you mean 'local'? known: local, null, cuda, vulkan");
}

TEST(SuggestionTextTest, SeveralNear) {
  constexpr std::array<std::string_view, 2> kNames = {"add", "and"};
  EXPECT_EQ(SuggestionText("ad", kNames), "did you mean 'add' or 'and'? known: add, and");
}

TEST(SuggestionTextTest, NothingNear) {
  EXPECT_EQ(SuggestionText("tpu", kDrivers), "known: local, null, cuda, vulkan");
}

TEST(SuggestionTextTest, NothingKnown) { EXPECT_EQ(SuggestionText("tpu", {}), "there are none"); }

TEST(ListNamesTest, LongListIsCutShort) {
  const HostVector<std::string_view> names(30, "k");
  const HostString text = ListNames(names);
  EXPECT_TRUE(text.ends_with("k and 6 more")) << text;
}

}  // namespace
}  // namespace halyard
