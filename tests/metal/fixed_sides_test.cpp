// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an executable file says of the workgroups of a kernel that was made of SPIR-V: constants give x, and y and z are
// 4 and 1. The source in Metal's language would run in any size. Kernels that no device of Metal's can run.
#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Semaphore;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kKernel = "typed";

class FixedSidesTest : public MetalTest {
 protected:
  void SetUp() override {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = cts::View(HALYARD_METAL_TEST_KERNELS "/typed.halx");
    ASSERT_OK(hal_executable_create(device_, &params, kernel_.out()));
  }
  /// Each work-item writes the row whose number is x: factor, first + shift, and the pair.
  Dispatch Size(uint32_t x, uint32_t y, uint32_t z) const {
    Dispatch dispatch;
    dispatch.WorkgroupSize(x, y, z).Bind(rows_);
    for (const uint32_t constant : {0u, 10u, 20u, 30u}) dispatch.Constant(constant);
    return dispatch;
  }
  hal_status_t Submit(const Dispatch& dispatch, const Semaphore& done) const {
    return device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel_, kKernel, dispatch);
  }

  const Device device_ = Open();
  const Buffer rows_ = device_.CreateBufferOf(std::vector<float>(9 * 4));
  Executable kernel_;
};

TEST_F(FixedSidesTest, AreReflected) {
  const hal_export_info_t& info = *hal_executable_export_info(kernel_, 0);
  EXPECT_EQ(info.workgroup_size.x, 0u) << "each dispatch says";
  EXPECT_EQ(info.fixed_sides.x, 0u);
  EXPECT_EQ(info.fixed_sides.y, 4u);
  EXPECT_EQ(info.fixed_sides.z, 1u);
  EXPECT_EQ(info.flags, HAL_EXPORT_EXACT_WORKGROUP_SIZE);
}

TEST_F(FixedSidesTest, AreToldBeforeTheDispatchRuns) {
  const Semaphore done = device_.CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(Size(64, 2, 1), done));
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("params->workgroup_size is (64, 2, 1), but \"typed\" was compiled with 4 in y, and no constant "
                        "changes that"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(Size(16, 4, 2), done));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("with 1 in z"));
  ASSERT_OK(Submit(Size(8, 4, 1), done)) << "x is for the dispatch to say";
  ASSERT_OK(done.Wait(1)) << "what was refused signals nothing";
  const std::vector<float> rows = device_.Download<float>(rows_);
  EXPECT_THAT(std::vector<float>(rows.end() - 4, rows.end()), ElementsAre(0.5f, 7.f, 20.f, 30.f));
}

TEST_F(FixedSidesTest, AreToldWhenADispatchIsRecorded) {
  const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  CommandBuffer commands;
  ASSERT_OK(hal_command_buffer_create(device_, &reusable, commands.out()));
  ASSERT_OK(commands.Begin());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, commands.Dispatch(kernel_, kKernel, Size(32, 1, 1)));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(32, 1, 1), but \"typed\" was compiled with 4 in y"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, commands.End());
}

TEST_F(FixedSidesTest, AreThoseOfEveryQuery) {
  hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
  EXPECT_OK(hal_executable_query_export_properties(kernel_, 0, hal_dim3(8, 4, 1), 0, &properties));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_executable_query_export_properties(kernel_, 0, hal_dim3(8, 1, 1), 0, &properties));
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("workgroup_size is (8, 1, 1), but \"typed\" was compiled with 4 in y"));
}

class UnknownLaunchTest : public MetalTest {};

// Metal has no launch that promises what such a kernel waits for, so that it is refused before it can be dispatched.
TEST_F(UnknownLaunchTest, IsRefusedWhenTheExecutableIsMade) {
  const Device device = Open();
  const auto expect_refused = [&](const hal_export_info_t& given, const char* why) {
    MetalSource source("kernel void f() {}\n");
    hal_executable_params_t params = source.Export("f", {}).params();
    hal_export_info_t info = given;
    info.name = cts::View("f");
    params.exports = &info;
    Executable kernel;
    EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, hal_executable_create(device, &params, kernel.out()));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(std::string("export 0 (\"f\"): ") + why));
  };
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.flags = HAL_EXPORT_COOPERATIVE;
  expect_refused(info, "it is cooperative: the device does not promise that all workgroups run at once");
  info = HAL_EXPORT_INFO_INIT;
  info.cluster_size = hal_dim3(2, 1, 1);
  expect_refused(info, "it runs in clusters, which the device lacks");
  MetalSource source("kernel void f() {}\n");
  EXPECT_OK(source.Export("f", {}).Create(device)) << "the device takes other kernels";
}

}  // namespace
}  // namespace halyard::metal
