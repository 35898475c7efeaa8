// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels log reaches the library's log. The simulation plays the kernel.
#include <cstdlib>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Device;
using testing::ElementsAre;
using Line = LogRecorder::Line;

// MTLLogLevel
constexpr int kDebug = 1;
constexpr int kInfo = 2;
constexpr int kNotice = 3;
constexpr int kError = 4;
constexpr int kFault = 5;

constexpr const char* kMakesState = "newLogStateWithDescriptor:error:";

/// Log states came with macOS 15.
bool HasLogStates() {
  const char* const version = std::getenv("HALYARD_SIM_METAL_MACOS");
  return !version || std::atoi(version) >= 15;
}

class ShaderLogTest : public MetalTest {
 protected:
  // A message goes to all queues of the process.
  ShaderLogTest() {
    AwaitNothingLeft();
    sim().Reset();
  }
};

TEST_F(ShaderLogTest, EachLevelHasItsOwn) {
  if (!HasLogStates()) GTEST_SKIP() << "the simulated macOS has no log states";
  const Device device = Open();
  const LogRecorder log;
  sim().Log(kDebug, "step 7");
  sim().Log(kInfo, "100 % done");
  sim().Log(kNotice, "NaN at 12");
  sim().Log(kError, "overflow: \xc3\xbc");
  sim().Log(kFault, "");
  EXPECT_THAT(log.lines(), ElementsAre(Line{HAL_LOG_LEVEL_DEBUG, "step 7"}, Line{HAL_LOG_LEVEL_INFO, "100 % done"},
                                       Line{HAL_LOG_LEVEL_WARNING, "NaN at 12"},
                                       Line{HAL_LOG_LEVEL_ERROR, "overflow: \xc3\xbc"}, Line{HAL_LOG_LEVEL_ERROR, ""}));
}

TEST_F(ShaderLogTest, IsOfEachQueueAsLongAsTheDevice) {
  if (!HasLogStates()) GTEST_SKIP() << "the simulated macOS has no log states";
  Device device = Open("queues=3");
  EXPECT_EQ(sim().Calls(kMakesState), 3u);
  LogRecorder log;
  sim().Log(kError, "here");  // all queues' at once
  EXPECT_EQ(log.lines().size(), 3u);
  device = {};
  AwaitNothingLeft();
  sim().Log(kError, "late");
  EXPECT_EQ(log.lines().size(), 3u);
}

TEST_F(ShaderLogTest, IsAskedForWhereThereIsOne) {
  const Device device = Open();
  EXPECT_EQ(sim().Calls(kMakesState), HasLogStates() ? 1u : 0u);
  EXPECT_EQ(sim().Calls("newCommandQueueWithDescriptor:"), HasLogStates() ? 1u : 0u);
  EXPECT_EQ(sim().Calls("newCommandQueueWithMaxCommandBufferCount:"), HasLogStates() ? 0u : 1u);
}

constexpr const char* kLogs = R"(#include <metal_stdlib>
#include <metal_logging>
kernel void logs() { metal::os_log_default.log_error("overflow in %u", 7u); }
)";

// Metal drops what kernels log that were not compiled for it, and makes those slower that were.
TEST_F(ShaderLogTest, IsCompiledIntoKernelsThatLog) {
  const Device device = Open();
  MetalSource logs(kLogs);
  MetalSource quiet("kernel void quiet() {}");
  EXPECT_OK(quiet.Export("quiet", {}).Create(device));
  EXPECT_EQ(sim().LoggingLibraries(), 0u);
  EXPECT_OK(logs.Export("logs", {}).Create(device));
  EXPECT_EQ(sim().LoggingLibraries(), HasLogStates() ? 1u : 0u);
}

// A device whose kernels cannot log loses the messages and nothing else.
TEST_F(ShaderLogTest, MayBeRefused) {
  if (!HasLogStates()) GTEST_SKIP() << "the simulated macOS has no log states";
  const LogRecorder log;
  sim().Fail(kMakesState, 1, 1);
  const Device device = Open();
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(log.lines()[0].level, HAL_LOG_LEVEL_INFO);
  EXPECT_THAT(log.lines()[0].text, testing::HasSubstr("what kernels log is lost: newLogStateWithDescriptor: "));
  sim().Log(kError, "unheard");
  EXPECT_EQ(log.lines().size(), 1u);
}

}  // namespace
}  // namespace halyard::metal
