// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameter lists that are as long as a device takes them, and longer.
#include <cstdlib>

#include "cuda/hardware/last_word.h"
#include "interop_test.h"
#include "test_kernel.h"
#include "unit/cuda_api.h"

namespace halyard::interop {
namespace {

using cuda::ExpectedLastWords;
using cuda::LastWordKernel;
using cuda::LoadLastWord;
using cuda::RunLastWord;
using testing::HasSubstr;
using namespace cuda::abi;

constexpr LastWordKernel kLastOf4096 = {"last_of_4096", 4096 - 8, false};
constexpr LastWordKernel kLastOf32764 = {"last_of_32764", 32764 - 8, true};

uint32_t LimitOf(const Ref<hal_device_t>& device) { return hal_device_info(device.get())->limits->max_constants_size; }

/// The parameter is the completion mode.
class ParameterListTest : public InteropTest {
 protected:
  void TearDown() override {
    sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9);
    InteropTest::TearDown();
  }
  void BecomeOlder() const { ASSERT_NE(sim().SetAttribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 6), 0); }
  Ref<hal_device_t> Open(const std::string& mode) const {
    const std::string uri = std::string("cuda://0?completion=") + GetParam() + "&command_buffer=" + mode;
    Ref<hal_device_t> device;
    EXPECT_OK(hal_device_create(hal_string_view(uri.c_str()), device.out()));
    return device;
  }
  void ExpectRuns(const LastWordKernel& kernel, const std::string& mode) const {
    const Ref<hal_device_t> device = Open(mode);
    Ref<hal_executable_t> executable;
    ASSERT_OK(LoadLastWord(device.get(), vendor::Image(), "ptx", kernel, &executable));
    const uint64_t graphs = sim().Calls("cuGraphLaunch");
    EXPECT_EQ(RunLastWord(device.get(), executable, kernel), ExpectedLastWords(kernel));
    EXPECT_EQ(sim().Calls("cuGraphLaunch") - graphs, mode == "graph" ? 2U : 0U);
  }
  static hal_status_t LoadOfSize(const Ref<hal_device_t>& device, uint32_t bytes) {
    const LastWordKernel kernel = {"last_of_32764", bytes - 8, true};
    Ref<hal_executable_t> executable;
    return LoadLastWord(device.get(), vendor::Image(), "ptx", kernel, &executable);
  }
};

TEST_P(ParameterListTest, RunsInAStream) {
  ExpectRuns(kLastOf4096, "stream");
  ExpectRuns(kLastOf32764, "stream");
}

TEST_P(ParameterListTest, RunsAsAGraph) {
  ExpectRuns(kLastOf4096, "graph");
  ExpectRuns(kLastOf32764, "graph");
}

TEST_P(ParameterListTest, OneByteMoreIsRefused) {
  EXPECT_EQ(LimitOf(device_), 32764U);
  EXPECT_EQ(LoadOfSize(device_, 32765), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("export 0 (\"last_of_32764\"): 32757 bytes of constants and the "
                                                  "addresses of 1 bindings are 32765 bytes of parameters; the device "
                                                  "takes at most 32764"));
}

TEST_P(ParameterListTest, MoreParametersThanAListHoldsAreRefused) {
  const LastWordKernel kernel = {"last_of_32764", 4096 * sizeof(uint32_t), true, true};
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadLastWord(device_.get(), vendor::Image(), "ptx", kernel, &executable), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("4097 parameters; the device takes at most 4096"));
}

TEST_P(ParameterListTest, OlderDevicesTakeLess) {
  BecomeOlder();
  const Ref<hal_device_t> older = Open("auto");
  EXPECT_EQ(LimitOf(older), 4096U);
  EXPECT_EQ(LoadOfSize(older, 4097), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("4089 bytes of constants and the addresses of 1 bindings"));
}

// The compiler takes long lists in newer texts only.
TEST_P(ParameterListTest, OlderTextsTakeLess) {
  std::string older = vendor::Image();
  older.replace(older.find(".version 8.1"), 12, ".version 8.0");
  Ref<hal_executable_t> executable;
  EXPECT_EQ(LoadLastWord(device_.get(), older, "ptx", kLastOf32764, &executable), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("the parameters of 'last_of_32764' take 32764 bytes, of at most 4352"));
}

INSTANTIATE_TEST_SUITE_P(Completion, ParameterListTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

// The library reads its version when it is loaded, once in a process.
[[noreturn]] void ExitWithLimit(const char* driver_version, uint32_t expected) {
  setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  setenv("HALYARD_SIM_DRIVER_VERSION", driver_version, 1);
  Ref<hal_device_t> device;
  if (hal_device_create(hal_string_view("cuda://0"), device.out()) != HAL_STATUS_OK) std::exit(2);
  std::exit(LimitOf(device) == expected ? 0 : 1);
}

TEST(ParameterListVersionTest, OlderDriversTakeLess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
  EXPECT_EXIT(ExitWithLimit("12000", 4096), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ExitWithLimit("12010", 32764), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace halyard::interop
