// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/labels.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "base/status.h"

namespace halyard {
namespace {

/// Takes the place of an object: labels look at addresses alone.
struct alignas(64) Place {
  char byte = 0;
};

std::string Words(const void* object) { return LabelWords(object).c_str(); }

std::string WordsOfAnotherThread(const void* object) {
  std::string words;
  std::thread([&] { words = Words(object); }).join();
  return words;
}

TEST(EndingLabelTest, ShowsToItsThreadAlone) {
  const Place place;
  Labels::Set(&place, "old");
  {
    const EndingLabel ending(&place);
    EXPECT_EQ(Words(&place), " 'old'");
    EXPECT_EQ(View(Labels::Of(&place)), "old");
    EXPECT_EQ(WordsOfAnotherThread(&place), "") << "the address may be that of a new object";
  }
  EXPECT_EQ(Words(&place), "");
}

TEST(EndingLabelTest, LeavesTheLabelOfTheNextObjectThere) {
  const Place place;
  Labels::Set(&place, "old");
  {
    const EndingLabel ending(&place);
    std::thread([&] { Labels::Set(&place, "new"); }).join();
  }
  EXPECT_EQ(Words(&place), " 'new'");
  Labels::Set(&place, "");
  EXPECT_EQ(Words(&place), "");
}

TEST(EndingLabelTest, ObjectsEndWithinOthers) {
  const std::array<Place, 3> places;
  Labels::Set(&places[0], "outer");
  Labels::Set(&places[2], "inner");
  const EndingLabel outer(&places[0]);
  {
    const EndingLabel without(&places[1]);
    const EndingLabel inner(&places[2]);
    EXPECT_EQ(Words(&places[2]), " 'inner'");
    EXPECT_EQ(Words(&places[1]), "");
    EXPECT_EQ(Words(&places[0]), " 'outer'");
  }
  EXPECT_EQ(Words(&places[2]), "");
  EXPECT_EQ(Words(&places[0]), " 'outer'");
}

TEST(LabelsTest, AreCopiedAsFarAsThereIsRoom) {
  const Place place;
  std::array<char, 8> out;
  const auto copied = [&](size_t capacity) {
    out.fill('#');
    const size_t size = Labels::Copy(&place, out.data(), capacity);
    EXPECT_EQ(std::string(out.data() + size, out.size() - size), std::string(out.size() - size, '#'));
    return std::string(out.data(), size);
  };
  EXPECT_EQ(copied(8), "");
  Labels::Set(&place,
              "a\xC3\xA4"
              "bcd");
  EXPECT_EQ(copied(6),
            "a\xC3\xA4"
            "bcd");
  EXPECT_EQ(copied(5), "a…") << "no half characters";
  EXPECT_EQ(copied(4), "a…");
  EXPECT_EQ(copied(3), "…");
  EXPECT_EQ(copied(2), "");
  EXPECT_EQ(copied(0), "");
  Labels::Set(&place, "");
}

}  // namespace
}  // namespace halyard
