// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions, devices, the current one, and the last error.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <thread>

#include "hip/target.h"
#include "hip_sim_test.h"

namespace halyard::sim {
namespace {

using HipLibraryTest = HipSimTest;

TEST_F(HipLibraryTest, SaysTheVersionThatIsWanted) {
  for (const int wanted : {kHip57, kHip64, kHip71}) {
    int version = 0;
    api_.SetVersion(wanted);
    ASSERT_HIP(api_.hipRuntimeGetVersion(&version));
    EXPECT_EQ(version, wanted);
  }
}

TEST_F(HipLibraryTest, TheNewLayoutOfPropertiesCameWithVersion6) {
  EXPECT_NE(dlsym(api_.library, "hipGetDevicePropertiesR0600"), nullptr);
  api_.SetVersion(kHip57);
  EXPECT_EQ(dlsym(api_.library, "hipGetDevicePropertiesR0600"), nullptr);
}

TEST_F(HipLibraryTest, BothLayoutsOfPropertiesHaveTheArchitecture) {
  std::array<char, 4096> bytes;
  bytes.fill('~');
  ASSERT_HIP(api_.hipGetDeviceProperties(bytes.data(), 0));
  EXPECT_STREQ(&bytes[396], "gfx942:sramecc+:xnack-");
  EXPECT_EQ(std::ranges::count(bytes, '~'), 4096 - 792);
  bytes.fill('~');
  ASSERT_HIP(api_.hipGetDevicePropertiesR0600(bytes.data(), 1));
  EXPECT_STREQ(&bytes[1160], "gfx942:sramecc+:xnack-");
  EXPECT_EQ(std::ranges::count(bytes, '~'), 4096 - 1472);
}

TEST_F(HipLibraryTest, DevicesAreToldApartByText) {
  hipUUID ids[2];
  char places[2][32];
  for (int i = 0; i < 2; ++i) {
    ASSERT_HIP(api_.hipDeviceGetUuid(&ids[i], i));
    EXPECT_TRUE(std::ranges::all_of(ids[i].bytes, [](unsigned char byte) { return std::isalnum(byte) != 0; }));
    ASSERT_HIP(api_.hipDeviceGetPCIBusId(places[i], sizeof(places[i]), i));
  }
  EXPECT_NE(std::memcmp(ids[0].bytes, ids[1].bytes, sizeof(ids[0].bytes)), 0);
  EXPECT_STREQ(places[0], "0000:e3:00.0");
  EXPECT_STREQ(places[1], "0000:e4:00.0");
  int value = 0;
  EXPECT_EQ(api_.hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 2), hipErrorInvalidDevice);
}

TEST_F(HipLibraryTest, EachThreadHasACurrentDevice) {
  int device = -1;
  ASSERT_HIP(api_.hipSetDevice(1));
  std::thread([&] { EXPECT_HIP(api_.hipGetDevice(&device)); }).join();
  EXPECT_EQ(device, 0);
  ASSERT_HIP(api_.hipGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_EQ(api_.hipSetDevice(2), hipErrorInvalidDevice);
  hipStream_t stream = nullptr;
  ASSERT_HIP(api_.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  ASSERT_HIP(api_.hipSetDevice(0));
  ASSERT_HIP(api_.hipStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 1);
}

TEST_F(HipLibraryTest, RefusalsStayUntilTheyAreRead) {
  int device = 0;
  EXPECT_EQ(api_.hipSetDevice(7), hipErrorInvalidDevice);
  EXPECT_HIP(api_.hipGetDevice(&device));
  std::thread([&] { EXPECT_HIP(api_.hipGetLastError()); }).join();
  EXPECT_EQ(api_.hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_HIP(api_.hipGetLastError());
}

TEST_F(HipLibraryTest, ACallThatATestWantsToFailStaysToo) {
  void* memory = nullptr;
  api_.Fail("hipMalloc", 1, hipErrorOutOfMemory);
  EXPECT_EQ(api_.hipMalloc(&memory, 64), hipErrorOutOfMemory);
  EXPECT_EQ(api_.hipGetLastError(), hipErrorOutOfMemory);
}

TEST_F(HipLibraryTest, NotReadyStaysBefore7) {
  const hipEvent_t event = MakeEvent();
  Close(stream_);
  ASSERT_HIP(api_.hipEventRecord(event, stream_));
  EXPECT_EQ(api_.hipEventQuery(event), hipErrorNotReady);
  EXPECT_EQ(api_.hipGetLastError(), hipErrorNotReady);
  api_.SetVersion(kHip71);
  EXPECT_EQ(api_.hipEventQuery(event), hipErrorNotReady);
  EXPECT_HIP(api_.hipGetLastError());
}

TEST(HipTargetTest, CodeRunsOnItsProcessorUnlessAFeatureContradicts) {
  using hip::abi::Runs;
  EXPECT_TRUE(Runs("gfx942:sramecc+:xnack-", "gfx942"));
  EXPECT_TRUE(Runs("gfx942:sramecc+:xnack-", "gfx942:xnack-"));
  EXPECT_TRUE(Runs("gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(Runs("gfx942:sramecc+:xnack-", "gfx942:xnack+"));
  EXPECT_FALSE(Runs("gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack+"));
  EXPECT_FALSE(Runs("gfx942:sramecc+:xnack-", "gfx94"));
  EXPECT_FALSE(Runs("gfx1100", "gfx1100:xnack+"));
  EXPECT_FALSE(Runs("gfx1100", "gfx942"));
}

// In a process of its own, where the library begins anew.
class HipWithoutDevicesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void Ask(const char* version) {
    setenv("HALYARD_SIM_DEVICES", "0", 1);
    setenv("HALYARD_SIM_DRIVER_VERSION", version, 1);
    int count = 0;
    const HipApi& api = HipApi::Get();
    const bool has_none = api.hipGetDeviceCount(&count) == hipErrorNoDevice;
    std::exit(has_none ? static_cast<int>(api.hipInit(0)) : 0);
  }
};

TEST_F(HipWithoutDevicesTest, InitialisationSaysSoInItsVersionsWords) {
  EXPECT_EXIT(Ask("50731921"), testing::ExitedWithCode(hipErrorInvalidDevice), "");
  EXPECT_EXIT(Ask("60443484"), testing::ExitedWithCode(hipErrorNoDevice), "");
  EXPECT_EXIT(Ask("70151831"), testing::ExitedWithCode(hipErrorNoDevice), "");
}

}  // namespace
}  // namespace halyard::sim
