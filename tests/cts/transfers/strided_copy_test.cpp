// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided copies, on every route: the bytes of the box and no others. What they refuse is in
// strided_copy_refusal_test.cpp.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"
#include "cts/transfers/memories.h"
#include "cts/transfers/strided_copies.h"

namespace halyard::cts {
namespace {

// --- Shapes ---

const Box kBoxes[] = {
    {"OneByte", 1, 1, 1, {3}, {5}},
    {"OneRow", 37, 1, 1, {1}, {2}},
    {"RowsOfWords", 64, 16, 1, {128, 256}, {64, 96}},
    {"RowsOfBytes", 5, 33, 1, {7, 11}, {1, 6}},
    {"RowsThatFollowOneAnother", 24, 9, 1, {16, 24}, {32, 24}},
    {"Gather", 12, 50, 1, {4, 60}, {8}},
    {"Scatter", 12, 50, 1, {8}, {4, 60}},
    {"Slices", 16, 8, 6, {32, 32, 512}, {16, 64, 576}},
    {"SlicesOfBytes", 3, 7, 5, {1, 5, 45}, {2, 3, 24}},
    {"SlicesThatFollowOneAnother", 10, 4, 7, {3, 16}, {6, 12}},
    {"RowsFollowInSlicesApart", 8, 4, 5, {0, 8, 64}, {4, 8, 40}},
    {"RowsFollowOnOneSide", 8, 4, 5, {0, 8, 64}, {4, 16, 80}},
    {"SlicesOfOneRow", 20, 1, 30, {5, 0, 41}, {9, 0, 23}},
    {"AllFollowsOnBothSides", 6, 5, 4, {1}, {2}},
    {"RowsOfOneByte", 1, 900, 1, {0, 2}, {3, 5}},
    {"ManyRows", 3, 700, 2, {1, 4, 2800}, {2, 3, 2103}},
    {"LongRows", 70'001, 3, 1, {3, 80'000}, {64, 70'003}},
    {"NoBytes", 0, 4, 4, {1, 8, 64}, {2, 8, 64}},
    {"NoRows", 4, 0, 4, {1, 8, 64}, {2, 8, 64}},
    {"NoSlices", 4, 4, 0, {1, 8, 64}, {2, 8, 64}},
};

class StridedCopyTest : public DeviceTestWith<std::tuple<Route, Box>> {
 protected:
  hal_status_t Copy(const hal_strided_copy_params_t& params) const {
    return Submitter(device(), std::get<Route>(GetParam())).CopyStrided(params);
  }

  const Box box_ = std::get<Box>(GetParam());
  const std::vector<uint8_t> data_ = MixedBytes(EndOf(box_, box_.source) + 13);
  const std::vector<uint8_t> old_ = MixedBytes(EndOf(box_, box_.target) + 17, 2);
  const Buffer source_ = device().CreateBufferOf(data_);
  const Buffer target_ = device().CreateBufferOf(old_);
};

TEST_P(StridedCopyTest, WritesTheBoxAndNoMore) {
  ASSERT_OK(Copy(StridedCopy(box_, source_, target_)));
  std::vector<uint8_t> expected = old_;
  CopyInModel(box_, data_, &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target_), expected));
  EXPECT_TRUE(SameElements(Download<uint8_t>(source_), data_));
}

TEST_P(StridedCopyTest, MayReachToTheLastByteOfItsRanges) {
  hal_strided_copy_params_t params = StridedCopy(box_, source_, target_);
  params.source.length = EndOf(box_, box_.source) - box_.source.offset;
  params.target.length = EndOf(box_, box_.target) - box_.target.offset;
  ASSERT_OK(Copy(params));
  std::vector<uint8_t> expected = old_;
  CopyInModel(box_, data_, &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target_), expected));
}

INSTANTIATE_TEST_SUITE_P(Boxes, StridedCopyTest, testing::Combine(Routes(), testing::ValuesIn(kBoxes)), ByParts);

// --- On every route ---

class StridedCopyRouteTest : public DeviceTestWith<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

TEST_P(StridedCopyRouteTest, PitchesThatAreNotUsedAreIgnored) {
  const Box row = {"", 16, 1, 1, {4, 1, 3}, {8, UINT64_MAX, UINT64_MAX}};
  const Box rows = {"", 16, 3, 1, {4, 20, 1}, {8, 16, UINT64_MAX}};
  const Box slices = {"", 16, 1, 3, {4, 1, 21}, {8, UINT64_MAX, 17}};
  const std::vector<uint8_t> data = MixedBytes(128);
  const Buffer source = device().CreateBufferOf(data);
  for (const Box& box : {row, rows, slices}) {
    std::vector<uint8_t> expected = MixedBytes(128, 2);
    const Buffer target = device().CreateBufferOf(expected);
    ASSERT_OK(submitter_.CopyStrided(StridedCopy(box, source, target)));
    CopyInModel(box, data, &expected);
    EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
  }
}

// Two columns of one matrix, and two blocks of one tensor, whose ranges overlap although they share no byte.
TEST_P(StridedCopyRouteTest, BoxesOfOneBufferMayLieBetweenEachOther) {
  const Box columns = {"", 16, 8, 1, {0, 64}, {16, 64}};
  const Box back = {"", 32, 8, 1, {32, 64}, {0, 64}};
  const Box blocks = {"", 8, 4, 3, {0, 16, 128}, {64, 16, 128}};
  const Box wrapped = {"", 8, 4, 3, {60, 16, 128}, {4, 16, 128}};
  for (const Box& box : {columns, back, blocks, wrapped}) {
    std::vector<uint8_t> expected = MixedBytes(640);
    const Buffer buffer = device().CreateBufferOf(expected);
    ASSERT_OK(submitter_.CopyStrided(StridedCopy(box, buffer, buffer)));
    CopyInModel(box, MixedBytes(640), &expected);
    EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), expected));
  }
}

TEST_P(StridedCopyRouteTest, WorksInSubspans) {
  const Box box = {"", 9, 6, 2, {3, 10, 70}, {1, 12, 72}};
  const std::vector<uint8_t> data = MixedBytes(1024);
  std::vector<uint8_t> expected = MixedBytes(1024, 2);
  const Buffer source = device().CreateBufferOf(data);
  const Buffer target = device().CreateBufferOf(expected);
  Buffer from;
  Buffer to;
  ASSERT_OK(hal_buffer_subspan(source, 100, 300, from.out()));
  ASSERT_OK(hal_buffer_subspan(target, 333, 300, to.out()));
  ASSERT_OK(submitter_.CopyStrided(StridedCopy(box, from, to)));
  const Box whole = {"", 9, 6, 2, {103, 10, 70}, {334, 12, 72}};
  CopyInModel(whole, data, &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
}

TEST_P(StridedCopyRouteTest, CapturesItsParametersAtTheCall) {
  const Box box = {"", 8, 5, 1, {0, 16}, {0, 24}};
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  std::vector<uint8_t> expected = MixedBytes(256, 2);
  const Buffer source = device().CreateBufferOf(MixedBytes(256));
  const Buffer target = device().CreateBufferOf(expected);
  hal_strided_copy_params_t params = StridedCopy(box, source, target);
  ASSERT_OK(submitter_.SubmitCopyStrided({{gate, 1}}, {{done, 1}}, params));
  params = StridedCopy({"", 1, 1, 1, {}, {}}, target, source);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  CopyInModel(box, MixedBytes(256), &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
}

TEST_P(StridedCopyRouteTest, NothingIsWrittenIfAWaitFails) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer source = device().CreateBufferOf(MixedBytes(256));
  const Buffer target = device().CreateBufferOf(MixedBytes(256, 2));
  const Box box = {"", 8, 5, 1, {0, 16}, {0, 24}};
  ASSERT_OK(submitter_.SubmitCopyStrided({{gate, 1}}, {{done, 1}}, StridedCopy(box, source, target)));
  ASSERT_OK(gate.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), MixedBytes(256, 2)));
}

// Random boxes, one after the other, compared with the same done in host memory.
TEST_P(StridedCopyRouteTest, AgreesWithTheModel) {
  constexpr uint64_t kSize = 4000;
  SeededRandom random;
  std::vector<uint8_t> model = random.Bytes(kSize);
  const std::vector<uint8_t> data = random.Bytes(kSize);
  const Buffer source = device().CreateBufferOf(data);
  const Buffer target = device().CreateBufferOf(model);
  const auto strides = [&](const Box& box) {
    Strides side;
    side.offset = random.Below(20);
    side.row = box.width + random.Below(4) * random.Below(5);
    side.slice = side.row * (box.height + random.Below(3));
    return side;
  };
  for (int step = 0; step < 60; ++step) {
    Box box = {"", random.Between(1, 40), random.Between(1, 9), random.Between(1, 5), {}, {}};
    box.source = strides(box);
    box.target = strides(box);
    if (EndOf(box, box.source) > kSize || EndOf(box, box.target) > kSize) continue;
    ASSERT_OK(submitter_.CopyStrided(StridedCopy(box, source, target)));
    CopyInModel(box, data, &model);
  }
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), model));
}

INSTANTIATE_TEST_SUITE_P(Route, StridedCopyRouteTest, Routes(), ByNameOf);

// --- Between kinds of memory ---

class StridedCopyBetweenMemoriesTest : public DeviceTestWith<std::tuple<Route, Memory, Memory>> {};

TEST_P(StridedCopyBetweenMemoriesTest, MovesTheBox) {
  const auto& [route, from, to] = GetParam();
  const Box box = {"", 30, 20, 4, {5, 40, 800}, {7, 33, 693}};
  const std::vector<uint8_t> data = MixedBytes(4000);
  std::vector<uint8_t> expected = MixedBytes(4000, 2);
  const Buffer source = device().CreateBufferOf(data, from.params(HAL_BUFFER_USAGE_DEFAULT));
  const Buffer target = device().CreateBufferOf(expected, to.params(HAL_BUFFER_USAGE_DEFAULT));
  ASSERT_OK(Submitter(device(), route).CopyStrided(StridedCopy(box, source, target)));
  CopyInModel(box, data, &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
}

const Memory kStridedMemories[] = {{"DeviceLocal", DeviceLocal}, {"Mappable", Mappable}};
INSTANTIATE_TEST_SUITE_P(Memories, StridedCopyBetweenMemoriesTest,
                         testing::Combine(Routes(), testing::ValuesIn(kStridedMemories),
                                          testing::ValuesIn(kStridedMemories)),
                         ByParts);

// --- Command buffers ---

class StridedCopyCommandTest : public DeviceTest {};

// More than a driver passes through the device at once.
TEST_F(StridedCopyCommandTest, LargeBoxesOfHostMemoryAreMovedWhole) {
  const Box box = {"", 4100, 4300, 1, {16, 4352}, {0, 4112}};
  const std::vector<uint8_t> data = MixedBytes(EndOf(box, box.source));
  std::vector<uint8_t> expected(EndOf(box, box.target), 0x5A);
  const Buffer source = device().CreateBufferOf(data, Mappable(HAL_BUFFER_USAGE_DEFAULT));
  const Buffer target = device().CreateBufferOf(expected, Mappable(HAL_BUFFER_USAGE_DEFAULT));
  ASSERT_OK(Submitter(device(), Route::kQueue).CopyStrided(StridedCopy(box, source, target)));
  CopyInModel(box, data, &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
}

// Many in a row, so that a driver makes a graph of them, with tables that change.
TEST_F(StridedCopyCommandTest, RecordingsRunWithEveryTable) {
  constexpr uint32_t kCopies = 24;
  const Box box = {"", 12, 4, 2, {0, 20, 100}, {0, 16, 64}};
  const CommandBuffer commands = device().CreateCommandBuffer(0, 2);
  ASSERT_OK(commands.Begin());
  for (uint32_t i = 0; i < kCopies; ++i) {
    hal_strided_copy_params_t params = StridedCopy(box, {}, {});
    params.source = hal_slot_ref(0, uint64_t{i} * 4, HAL_WHOLE_SIZE);
    params.target = hal_slot_ref(1, uint64_t{i} * 128, HAL_WHOLE_SIZE);
    ASSERT_OK(hal_command_buffer_copy_strided(commands, &params));
  }
  ASSERT_OK(commands.End());
  const uint64_t step = device().BindingOffset(16);
  for (const uint32_t round : {1, 2, 3}) {
    const std::vector<uint8_t> data = MixedBytes(2 * step + 400, round);
    std::vector<uint8_t> expected = MixedBytes(step + kCopies * 128, round + 10);
    const Buffer source = device().CreateBufferOf(data);
    const Buffer target = device().CreateBufferOf(expected);
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(source, 2 * step), Ref(target, step)}));
    ASSERT_OK(done.Wait(1));
    for (uint32_t i = 0; i < kCopies; ++i) {
      Box one = box;
      one.source.offset = 2 * step + i * 4;
      one.target.offset = step + i * 128;
      CopyInModel(one, data, &expected);
    }
    ASSERT_TRUE(SameElements(Download<uint8_t>(target), expected)) << "round " << round;
  }
}

TEST_F(StridedCopyCommandTest, UnvalidatedOnesHaveTheirDefaults) {
  const Box box = {"", 12, 4, 2, {3}, {5, 0, 60}};
  const std::vector<uint8_t> data = MixedBytes(200);
  std::vector<uint8_t> expected = MixedBytes(200, 2);
  const Buffer source = device().CreateBufferOf(data);
  const Buffer target = device().CreateBufferOf(expected);
  const CommandBuffer commands = device().CreateCommandBuffer(HAL_COMMAND_BUFFER_UNVALIDATED, 0);
  const hal_strided_copy_params_t params = StridedCopy(box, source, target);
  ASSERT_OK(commands.Begin());
  ASSERT_OK(hal_command_buffer_copy_strided(commands, &params));
  ASSERT_OK(commands.End());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {}));
  ASSERT_OK(done.Wait(1));
  CopyInModel(box, data, &expected);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
}

}  // namespace
}  // namespace halyard::cts
