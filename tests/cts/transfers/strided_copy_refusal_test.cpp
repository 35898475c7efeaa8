// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What strided copies refuse on every route, and that they change nothing then.
#include <cstdint>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"
#include "cts/transfers/strided_copies.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

constexpr uint64_t kStridedLength = 1024;
constexpr uint64_t kHuge = UINT64_MAX;
constexpr auto kBadArgument = HAL_STATUS_INVALID_ARGUMENT;
constexpr auto kOutOfRange = HAL_STATUS_OUT_OF_RANGE;

/// A box that must be refused, from one buffer of kStridedLength bytes to another, or to itself.
struct StridedRefusal : Box {
  hal_status_t status;
  bool within_one = false;
};
void PrintTo(const StridedRefusal& refusal, std::ostream* out) { *out << refusal.name; }

const StridedRefusal kStridedRefusals[] = {
    {{"TargetRowsOverlap", 16, 4, 1, {}, {0, 15}}, kBadArgument},
    {{"SourceRowsOverlap", 16, 4, 1, {0, 15}, {}}, kBadArgument},
    {{"TargetSlicesOverlap", 16, 4, 2, {}, {0, 20, 79}}, kBadArgument},
    {{"SourceSlicesOverlap", 16, 4, 2, {0, 20, 60}, {}}, kBadArgument},
    {{"SlicesOfOneRowOverlap", 16, 1, 4, {}, {0, 0, 15}}, kBadArgument},
    {{"TargetSliceIsNoMultiple", 16, 4, 2, {}, {0, 20, 90}}, kBadArgument},
    {{"SourceSliceIsNoMultiple", 16, 4, 2, {0, 20, 90}, {}}, kBadArgument},
    {{"TargetEndsPastTheBuffer", 16, 4, 1, {}, {0, 337}}, kOutOfRange},
    {{"SourceEndsPastTheBuffer", 16, 4, 1, {0, 337}, {}}, kOutOfRange},
    {{"TargetBeginsPastTheBuffer", 1, 1, 1, {}, {kStridedLength + 1}}, kOutOfRange},
    {{"NothingBeyondTheBuffer", 0, 1, 1, {}, {kStridedLength + 1}}, kOutOfRange},
    {{"RowIsTooLong", kStridedLength + 1, 1, 1, {}, {}}, kOutOfRange},
    {{"RowIsHuge", kHuge, 1, 1, {}, {}}, kOutOfRange},
    {{"RowIsNearlyHuge", kHuge - 1, 1, 1, {}, {}}, kOutOfRange},
    {{"RowsAreMany", 1, kHuge, 1, {}, {}}, kOutOfRange},
    {{"SlicesAreMany", 1, 1, kHuge, {}, {}}, kOutOfRange},
    {{"TheirProductOverflows", uint64_t{1} << 32, uint64_t{1} << 32, 2, {}, {}}, kOutOfRange},
    {{"PitchOverflows", 1, 3, 1, {}, {0, uint64_t{1} << 63}}, kOutOfRange},
    {{"SlicePitchOverflows", 1, 2, 3, {}, {0, 2, uint64_t{1} << 63}}, kOutOfRange},
    {{"PitchIsHuge", 1, 2, 1, {}, {0, kHuge}}, kOutOfRange},
    {{"OffsetIsHuge", 1, 1, 1, {}, {kHuge}}, kOutOfRange},
    {{"OntoItself", 16, 4, 1, {0, 32}, {0, 32}}, kBadArgument, true},
    {{"OverlapsByOneByte", 16, 4, 1, {0, 32}, {15, 32}}, kBadArgument, true},
    {{"OverlapsByOneByteBackward", 16, 4, 1, {15, 32}, {0, 32}}, kBadArgument, true},
    {{"OverlapsInTheNextRow", 16, 4, 1, {0, 32}, {47, 32}}, kBadArgument, true},
    {{"OverlapsInTheLastRow", 16, 4, 1, {0, 32}, {111, 32}}, kBadArgument, true},
    {{"OverlapsInTheNextSlice", 8, 2, 3, {0, 16, 64}, {71, 16, 64}}, kBadArgument, true},
    {{"OverlapsBackwardInASlice", 8, 2, 3, {73, 16, 64}, {64, 16, 64}}, kBadArgument, true},
    {{"PitchesDifferInOneBuffer", 8, 4, 1, {0, 32}, {8, 40}}, kBadArgument, true},
    {{"ShiftsByOne", 100, 1, 1, {0}, {1}}, kBadArgument, true},
};

class StridedCopyRefusalTest : public DeviceTestWith<std::tuple<Route, StridedRefusal>> {};

TEST_P(StridedCopyRefusalTest, ChangesNothing) {
  const auto& [route, refusal] = GetParam();
  const std::vector<uint8_t> old = MixedBytes(kStridedLength);
  const Buffer target = device().CreateBufferOf(old);
  const Buffer source = refusal.within_one ? target : device().CreateBufferOf(MixedBytes(kStridedLength, 2));
  EXPECT_STATUS(refusal.status, Submitter(device(), route).CopyStrided(StridedCopy(refusal, source, target)));
  EXPECT_STRNE(hal_last_error_message(), "");
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), old));
}

INSTANTIATE_TEST_SUITE_P(Boxes, StridedCopyRefusalTest, testing::Combine(Routes(), testing::ValuesIn(kStridedRefusals)),
                         ByParts);

class StridedCopyRefusalRouteTest : public DeviceTestWith<Route> {
 protected:
  hal_status_t Copy(const hal_strided_copy_params_t& params) const {
    return Submitter(device(), GetParam()).CopyStrided(params);
  }

  const Box box_ = {"", 16, 4, 1, {0, 32}, {0, 48}};
  const Buffer source_ = device().CreateBufferOf(MixedBytes(kStridedLength));
  const Buffer target_ = device().CreateBufferOf(MixedBytes(kStridedLength, 2));
};

TEST_P(StridedCopyRefusalRouteTest, RangesMustHoldTheLastByte) {
  hal_strided_copy_params_t params = StridedCopy(box_, source_, target_);
  params.source.length = 3 * 32 + 15;
  EXPECT_STATUS(kOutOfRange, Copy(params));
  params.source.length = 3 * 32 + 16;
  params.target.length = 3 * 48 + 15;
  EXPECT_STATUS(kOutOfRange, Copy(params));
  params.target.length = kStridedLength + 1;
  EXPECT_STATUS(kOutOfRange, Copy(params));
  params.target.length = 3 * 48 + 16;
  EXPECT_OK(Copy(params));
}

TEST_P(StridedCopyRefusalRouteTest, BuffersNeedTheirUsage) {
  const Buffer readable = CreateBuffer(kStridedLength, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_SOURCE));
  const Buffer writable = CreateBuffer(kStridedLength, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_TARGET));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Copy(StridedCopy(box_, source_, readable)));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Copy(StridedCopy(box_, writable, target_)));
  EXPECT_OK(Copy(StridedCopy(box_, readable, writable)));
}

TEST_P(StridedCopyRefusalRouteTest, ParametersMustBeWhatTheySay) {
  hal_strided_copy_params_t params = StridedCopy(box_, source_, target_);
  params.struct_size = 4;
  EXPECT_STATUS(kBadArgument, Copy(params));
}

INSTANTIATE_TEST_SUITE_P(Route, StridedCopyRefusalRouteTest, Routes(), ByNameOf);

using StridedCopyArgumentTest = DeviceTest;

TEST_F(StridedCopyArgumentTest, NullIsRefused) {
  const CommandBuffer commands = device().CreateCommandBuffer(0, 0);
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(kBadArgument, hal_command_buffer_copy_strided(commands, nullptr));
  EXPECT_STATUS(kBadArgument, hal_device_queue_copy_strided(device(), hal::SubmitParams(kNoWaits, kNoWaits), nullptr));
  hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
  EXPECT_STATUS(kBadArgument, hal_device_queue_copy_strided(nullptr, hal::SubmitParams(kNoWaits, kNoWaits), &params));
  EXPECT_STATUS(kBadArgument, hal_device_queue_copy_strided(device(), hal::SubmitParams(kNoWaits, kNoWaits), &params));
  EXPECT_STATUS(kBadArgument, hal_command_buffer_copy_strided(nullptr, &params));
}

}  // namespace
}  // namespace halyard::cts
