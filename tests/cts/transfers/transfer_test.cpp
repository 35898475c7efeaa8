// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fill, update and copy, on every route: at every class of offset and length, and nothing beyond the range. What they
// refuse is in transfer_refusal_test.cpp.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"
#include "cts/transfers/memories.h"

namespace halyard::cts {
namespace {

/// Room for the largest offset and length below, and some more that must stay as it is.
constexpr size_t kTransferLength = 8192;

/// Lengths around every width that an implementation may work in.
constexpr uint64_t kTransferLengths[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,   9,   12,   15,
                                         16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 1000, 4097};

/// Offsets of every alignment class.
constexpr uint64_t kOffsets[] = {0, 1, 2, 3, 4, 7, 8, 16, 63};

/// Names the range at hand if something fails.
std::string At(uint64_t offset, uint64_t length) {
  return std::to_string(length) + " bytes at " + std::to_string(offset);
}

/// `bytes` with `patch` written at `offset`.
std::vector<uint8_t> Patched(std::vector<uint8_t> bytes, uint64_t offset, const std::vector<uint8_t>& patch) {
  std::copy(patch.begin(), patch.end(), bytes.begin() + static_cast<ptrdiff_t>(offset));
  return bytes;
}

/// The bytes of a range.
// --- Fill ---

class FillTest : public DeviceTestWith<std::tuple<Route, Number>> {
 protected:
  hal_status_t Fill(uint64_t offset, uint64_t length) const {
    return Submitter(device(), std::get<Route>(GetParam()))
        .FillWith(Ref(target_, offset, length), pattern_.data(), size_);
  }
  std::vector<uint8_t> Repeated(uint64_t length) const {
    std::vector<uint8_t> bytes(length);
    for (uint64_t i = 0; i < length; ++i) bytes[i] = pattern_[i % size_];
    return bytes;
  }

  const uint64_t size_ = std::get<Number>(GetParam());  // of the pattern, in bytes
  const std::vector<uint8_t> pattern_ = {0xA1, 0xB2, 0xC3, 0xD4};
  const std::vector<uint8_t> old_ = MixedBytes(kTransferLength);
  const Buffer target_ = device().CreateBufferOf(old_);
};

TEST_P(FillTest, WritesTheRangeAndNoMore) {
  for (const uint64_t offset_in_patterns : kOffsets) {
    for (const uint64_t length_in_patterns : kTransferLengths) {
      const uint64_t offset = offset_in_patterns * size_;
      const uint64_t length = std::min(length_in_patterns * size_, (kTransferLength - 64 - offset) / size_ * size_);
      Upload(target_, old_);
      ASSERT_OK(Fill(offset, length)) << At(offset, length);
      ASSERT_TRUE(SameElements(Download<uint8_t>(target_), Patched(old_, offset, Repeated(length))))
          << At(offset, length);
    }
  }
}

TEST_P(FillTest, WholeSizeReachesTheEnd) {
  const uint64_t offset = 37 * size_;
  ASSERT_OK(Fill(offset, HAL_WHOLE_SIZE));
  EXPECT_TRUE(SameElements(Download<uint8_t>(target_), Patched(old_, offset, Repeated(kTransferLength - offset))));
}

INSTANTIATE_TEST_SUITE_P(Patterns, FillTest, testing::Combine(Routes(), Numbers("Bytes", {1, 2, 4})), ByParts);

// --- Update ---

class UpdateTest : public DeviceTestWith<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

TEST_P(UpdateTest, WritesTheRangeAndNoMore) {
  const std::vector<uint8_t> old = MixedBytes(kTransferLength);
  const std::vector<uint8_t> data = MixedBytes(kTransferLength, 2);
  const Buffer target = CreateBuffer(kTransferLength);
  for (const uint64_t offset : kOffsets) {
    for (const uint64_t length : kTransferLengths) {
      Upload(target, old);
      ASSERT_OK(submitter_.Update(data.data(), Ref(target, offset, length))) << At(offset, length);
      ASSERT_TRUE(SameElements(Download<uint8_t>(target), Patched(old, offset, Slice(data, 0, length))))
          << At(offset, length);
    }
  }
}

TEST_P(UpdateTest, TakesDataFromAnyAddress) {
  const std::vector<uint8_t> data = MixedBytes(256);
  const Buffer target = CreateBuffer(256);
  for (const uint64_t skip : {1, 2, 3, 5, 8}) {
    ASSERT_OK(submitter_.Update(data.data() + skip, Ref(target, 4, 100)));
    EXPECT_TRUE(SameElements(Download<uint8_t>(target, 4, 100), Slice(data, skip, 100)));
  }
}

TEST_P(UpdateTest, CarriesTheMostThatIsAllowed) {
  const std::vector<uint8_t> old = MixedBytes(HAL_UPDATE_MAX_LENGTH + 256);
  const std::vector<uint8_t> data = MixedBytes(HAL_UPDATE_MAX_LENGTH, 2);
  const Buffer target = CreateBuffer(old.size());
  for (const uint64_t offset : kOffsets) {
    Upload(target, old);
    ASSERT_OK(submitter_.Update(data.data(), Ref(target, offset, HAL_UPDATE_MAX_LENGTH)));
    ASSERT_TRUE(SameElements(Download<uint8_t>(target), Patched(old, offset, data))) << "at " << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Route, UpdateTest, Routes(), ByNameOf);

// --- Copy ---

class CopyTest : public DeviceTestWith<std::tuple<Route, Number>> {
 protected:
  const Submitter submitter_{device(), std::get<Route>(GetParam())};
  const uint64_t from_ = std::get<Number>(GetParam());
};

TEST_P(CopyTest, WritesTheRangeAndNoMore) {
  const std::vector<uint8_t> data = MixedBytes(kTransferLength);
  const std::vector<uint8_t> old = MixedBytes(kTransferLength, 2);
  const Buffer source = device().CreateBufferOf(data);
  const Buffer target = CreateBuffer(kTransferLength);
  for (const uint64_t to : kOffsets) {
    for (const uint64_t length : kTransferLengths) {
      Upload(target, old);
      ASSERT_OK(submitter_.Copy(Ref(source, from_, length), Ref(target, to, length))) << At(to, length);
      ASSERT_TRUE(SameElements(Download<uint8_t>(target), Patched(old, to, Slice(data, from_, length))))
          << At(to, length);
    }
  }
  EXPECT_TRUE(SameElements(Download<uint8_t>(source), data));
}

TEST_P(CopyTest, WorksWithinOneBuffer) {
  const std::vector<uint8_t> old = MixedBytes(kTransferLength);
  const Buffer buffer = CreateBuffer(kTransferLength);
  for (const uint64_t offset : kOffsets) {
    for (const uint64_t length : {1, 3, 4, 16, 100, 4000}) {
      const uint64_t to = kTransferLength / 2 + offset;
      Upload(buffer, old);
      ASSERT_OK(submitter_.Copy(Ref(buffer, from_, length), Ref(buffer, to, length))) << At(to, length);
      ASSERT_TRUE(SameElements(Download<uint8_t>(buffer), Patched(old, to, Slice(old, from_, length))))
          << At(to, length);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Offsets, CopyTest, testing::Combine(Routes(), Numbers("From", {0, 1, 2, 3, 4, 8, 63})),
                         ByParts);

// --- On every route ---

class TransferTest : public DeviceTestWith<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

// What `submit` points to is overwritten while the operation is deferred.
TEST_P(TransferTest, UpdateCapturesItsDataAtTheCall) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer target = CreateBuffer(4000);
  std::vector<uint8_t> data = MixedBytes(4000);
  ASSERT_OK(submitter_.SubmitUpdate({{gate, 1}}, {{done, 1}}, data.data(), Ref(target, 0, 4000)));
  std::fill(data.begin(), data.end(), uint8_t{0});
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), MixedBytes(4000)));
}

TEST_P(TransferTest, FillCapturesItsPatternAtTheCall) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer target = CreateBuffer(64);
  uint32_t pattern = 0x11223344;
  ASSERT_OK(submitter_.SubmitFill({{gate, 1}}, {{done, 1}}, target, &pattern, sizeof(pattern)));
  pattern = 0;
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(target), testing::Each(0x11223344u));
}

TEST_P(TransferTest, CopyReadsItsSourceWhenItRuns) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer source = device().CreateBufferOf(Counting(100));
  const Buffer target = CreateBuffer(400);
  ASSERT_OK(submitter_.SubmitCopy({{gate, 1}}, {{done, 1}}, source, target));
  Upload(source, Counting(100, 5000));
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), Counting(100, 5000)));
}

TEST_P(TransferTest, NothingIsWrittenIfAWaitFails) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore filled = CreateSemaphore();
  const Semaphore updated = CreateSemaphore();
  const Semaphore copied = CreateSemaphore();
  const Buffer target = device().CreateBufferOf(Counting(300));
  const Buffer source = device().CreateBufferOf(std::vector<uint32_t>(100, 9));
  const std::vector<uint32_t> data(100, 9);
  const uint32_t pattern = 9;
  ASSERT_OK(submitter_.SubmitFill({{gate, 1}}, {{filled, 1}}, Ref(target, 0, 400), &pattern, sizeof(pattern)));
  ASSERT_OK(submitter_.SubmitUpdate({{gate, 1}}, {{updated, 1}}, data.data(), Ref(target, 400, 400)));
  ASSERT_OK(submitter_.SubmitCopy({{gate, 1}}, {{copied, 1}}, source, Ref(target, 800, 400)));
  ASSERT_OK(gate.Fail(HAL_STATUS_DATA_LOSS));
  for (const Semaphore& semaphore : {filled, updated, copied}) {
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS, semaphore.Wait(1));
  }
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), Counting(300)));
}

TEST_P(TransferTest, EitherLengthOfACopyMayBeTheOthers) {
  const Buffer source = device().CreateBufferOf(Counting(100));
  const Buffer target = CreateBuffer(1000);
  ASSERT_OK(submitter_.Copy(Ref(source, 40, 80), Ref(target, 100)));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target, 100, 20), Counting(20, 10)));
  ASSERT_OK(submitter_.Copy(Ref(source, 0), Ref(target, 200, 160)));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target, 200, 40), Counting(40)));
}

TEST_P(TransferTest, CopyOfWholeBuffersOfOneLength) {
  const Buffer source = device().CreateBufferOf(Counting(777));
  const Buffer target = CreateBuffer(777 * 4);
  ASSERT_OK(submitter_.Copy(source, target));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), Counting(777)));
}

TEST_P(TransferTest, NeighbouringRangesOfOneBufferAreNoOverlap) {
  const Buffer buffer = device().CreateBufferOf(Counting(64));
  ASSERT_OK(submitter_.Copy(Ref(buffer, 0, 128), Ref(buffer, 128, 128)));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer, 128), Counting(32)));
  ASSERT_OK(submitter_.Copy(Ref(buffer, 129, 127), Ref(buffer, 2, 127)));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer, 2, 127), Download<uint8_t>(buffer, 129, 127)));
}

TEST_P(TransferTest, LargeBuffersAreMovedWhole) {
  constexpr size_t kLarge = 4 * 1024 * 1024 + 3;
  const std::vector<uint8_t> bytes = MixedBytes(kLarge);
  const Buffer source = device().CreateBufferOf(bytes);
  const Buffer target = CreateBuffer(kLarge + 1);
  ASSERT_OK(submitter_.Fill(target, uint8_t{0x3C}));
  ASSERT_OK(submitter_.Copy(source, Ref(target, 1)));
  std::vector<uint8_t> expected = bytes;
  expected.insert(expected.begin(), 0x3C);
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), expected));
}

INSTANTIATE_TEST_SUITE_P(Route, TransferTest, Routes(), ByNameOf);

// --- Between kinds of memory ---

hal_buffer_params_t HostLocal(hal_buffer_usage_t usage) {
  hal_buffer_params_t params = Mappable(usage);
  params.memory_type |= HAL_MEMORY_TYPE_HOST_LOCAL;
  return params;
}

class CopyBetweenMemoriesTest : public DeviceTestWith<std::tuple<Route, Memory, Memory>> {};

TEST_P(CopyBetweenMemoriesTest, MovesTheBytes) {
  const auto& [route, from, to] = GetParam();
  const std::vector<uint8_t> bytes = MixedBytes(10'001);
  const Buffer source = device().CreateBufferOf(bytes, from.params(HAL_BUFFER_USAGE_DEFAULT));
  const Buffer target = CreateBuffer(10'001, to.params(HAL_BUFFER_USAGE_DEFAULT));
  ASSERT_OK(Submitter(device(), route).Copy(source, target));
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), bytes));
}

const Memory kAllMemories[] = {{"DeviceLocal", DeviceLocal}, {"Mappable", Mappable}, {"HostLocal", HostLocal}};
INSTANTIATE_TEST_SUITE_P(Memories, CopyBetweenMemoriesTest,
                         testing::Combine(Routes(), testing::ValuesIn(kAllMemories), testing::ValuesIn(kAllMemories)),
                         ByParts);

// --- Against a model ---

/// Random transfers on one buffer, one after the other, compared with the same done in host memory.
class RandomTransferTest : public DeviceTestWith<std::tuple<Route, Number>> {};

TEST_P(RandomTransferTest, AgreesWithTheModel) {
  constexpr uint64_t kSize = 1000;
  const Submitter submitter(device(), std::get<Route>(GetParam()));
  SeededRandom random;
  std::vector<uint8_t> model = random.Bytes(kSize);
  const Buffer buffer = device().CreateBufferOf(model);
  for (uint64_t step = 0; step < std::get<Number>(GetParam()); ++step) {
    const uint64_t length = random.Below(kSize / 2);
    const uint64_t offset = random.Between(kSize / 2, kSize - length);
    switch (random.Below(3)) {
      case 0: {
        const auto value = static_cast<uint8_t>(random.Below(256));
        ASSERT_OK(submitter.Fill(Ref(buffer, offset, length), value));
        std::fill_n(model.begin() + static_cast<ptrdiff_t>(offset), length, value);
        break;
      }
      case 1: {
        const std::vector<uint8_t> data = random.Bytes(length);
        ASSERT_OK(submitter.Update(data.data(), Ref(buffer, offset, length)));
        model = Patched(model, offset, data);
        break;
      }
      default: {
        const uint64_t from = random.Between(0, kSize / 2 - length);
        const bool forward = random.OneIn(2);
        ASSERT_OK(
            submitter.Copy(Ref(buffer, forward ? from : offset, length), Ref(buffer, forward ? offset : from, length)));
        model = Patched(model, forward ? offset : from, Slice(model, forward ? from : offset, length));
      }
    }
  }
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), model));
}

INSTANTIATE_TEST_SUITE_P(Steps, RandomTransferTest, testing::Combine(Routes(), Numbers("Steps", {100, 200})), ByParts);

}  // namespace
}  // namespace halyard::cts
