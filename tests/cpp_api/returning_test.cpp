// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ API without exceptions, on the local device. This file is compiled with -fno-exceptions.
#include <gmock/gmock.h>

#include <chrono>
#include <vector>

#include "halyard/halyard.hpp"

static_assert(HAL_CPP_EXCEPTIONS == 0);

namespace {

using testing::Each;
using testing::HasSubstr;

TEST(ReturningApiTest, AnOperationRuns) {
  const auto device = hal::Device::Open("local://sync");
  ASSERT_TRUE(device.ok()) << device.status().ToString();
  const auto done = hal::Semaphore::Create(*device);
  ASSERT_TRUE(done.ok());
  const auto buffer = device->allocator().Allocate(64, HAL_BUFFER_PARAMS_STAGING_INIT);
  ASSERT_TRUE(buffer.ok());
  ASSERT_TRUE(device->queues().Fill({}, done->At(1), *buffer, uint8_t{9}).ok());
  const auto in_time = done->WaitFor(1, std::chrono::minutes(10));
  ASSERT_TRUE(in_time.ok() && *in_time);
  std::vector<uint8_t> bytes(64);
  ASSERT_TRUE(buffer->Read(bytes).ok());
  EXPECT_THAT(bytes, Each(9));
}

TEST(ReturningApiTest, AFailureIsAValueWithTheMessage) {
  const auto none = hal::Device::Open("locl");
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.status(), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(none.status().ToString(), HasSubstr("NOT_FOUND: "));
  const hal::Status status = hal::Semaphore().Signal(1);
  EXPECT_EQ(status, HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(status.message(), HasSubstr("hal_semaphore_signal"));
  EXPECT_EQ(hal::Status().ToString(), "OK");
}

TEST(ReturningApiTest, TheValueCanBeMovedOut) {
  auto opened = hal::Device::Open("local://sync");
  ASSERT_TRUE(opened.ok());
  const hal::Device device = *std::move(opened);
  EXPECT_TRUE(device.QueryHealth().ok());
  const auto late = hal::Semaphore::Create(device)->WaitFor(1, std::chrono::seconds(0));
  ASSERT_TRUE(late.ok());
  EXPECT_FALSE(*late);
}

TEST(ReturningApiTest, AHostCallReturnsAStatus) {
  const auto device = hal::Device::Open("local://sync");
  ASSERT_TRUE(device.ok());
  const auto done = hal::Semaphore::Create(*device);
  ASSERT_TRUE(done.ok());
  const auto torn = [] { return hal::Status(HAL_STATUS_DATA_LOSS, "torn"); };
  ASSERT_TRUE(device->queues().HostCall({}, done->At(1), torn).ok());
  const hal::Status status = done->Wait(1);
  EXPECT_EQ(status, HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(status.message(), HasSubstr("torn"));
}

}  // namespace
