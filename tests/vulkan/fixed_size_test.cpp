// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose workgroups have a size that constants give in x alone: (block, 4, 1). Other sides are refused by the
// call that asks for them, whether it records or submits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::Executable;
using cts::Semaphore;
using testing::HasSubstr;

constexpr uint64_t kBufferBytes = 4096;
constexpr const char* kImage = HALYARD_REFLECTION_IMAGES "/glslang12_typed.spv";

class FixedSizeTest : public testing::Test {
 protected:
  void SetUp() override {
    hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
    params.format = cts::View("spirv");
    params.path = cts::View(kImage);
    ASSERT_OK(hal_executable_create(device_, &params, kernels_.out()));
    buffer_ = device_.CreateBufferOf(std::vector<std::byte>(kBufferBytes), cts::Mappable());
    binding_ = hal_buffer_ref(buffer_, 0, HAL_WHOLE_SIZE);
  }
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  hal_dispatch_params_t Size(uint32_t x, uint32_t y, uint32_t z) const {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(1, 1, 1);
    params.workgroup_size = hal_dim3(x, y, z);
    params.bindings = hal_buffer_ref_list(&binding_, 1);
    params.constants = constants_.data();
    params.constants_size = sizeof(constants_);
    return params;
  }
  hal_status_t Submit(const hal_dispatch_params_t& params, const Semaphore& done) {
    const hal_timeline_point_t signal = {done, 1};
    return hal_device_queue_dispatch(device_, HAL_QUEUE_ANY, hal_semaphore_list(nullptr, 0),
                                     hal_semaphore_list(&signal, 1), kernels_, 0, &params);
  }

  const Device device_ = OpenAnew();
  const Simulation simulation_;
  const std::array<uint32_t, 4> constants_ = {};
  Executable kernels_;
  Buffer buffer_;
  hal_buffer_ref_t binding_ = {};
};

TEST_F(FixedSizeTest, IsToldBeforeTheDispatchRuns) {
  const Semaphore done = device_.CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(Size(64, 2, 1), done));
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("a workgroup size of (64, 2, 1), but kernel 'typed' was compiled with "
                        "4 in y, and no constant changes that"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(Size(16, 4, 2), done));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("with 1 in z"));
  ASSERT_OK(Submit(Size(64, 4, 1), done)) << "x is for the dispatch to say";
  EXPECT_OK(done.Wait(1)) << "the device is not lost, and what was refused signals nothing";
}

TEST_F(FixedSizeTest, IsToldWhenADispatchIsRecorded) {
  const hal_command_buffer_params_t reusable = HAL_COMMAND_BUFFER_PARAMS_INIT;
  CommandBuffer commands;
  ASSERT_OK(hal_command_buffer_create(device_, &reusable, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands));
  const hal_dispatch_params_t params = Size(32, 1, 1);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_command_buffer_dispatch(commands, kernels_, 0, &params));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(32, 1, 1), but kernel 'typed' was compiled with 4 in y"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_command_buffer_end(commands));
}

TEST_F(FixedSizeTest, IsToldWhenAnExportSaysAnother) {
  const hal_export_info_t* const told = hal_executable_export_info(kernels_, 0);
  ASSERT_NE(told, nullptr);
  hal_export_info_t info = *told;
  info.layout = nullptr;
  info.workgroup_size = hal_dim3(64, 8, 1);
  hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
  params.format = cts::View("spirv");
  params.path = cts::View(kImage);
  params.exports = &info;
  params.export_count = 1;
  Executable other;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_executable_create(device_, &params, other.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(64, 8, 1), but kernel 'typed' was compiled with 4 in y"));
}

}  // namespace
}  // namespace halyard::vulkan
