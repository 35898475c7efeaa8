// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uploads and downloads of any length.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/transfers/memories.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

/// Nothing, less than a word, odd, more than an update carries, and more than drivers stage at once.
constexpr uint64_t kLengths[] = {0, 1, 3, 4097, HAL_UPDATE_MAX_LENGTH + 1, (9 << 20) + 3};

class HostTransferTest : public DeviceTest {
 protected:
  hal_status_t Upload(const Points& waits, const Points& signals, const void* data, const Ref& target) const {
    return hal_device_queue_upload(device(), hal::SubmitParams(waits, signals), data, target);
  }
  hal_status_t Download(const Points& waits, const Points& signals, const Ref& source, void* data) const {
    return hal_device_queue_download(device(), hal::SubmitParams(waits, signals), source, data);
  }
};

/// With lengths and kinds of memory.
const Memory kMemories[] = {{"DeviceLocal", DeviceLocal}, {"Mappable", Mappable}};

class HostTransferLengthTest : public DeviceTestWith<std::tuple<Number, Memory>> {};

// From odd addresses, to odd offsets, with bytes on both sides that must stay.
TEST_P(HostTransferLengthTest, MovesTheRangeAndNoMore) {
  constexpr uint64_t kOffset = 5;
  const uint64_t length = std::get<Number>(GetParam());
  const std::vector<uint8_t> data = MixedBytes(length + 1, 3);
  std::vector<uint8_t> expected = MixedBytes(length + 2 * kOffset);
  const Buffer buffer =
      device().CreateBufferOf(expected, std::get<Memory>(GetParam()).params(HAL_BUFFER_USAGE_DEFAULT));
  const Semaphore timeline = CreateSemaphore();
  std::vector<uint8_t> read(length + 2, 0x77);
  const Ref range(buffer, kOffset, length);
  ASSERT_OK(
      hal_device_queue_upload(device(), hal::SubmitParams(kNoWaits, Points{{timeline, 1}}), data.data() + 1, range));
  ASSERT_OK(hal_device_queue_download(device(), hal::SubmitParams(Points{{timeline, 1}}, Points{{timeline, 2}}), range,
                                      read.data() + 1));
  ASSERT_OK(timeline.Wait(2));
  std::copy(data.begin() + 1, data.end(), expected.begin() + kOffset);
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), expected));
  EXPECT_EQ(read.front(), 0x77);
  EXPECT_EQ(read.back(), 0x77);
  EXPECT_TRUE(std::equal(data.begin() + 1, data.end(), read.begin() + 1));
}

INSTANTIATE_TEST_SUITE_P(Lengths, HostTransferLengthTest,
                         testing::Combine(Numbers("Bytes", {kLengths[0], kLengths[1], kLengths[2], kLengths[3],
                                                            kLengths[4], kLengths[5]}),
                                          testing::ValuesIn(kMemories)),
                         ByParts);

TEST_F(HostTransferTest, UploadReadsItsDataWhenItRuns) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer target = CreateBuffer(4000);
  std::vector<uint8_t> data(4000, 1);
  ASSERT_OK(Upload({{gate, 1}}, {{done, 1}}, data.data(), target));
  const std::vector<uint8_t> later = MixedBytes(4000);
  std::copy(later.begin(), later.end(), data.begin());
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(DeviceTest::Download<uint8_t>(target), MixedBytes(4000)));
}

TEST_F(HostTransferTest, NothingIsTouchedIfAWaitFails) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore uploaded = CreateSemaphore();
  const Semaphore downloaded = CreateSemaphore();
  const Buffer buffer = device().CreateBufferOf(MixedBytes(4000));
  const std::vector<uint8_t> data(4000, 1);
  std::vector<uint8_t> read(4000, 2);
  ASSERT_OK(Upload({{gate, 1}}, {{uploaded, 1}}, data.data(), buffer));
  ASSERT_OK(Download({{gate, 1}}, {{downloaded, 1}}, buffer, read.data()));
  ASSERT_OK(gate.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, uploaded.Wait(1));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, downloaded.Wait(1));
  EXPECT_TRUE(SameElements(DeviceTest::Download<uint8_t>(buffer), MixedBytes(4000)));
  EXPECT_THAT(read, testing::Each(2));
}

// Each in a part of one buffer, ordered by nothing.
TEST_F(HostTransferTest, ManyAreUnderWayAtOnce) {
  constexpr size_t kCount = 40;
  constexpr uint64_t kLength = 5001;
  const Buffer buffer = CreateBuffer(kCount * kLength);
  const std::vector<uint8_t> data = MixedBytes(kCount * kLength);
  std::vector<uint8_t> read(kCount * kLength);
  std::vector<Semaphore> timelines;
  for (size_t i = 0; i < kCount; ++i) timelines.push_back(CreateSemaphore());
  for (size_t i = 0; i < kCount; ++i) {
    const Ref part(buffer, i * kLength, kLength);
    ASSERT_OK(Upload(kNoWaits, {{timelines[i], 1}}, data.data() + i * kLength, part));
    ASSERT_OK(Download({{timelines[i], 1}}, {{timelines[i], 2}}, part, read.data() + i * kLength));
  }
  for (const Semaphore& timeline : timelines) ASSERT_OK(timeline.Wait(2));
  EXPECT_TRUE(SameElements(read, data));
}

TEST_F(HostTransferTest, WrongArgumentsAreRefused) {
  const Buffer buffer = device().CreateBufferOf(MixedBytes(64));
  const Buffer readable = CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_SOURCE));
  const Buffer writable = CreateBuffer(64, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_TARGET));
  std::vector<uint8_t> data(128, 1);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Upload(kNoWaits, kNoWaits, nullptr, buffer));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Download(kNoWaits, kNoWaits, buffer, nullptr));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Upload(kNoWaits, kNoWaits, data.data(), Ref(buffer, 60, 5)));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Download(kNoWaits, kNoWaits, Ref(buffer, 65, 0), data.data()));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Upload(kNoWaits, kNoWaits, data.data(), readable));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Download(kNoWaits, kNoWaits, writable, data.data()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Upload(kNoWaits, kNoWaits, data.data(), Slot(0)));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_upload(nullptr, hal::SubmitParams(kNoWaits, kNoWaits), data.data(), Ref(buffer)));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_download(nullptr, hal::SubmitParams(kNoWaits, kNoWaits), Ref(buffer), data.data()));
  EXPECT_OK(Upload(kNoWaits, kNoWaits, nullptr, Ref(buffer, 64, 0)));
  EXPECT_THAT(data, testing::Each(1));
  EXPECT_TRUE(SameElements(DeviceTest::Download<uint8_t>(buffer), MixedBytes(64)));
}

}  // namespace
}  // namespace halyard::cts
