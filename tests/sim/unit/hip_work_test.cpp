// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches, graphs, events, code objects and lost devices.
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "hip_sim_test.h"

namespace halyard::sim {
namespace {

using HipLaunchTest = HipSimTest;

TEST_F(HipLaunchTest, ParametersArriveInTheOrderOfTheImage) {
  float* x = MakePinned<float>(100);
  float* y = MakePinned<float>(100);
  std::fill_n(x, 100, 1.0F);
  float a = 2.5F;
  uint32_t count = 100;
  void* params[] = {&y, &a, &x, &count};
  ASSERT_HIP(api_.hipModuleLaunchKernel(GetFunction("scale"), 2, 1, 1, 64, 1, 1, 0, stream_, params, nullptr));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(y, y + 100), testing::Each(2.5F));
}

TEST_F(HipLaunchTest, ParametersMayComeAsOneBlock) {
  struct {
    uint32_t* log;
    uint32_t value;
  } block = {MakePinned<uint32_t>(2), 8};
  size_t size = 12;
  void* extra[] = {reinterpret_cast<void*>(1), &block, reinterpret_cast<void*>(2), &size, reinterpret_cast<void*>(3)};
  ASSERT_HIP(api_.hipModuleLaunchKernel(GetFunction("append"), 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, extra));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_EQ(block.log[1], 8U);
}

TEST_F(HipLaunchTest, AWorkgroupAboveTheKernelsBoundLosesNothing) {
  uint32_t* log = MakePinned<uint32_t>(2);
  uint32_t value = 1;
  void* params[] = {&log, &value};
  const auto launch = [&](unsigned grid, unsigned block) {
    return api_.hipModuleLaunchKernel(GetFunction("append"), 1, grid, 1, block, 1, 1, 0, stream_, params, nullptr);
  };
  for (const int version : {kHip64, kHip71}) {
    api_.SetVersion(version);
    EXPECT_EQ(launch(1, 2), hipErrorLaunchFailure);
    EXPECT_EQ(launch(0, 1), hipErrorInvalidValue);
    EXPECT_EQ(launch(70000, 1), hipErrorInvalidConfiguration);
    EXPECT_EQ(TakeReports("launch-limits"), 3U);
    ASSERT_HIP(launch(1, 1));
    ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  }
  EXPECT_EQ(log[0], 2U);
}

TEST_F(HipLaunchTest, FunctionsTellTheirBound) {
  int bound = 0;
  int local = 0;
  ASSERT_HIP(api_.hipFuncGetAttribute(&bound, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, GetFunction("scale")));
  ASSERT_HIP(api_.hipFuncGetAttribute(&local, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, GetFunction("local_size")));
  EXPECT_EQ(bound, 256);
  EXPECT_EQ(local, 1024);
}

TEST_F(HipLaunchTest, SomeStreamsExistWithoutBeingMade) {
  const auto legacy = reinterpret_cast<hipStream_t>(1);
  const auto per_thread = reinterpret_cast<hipStream_t>(2);
  uint32_t* log = MakePinned<uint32_t>(8);
  Close(per_thread);
  ASSERT_HIP(Append(log, 1, per_thread));
  ASSERT_HIP(Append(log, 2, nullptr));
  ASSERT_HIP(Append(log, 3, legacy));
  std::thread([&] {
    ASSERT_HIP(Append(log + 4, 4, stream_));
    ASSERT_HIP(api_.hipStreamSynchronize(stream_));
    ASSERT_HIP(api_.hipStreamSynchronize(per_thread));  // another one, without work
  }).join();
  Open();
  ASSERT_HIP(api_.hipStreamSynchronize(legacy));
  EXPECT_THAT(std::vector(log, log + 6), testing::ElementsAre(3, 1, 2, 3, 1, 4));
}

using HipCodeObjectTest = HipSimTest;

TEST_F(HipCodeObjectTest, AnotherProcessorsCodeIsRefused) {
  hipModule_t module = nullptr;
  api_.SetArchitecture("gfx1100");
  EXPECT_EQ(api_.hipModuleLoadData(&module, CodeObject().data()), hipErrorNoBinaryForGpu);
  api_.SetArchitecture("gfx942:sramecc-:xnack+");
  EXPECT_HIP(api_.hipModuleLoadData(&module, CodeObject().data()));
}

TEST_F(HipCodeObjectTest, OtherBytesAreNoImage) {
  hipModule_t module = nullptr;
  const std::string zeroes(1024, '\0');
  EXPECT_EQ(api_.hipModuleLoadData(&module, zeroes.data()), hipErrorInvalidImage);
  EXPECT_EQ(api_.hipModuleLoadData(&module, "a text"), hipErrorInvalidImage);
}

TEST_F(HipCodeObjectTest, ADamagedOneIsReported) {
  std::string image = CodeObject();
  const size_t key = image.find("amdhsa.kernels");
  ASSERT_NE(key, std::string::npos);
  image[key - 1] = '\x07';  // a number where the key was
  hipModule_t module = nullptr;
  EXPECT_EQ(api_.hipModuleLoadData(&module, image.data()), hipErrorInvalidImage);
  EXPECT_EQ(TakeReports("damaged-image"), 1U);
}

TEST_F(HipCodeObjectTest, AModuleHasTheKernelsOfTheImage) {
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  ASSERT_HIP(api_.hipModuleLoadData(&module, CodeObject().data()));
  EXPECT_HIP(api_.hipModuleGetFunction(&function, module, "scale"));
  EXPECT_EQ(api_.hipModuleGetFunction(&function, module, "scale.kd"), hipErrorNotFound);
  EXPECT_HIP(api_.hipModuleUnload(module));
}

using HipEventTest = HipSimTest;

TEST_F(HipEventTest, AQueryWaitsWithTheThreadThatSynchronizes) {
  const hipEvent_t event = MakeEvent();
  Close(stream_);
  ASSERT_HIP(api_.hipEventRecord(event, stream_));
  std::thread waiter([&] { EXPECT_HIP(api_.hipEventSynchronize(event)); });
  while (api_.EventWaiters(event) == 0) std::this_thread::yield();
  std::thread asker([&] { EXPECT_HIP(api_.hipEventQuery(event)); });
  while (api_.Calls("hipEventQuery") == 0) std::this_thread::yield();
  EXPECT_EQ(api_.hipEventQuery(MakeEvent()), hipSuccess);  // another one is not held up
  Open();
  asker.join();
  waiter.join();
}

TEST_F(HipEventTest, EventsWithoutTimesHaveNone) {
  const hipEvent_t event = MakeEvent();
  float milliseconds = 0;
  ASSERT_HIP(api_.hipEventRecord(event, stream_));
  ASSERT_HIP(api_.hipEventSynchronize(event));
  EXPECT_EQ(api_.hipEventElapsedTime(&milliseconds, event, event), hipErrorInvalidHandle);
}

TEST_F(HipEventTest, CapturesForbidLoadingToo) {
  hipGraph_t graph = nullptr;
  hipModule_t module = nullptr;
  ASSERT_HIP(api_.hipStreamBeginCapture(stream_, hipStreamCaptureModeRelaxed));
  EXPECT_HIP(api_.hipModuleLoadData(&module, CodeObject().data()));
  ASSERT_HIP(api_.hipStreamEndCapture(stream_, &graph));
  ASSERT_HIP(api_.hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
  hipStreamCaptureStatus status{};
  ASSERT_HIP(api_.hipStreamIsCapturing(stream_, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT_EQ(api_.hipModuleLoadData(&module, CodeObject().data()), hipErrorStreamCaptureUnsupported);
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_HIP(api_.hipThreadExchangeStreamCaptureMode(&mode));
  EXPECT_HIP(api_.hipModuleLoadData(&module, CodeObject().data()));
  ASSERT_HIP(api_.hipThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(api_.hipStreamEndCapture(stream_, &graph), hipErrorStreamCaptureInvalidated);
}

// Where the process does not end, in processes of their own.
class HipLossTest : public HipSimTest {
 protected:
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  void Trap() {
    EXPECT_HIP(api_.hipModuleLaunchKernel(GetFunction("trap"), 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr));
  }
};

TEST_F(HipLossTest, AFaultEndsTheProcessBefore7) {
  const auto fault = [&] {
    Trap();
    api_.hipStreamSynchronize(stream_);
    std::exit(0);
  };
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGABRT), "a fault on device 0 ends the process");
}

TEST_F(HipLossTest, AFaultStaysOnEveryDeviceFrom7On) {
  api_.SetVersion(kHip71);
  Trap();
  EXPECT_EQ(api_.hipStreamSynchronize(stream_), hipErrorLaunchFailure);
  int device = 0;
  EXPECT_EQ(api_.hipGetDevice(&device), hipErrorLaunchFailure);
  EXPECT_EQ(api_.hipSetDevice(1), hipErrorLaunchFailure);
  std::thread([&] {
    EXPECT_EQ(api_.hipGetLastError(), hipErrorLaunchFailure);
    EXPECT_EQ(api_.hipGetLastError(), hipErrorLaunchFailure);
  }).join();
}

TEST_F(HipLossTest, AResultThatATestWantsLosesDevicesFrom7On) {
  int device = 0;
  api_.Fail("hipGetDevice", 1, hipErrorIllegalAddress);
  EXPECT_EQ(api_.hipGetDevice(&device), hipErrorIllegalAddress);
  EXPECT_HIP(api_.hipGetDevice(&device));
  api_.SetVersion(kHip71);
  api_.Fail("hipGetDevice", 1, hipErrorIllegalAddress);
  EXPECT_EQ(api_.hipGetDevice(&device), hipErrorIllegalAddress);
  EXPECT_EQ(api_.hipGetDevice(&device), hipErrorIllegalAddress);
}

}  // namespace
}  // namespace halyard::sim
