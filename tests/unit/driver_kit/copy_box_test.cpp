// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/copy_box.h"

#include <gmock/gmock.h>

#include <set>
#include <vector>

namespace halyard {
namespace {

hal_strided_copy_params_t Params(uint64_t width, uint64_t height, uint64_t depth, CopyPitch source, CopyPitch target) {
  hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
  params.width = width;
  params.height = height;
  params.depth = depth;
  params.source_row_pitch = source.row;
  params.source_slice_pitch = source.slice;
  params.target_row_pitch = target.row;
  params.target_slice_pitch = target.slice;
  return params;
}

TEST(CopyBoxTest, RowsWithoutGapsAreOne) {
  EXPECT_EQ(BoxOf(Params(8, 4, 1, {8, 0}, {8, 0})), (CopyBox{32, 1, 1, {}, {}}));
  EXPECT_EQ(BoxOf(Params(8, 4, 2, {8, 32}, {8, 32})), (CopyBox{64, 1, 1, {}, {}}));
  EXPECT_EQ(BoxOf(Params(8, 4, 2, {8, 32}, {8, 40})), (CopyBox{32, 2, 1, {32, 0}, {40, 0}}));
  EXPECT_EQ(BoxOf(Params(8, 1, 5, {1, 8}, {2, 8})), (CopyBox{40, 1, 1, {}, {}}));
}

TEST(CopyBoxTest, SlicesWithoutGapsAreRows) {
  EXPECT_EQ(BoxOf(Params(8, 4, 3, {16, 64}, {12, 48})), (CopyBox{8, 12, 1, {16, 0}, {12, 0}}));
  EXPECT_EQ(BoxOf(Params(8, 1, 3, {7, 16}, {9, 24})), (CopyBox{8, 3, 1, {16, 0}, {24, 0}}));
}

TEST(CopyBoxTest, GapsOnOneSideStay) {
  const CopyBox box = BoxOf(Params(8, 4, 3, {8, 32}, {16, 64}));
  EXPECT_EQ(box, (CopyBox{8, 12, 1, {8, 0}, {16, 0}}));
  EXPECT_EQ(BoxOf(Params(8, 4, 3, {16, 80}, {16, 64})), (CopyBox{8, 4, 3, {16, 80}, {16, 64}}));
}

TEST(CopyBoxTest, NothingIsEmpty) {
  EXPECT_TRUE(BoxOf(Params(0, 4, 3, {16, 80}, {16, 64})).empty());
  EXPECT_TRUE(BoxOf(Params(4, 0, 3, {16, 80}, {16, 64})).empty());
  EXPECT_TRUE(BoxOf(Params(4, 3, 0, {16, 80}, {16, 64})).empty());
}

// Every byte once, and no piece above either bound.
TEST(CopyBoxTest, PiecesAreTheWholeBox) {
  const CopyBox box = {10, 7, 5, {12, 96}, {16, 128}};
  for (const uint64_t most : {1, 3, 10, 25, 69, 70, 200, 350, 1000}) {
    for (const uint64_t most_rows : {1, 2, 7, 20, 100}) {
      std::set<uint64_t> sources;
      std::set<uint64_t> targets;
      const auto visit = [&](const CopyPiece& piece) {
        EXPECT_LE(piece.box.bytes(), most);
        EXPECT_LE(piece.box.height * piece.box.depth, most_rows);
        ForEachRow(piece.box, [&](uint64_t source, uint64_t target) {
          for (uint64_t x = 0; x < piece.box.width; ++x) {
            EXPECT_TRUE(sources.insert(piece.source + source + x).second);
            EXPECT_TRUE(targets.insert(piece.target + target + x).second);
          }
        });
        return kOk;
      };
      EXPECT_EQ(ForEachPiece(box, most, most_rows, visit), kOk);
      EXPECT_EQ(sources.size(), box.bytes());
      EXPECT_EQ(*sources.rbegin(), 4u * 96 + 6 * 12 + 9);
      EXPECT_EQ(*targets.rbegin(), 4u * 128 + 6 * 16 + 9);
    }
  }
}

TEST(CopyBoxTest, TheFirstFailureEndsIt) {
  int visits = 0;
  const auto visit = [&](const CopyPiece&) { return ++visits == 2 ? FailWith(HAL_STATUS_DATA_LOSS, "torn") : kOk; };
  EXPECT_EQ(Publish(ForEachPiece(CopyBox{4, 4, 1, {8, 0}, {8, 0}}, 4, 100, visit)), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(visits, 2);
}

}  // namespace
}  // namespace halyard
