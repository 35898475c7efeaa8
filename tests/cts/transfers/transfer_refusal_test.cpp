// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fill, update and copy refuse on every route, and that they change nothing then.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

using testing::AnyOf;

constexpr uint64_t kRefusedLength = 1024;

/// A transfer that must be refused. `target` has kRefusedLength bytes that must stay as they are; `source` is as long.
struct Refusal {
  const char* name;
  hal_status_t status;
  hal_status_t (*run)(const Submitter& submitter, const Buffer& source, const Buffer& target);
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class TransferRefusalTest : public DeviceTestWith<std::tuple<Route, Refusal>> {};

TEST_P(TransferRefusalTest, ChangesNothing) {
  const auto& [route, refusal] = GetParam();
  const std::vector<uint8_t> old = MixedBytes(kRefusedLength);
  const Buffer source = device().CreateBufferOf(MixedBytes(kRefusedLength, 2));
  const Buffer target = device().CreateBufferOf(old);
  EXPECT_STATUS(refusal.status, refusal.run(Submitter(device(), route), source, target));
  EXPECT_STRNE(hal_last_error_message(), "");
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), old));
}

template <size_t kSize>
hal_status_t FillWithPatternOf(const Submitter& submitter, const Buffer&, const Buffer& target) {
  const uint8_t pattern[32] = {};
  return submitter.FillWith(Ref(target, 0, 96), pattern, kSize);
}

const Refusal kFillRefusals[] = {
    {"FillPatternOf0Bytes", HAL_STATUS_INVALID_ARGUMENT, FillWithPatternOf<0>},
    {"FillPatternOf3Bytes", HAL_STATUS_INVALID_ARGUMENT, FillWithPatternOf<3>},
    {"FillPatternOf5Bytes", HAL_STATUS_INVALID_ARGUMENT, FillWithPatternOf<5>},
    {"FillPatternOf8Bytes", HAL_STATUS_INVALID_ARGUMENT, FillWithPatternOf<8>},
    {"FillPatternOf16Bytes", HAL_STATUS_INVALID_ARGUMENT, FillWithPatternOf<16>},
    {"FillWithoutPattern", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& t) { return s.FillWith(t, nullptr, 4); }},
    {"FillOffsetNoMultipleOf2", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& t) { return s.Fill(Ref(t, 3, 4), uint16_t{1}); }},
    {"FillLengthNoMultipleOf2", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& t) { return s.Fill(Ref(t, 2, 5), uint16_t{1}); }},
    {"FillOffsetNoMultipleOf4", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& t) { return s.Fill(Ref(t, 2, 8), uint32_t{1}); }},
    {"FillLengthNoMultipleOf4", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& t) { return s.Fill(Ref(t, 4, 6), uint32_t{1}); }},
};
INSTANTIATE_TEST_SUITE_P(Fill, TransferRefusalTest, testing::Combine(Routes(), testing::ValuesIn(kFillRefusals)),
                         ByParts);

const Refusal kCopyRefusals[] = {
    {"CopyLengthsDiffer", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer& a, const Buffer& b) { return s.Copy(Ref(a, 0, 64), Ref(b, 0, 65)); }},
    {"CopySourceShorterThanTarget", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer& a, const Buffer& b) { return s.Copy(Ref(a, 0, 0), Ref(b, 0, 1)); }},
    {"CopyOntoItself", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) { return s.Copy(b, b); }},
    {"CopyOntoItselfInPart", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) { return s.Copy(Ref(b, 4, 100), Ref(b, 4, 100)); }},
    {"CopyOverlapsByOneForward", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) { return s.Copy(Ref(b, 0, 100), Ref(b, 99, 100)); }},
    {"CopyOverlapsByOneBackward", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) { return s.Copy(Ref(b, 99, 100), Ref(b, 0, 100)); }},
    {"CopyShiftsByOne", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) { return s.Copy(Ref(b, 0, 1000), Ref(b, 1, 1000)); }},
    {"CopyOverlapsThroughSubspans", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) {
       Buffer first;
       Buffer second;
       Check(hal_buffer_subspan(b, 0, 512, first.out()), "hal_buffer_subspan");
       Check(hal_buffer_subspan(b, 256, 512, second.out()), "hal_buffer_subspan");
       return s.Copy(Ref(first, 0, 260), Ref(second, 0, 260));
     }},
    {"CopyOverlapsThroughOneSubspan", HAL_STATUS_INVALID_ARGUMENT,
     [](const Submitter& s, const Buffer&, const Buffer& b) {
       Buffer part;
       Check(hal_buffer_subspan(b, 256, 512, part.out()), "hal_buffer_subspan");
       return s.Copy(Ref(b, 300, 100), Ref(part, 0, 100));
     }},
};
INSTANTIATE_TEST_SUITE_P(Copy, TransferRefusalTest, testing::Combine(Routes(), testing::ValuesIn(kCopyRefusals)),
                         ByParts);

/// Ranges that lie outside, alone or by a sum that overflows.
struct Range {
  const char* name;
  uint64_t offset;
  uint64_t length;
};
void PrintTo(const Range& range, std::ostream* out) { *out << range.name; }

const Range kRanges[] = {
    {"TooLong", 0, kRefusedLength + 4},           {"TooFar", kRefusedLength - 4, 8},
    {"BeginsAfterTheEnd", kRefusedLength + 4, 4}, {"BeginsAfterTheEndAndIsEmpty", kRefusedLength + 4, 0},
    {"SumOverflows", 512, UINT64_MAX - 255},      {"OffsetIsHuge", UINT64_MAX - 3, 4},
    {"LengthIsHuge", 0, UINT64_MAX - 3},
};

class TransferRangeTest : public DeviceTestWith<std::tuple<Route, Range>> {
 protected:
  Ref Outside(const Buffer& buffer) const {
    const Range& range = std::get<Range>(GetParam());
    return {buffer, range.offset, range.length};
  }
  uint64_t length() const { return std::get<Range>(GetParam()).length; }

  const Submitter submitter_{device(), std::get<Route>(GetParam())};
  const std::vector<uint8_t> old_ = MixedBytes(kRefusedLength);
  const Buffer buffer_ = device().CreateBufferOf(old_);
  const Buffer other_ = device().CreateBufferOf(MixedBytes(2 * kRefusedLength, 2));
};

TEST_P(TransferRangeTest, IsOutOfRangeForEveryTransfer) {
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Fill(Outside(buffer_), uint8_t{1}));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Fill(Outside(buffer_), uint32_t{1}));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Copy(Outside(buffer_), Ref(other_, 0)));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Copy(Ref(other_, 0), Outside(buffer_)));
  if (length() <= HAL_UPDATE_MAX_LENGTH) {  // above, it is refused for another reason
    const std::vector<uint8_t> data(2 * kRefusedLength);
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Update(data.data(), Outside(buffer_)));
  }
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer_), old_));
}

TEST_P(TransferRangeTest, SubspanEndsBeforeItsAllocation) {
  const Buffer larger = device().CreateBufferOf(MixedBytes(4 * kRefusedLength));
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(larger, kRefusedLength, kRefusedLength, part.out()));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Fill(Outside(part), uint8_t{1}));
  EXPECT_TRUE(SameElements(Download<uint8_t>(larger), MixedBytes(4 * kRefusedLength)));
}

INSTANTIATE_TEST_SUITE_P(Ranges, TransferRangeTest, testing::Combine(Routes(), testing::ValuesIn(kRanges)), ByParts);

class TransferRefusalRouteTest : public DeviceTestWith<Route> {
 protected:
  const Submitter submitter_{device(), GetParam()};
};

TEST_P(TransferRefusalRouteTest, UpdateOfMoreThanIsAllowedIsRefused) {
  const std::vector<uint8_t> data(HAL_UPDATE_MAX_LENGTH + 4, 1);
  const Buffer target = CreateBuffer(HAL_UPDATE_MAX_LENGTH + 4);
  for (const uint64_t length : {HAL_UPDATE_MAX_LENGTH + 1, HAL_UPDATE_MAX_LENGTH + 4}) {
    EXPECT_THAT(submitter_.Update(data.data(), Ref(target, 0, length)),
                AnyOf(HAL_STATUS_INVALID_ARGUMENT, HAL_STATUS_OUT_OF_RANGE));
  }
}

TEST_P(TransferRefusalRouteTest, UpdateWithoutDataIsRefused) {
  const Buffer target = CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submitter_.Update(nullptr, Ref(target, 0, 64)));
}

TEST_P(TransferRefusalRouteTest, FillOfAnOddRestIsRefused) {
  const Buffer target = CreateBuffer(63);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submitter_.Fill(Ref(target, 0), uint16_t{1}));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submitter_.Fill(Ref(target, 4), uint32_t{1}));
  EXPECT_OK(submitter_.Fill(Ref(target, 0, 62), uint16_t{1}));
}

TEST_P(TransferRefusalRouteTest, CopyBetweenWholeBuffersOfDifferentLengthIsRefused) {
  const Buffer shorter = CreateBuffer(60);
  const Buffer longer = CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submitter_.Copy(shorter, longer));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submitter_.Copy(longer, shorter));
}

TEST_P(TransferRefusalRouteTest, LengthThatIsTheOthersMustFit) {
  const Buffer shorter = CreateBuffer(60);
  const Buffer longer = CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Copy(Ref(shorter, 0), Ref(longer, 0, 61)));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, submitter_.Copy(Ref(longer, 0, 64), Ref(shorter, 0)));
}

TEST_P(TransferRefusalRouteTest, RefusedSubmissionSignalsNothing) {
  const Semaphore done = CreateSemaphore();
  const Buffer target = CreateBuffer(64);
  const uint32_t pattern = 1;
  ASSERT_NE(submitter_.SubmitFill(kNoWaits, {{done, 1}}, Ref(target, 0, 65), &pattern, 4), HAL_STATUS_OK);
  EXPECT_OK(done.Query());
  EXPECT_EQ(done.Value(), 0u);
  EXPECT_OK(done.Signal(1));
}

INSTANTIATE_TEST_SUITE_P(Route, TransferRefusalRouteTest, Routes(), ByNameOf);

}  // namespace
}  // namespace halyard::cts
