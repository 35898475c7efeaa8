// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/strided_copy_validation.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace halyard {
namespace {

using Bytes = std::set<uint64_t>;

Bytes BytesOf(const hal_strided_copy_params_t& copy, const hal_buffer_ref_t& ref) {
  Bytes bytes;
  for (uint64_t z = 0; z < copy.depth; ++z) {
    for (uint64_t y = 0; y < copy.height; ++y) {
      for (uint64_t x = 0; x < copy.width; ++x) {
        bytes.insert(ref.offset + z * copy.source_slice_pitch + y * copy.source_row_pitch + x);
      }
    }
  }
  return bytes;
}

bool ShareBytes(const hal_strided_copy_params_t& copy) {
  const Bytes target = BytesOf(copy, copy.target);
  for (const uint64_t byte : BytesOf(copy, copy.source)) {
    if (target.count(byte) != 0) return true;
  }
  return false;
}

// Both sides in one buffer with the same pitches, at every distance that they can have.
TEST(StridedCopyValidationTest, FindsExactlyTheBoxesThatShareBytes) {
  hal_buffer_t buffer{};
  std::mt19937 random(20261125);
  const auto below = [&](uint32_t bound) { return random() % bound; };
  int shared = 0;
  int apart = 0;
  for (int round = 0; round < 60; ++round) {
    hal_strided_copy_params_t copy = HAL_STRIDED_COPY_PARAMS_INIT;
    copy.width = 1 + below(5);
    copy.height = 1 + below(4);
    copy.depth = 1 + below(3);
    copy.source_row_pitch = copy.target_row_pitch = copy.width + below(6);
    copy.source_slice_pitch = copy.target_slice_pitch = copy.source_row_pitch * (copy.height + below(3));
    const uint64_t extent =
        (copy.depth - 1) * copy.source_slice_pitch + (copy.height - 1) * copy.source_row_pitch + copy.width;
    copy.source = hal_buffer_ref(&buffer, extent, extent);
    for (uint64_t offset = 0; offset <= 2 * extent; ++offset) {
      copy.target = hal_buffer_ref(&buffer, offset, extent);
      const bool expected = ShareBytes(copy);
      ASSERT_EQ(!Succeeds(CheckStridesDoNotMeet(copy)), expected)
          << copy.width << " x " << copy.height << " x " << copy.depth << ", pitches " << copy.source_row_pitch << ", "
          << copy.source_slice_pitch << ", from " << extent << " to " << offset;
      (expected ? shared : apart) += 1;
    }
  }
  EXPECT_GT(shared, 100);
  EXPECT_GT(apart, 100);
}

// Of slots, whose memory is not known yet.
TEST(StridedCopyValidationTest, NoRangeIsTooLongToBeLookedAt) {
  hal_strided_copy_params_t copy = HAL_STRIDED_COPY_PARAMS_INIT;
  copy.width = uint64_t{1} << 63;
  copy.source = hal_slot_ref(0, 0, copy.width);
  copy.target = hal_slot_ref(0, 1, copy.width);
  EXPECT_EQ(Publish(CheckStridesDoNotMeet(copy)), HAL_STATUS_INVALID_ARGUMENT);
  copy.width = 1;
  copy.height = 3;
  copy.source_row_pitch = copy.target_row_pitch = uint64_t{3} << 61;
  copy.source = hal_slot_ref(0, 0, 2 * copy.source_row_pitch + 1);
  copy.target = hal_slot_ref(0, 2 * copy.source_row_pitch, 2 * copy.source_row_pitch + 1);
  EXPECT_EQ(Publish(CheckStridesDoNotMeet(copy)), HAL_STATUS_INVALID_ARGUMENT);
}

TEST(StridedCopyValidationTest, SaysWhatOverlaps) {
  hal_buffer_t buffer{};
  hal_strided_copy_params_t copy = HAL_STRIDED_COPY_PARAMS_INIT;
  copy.width = 4;
  copy.height = 2;
  copy.source_row_pitch = 8;
  copy.target_row_pitch = 16;
  copy.source = hal_buffer_ref(&buffer, 0, 12);
  copy.target = hal_buffer_ref(&buffer, 4, 20);
  EXPECT_EQ(Publish(CheckStridesDoNotMeet(copy)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(std::string(hal_last_error_message()), ::testing::AllOf(::testing::HasSubstr("source and target overlap"),
                                                                      ::testing::HasSubstr("with different pitches")));
}

}  // namespace
}  // namespace halyard
