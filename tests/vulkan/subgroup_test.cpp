// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are made for subgroups of a size. lavapipe has one size, 8; the simulated device has what a test says,
// and runs all pipelines in 8.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Device;
using cts::Executable;
using testing::HasSubstr;

constexpr const char* kSizes = "HALYARD_SIM_VULKAN_SUBGROUPS";

class SubgroupTest : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv(kSizes);
    EXPECT_EQ(simulation_.Reports(), 0u);
  }
  static Device OpenWith(const char* sizes) {
    setenv(kSizes, sizes, 1);
    return OpenAnew();
  }
  /// Loads `plain` with what a list says, or `subgroups`, whose module says 32.
  static hal_status_t Load(const Device& device, const hal_export_info_t* listed, Executable* out) {
    hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
    params.format = cts::View("spirv");
    params.path = cts::View(listed ? HALYARD_REFLECTION_IMAGES "/glslang12_plain.spv"
                                   : HALYARD_REFLECTION_IMAGES "/subgroups.spv");
    params.exports = listed;
    params.export_count = listed ? 1 : 0;
    return hal_executable_create(device, &params, out->out());
  }
  hal_export_info_t Listed(uint32_t exact, uint32_t least, uint32_t most) {
    binding_ = hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE);
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = cts::View("plain");
    info.parameters = &binding_;
    info.parameter_count = 1;
    info.subgroup_size = exact;
    info.min_subgroup_size = least;
    info.max_subgroup_size = most;
    return info;
  }

  const Simulation simulation_;
  hal_parameter_t binding_ = {};
};

TEST_F(SubgroupTest, PipelinesAskForTheSizeThatAKernelIsMadeFor) {
  const Device device = OpenWith("4-64");
  hal_device_properties_t properties = HAL_DEVICE_PROPERTIES_INIT;
  ASSERT_OK(hal_device_query_properties(device, &properties));
  EXPECT_EQ(properties.min_subgroup_size, 4u);
  EXPECT_EQ(properties.max_subgroup_size, 64u);
  struct Case {
    uint32_t exact, least, most, asked;
  };
  for (const Case& one : {Case{0, 0, 0, 0},
                          {16, 0, 0, 16},
                          {64, 0, 0, 64},
                          {0, 4, 32, 8},
                          {0, 16, 64, 16},
                          {0, 32, 0, 32},
                          {0, 0, 8, 8}}) {
    const hal_export_info_t listed = Listed(one.exact, one.least, one.most);
    Executable kernels;
    ASSERT_OK(Load(device, &listed, &kernels));
    EXPECT_EQ(simulation_.SubgroupSize(), one.asked) << one.exact << ", " << one.least << " to " << one.most;
    hal_export_properties_t export_properties = HAL_EXPORT_PROPERTIES_INIT;
    ASSERT_OK(hal_executable_query_export_properties(kernels, 0, hal_dim3(0, 0, 0), 0, &export_properties));
    EXPECT_EQ(export_properties.preferred_multiple, one.asked == 0 ? 8 : one.asked);
  }
  Executable told;
  ASSERT_OK(Load(device, nullptr, &told));
  EXPECT_EQ(simulation_.SubgroupSize(), 32u) << "the module says it";
  EXPECT_EQ(hal_executable_export_info(told, 0)->subgroup_size, 32u);
}

TEST_F(SubgroupTest, WhatTheDeviceHasNotIsIncompatible) {
  const auto expect_refused = [&](const Device& device, const hal_export_info_t* listed, const char* words) {
    Executable kernels;
    EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Load(device, listed, &kernels));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  };
  const Device some = OpenWith("16-32");
  const hal_export_info_t large = Listed(64, 0, 0), small = Listed(0, 0, 8), beyond = Listed(0, 64, 128);
  expect_refused(some, &large, "needs subgroups of 64 work-items, and the device has those of 16 to 32");
  expect_refused(some, &small, "needs subgroups of 8 and less work-items, and the device has those of 16 to 32");
  expect_refused(some, &beyond, "needs subgroups of 64 to 128 work-items");
  unsetenv(kSizes);
  const Device lavapipe = OpenAnew();
  expect_refused(lavapipe, nullptr,
                 "export 0 (\"subgroups\"): the kernel needs subgroups of 32 work-items, and the "
                 "device has those of 8");
  const hal_export_info_t own = Listed(8, 0, 0);
  Executable kernels;
  EXPECT_OK(Load(lavapipe, &own, &kernels));
}

TEST_F(SubgroupTest, SizesThatAreNoneAreRefused) {
  const Device device = OpenWith("4-64");
  for (const hal_export_info_t& listed : {Listed(24, 0, 0), Listed(0, 32, 16), Listed(32, 64, 0)}) {
    Executable kernels;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Load(device, &listed, &kernels));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("subgroup_size"));
  }
}

// The simulated device takes 8 subgroups in a workgroup.
TEST_F(SubgroupTest, WorkgroupsHaveNoMoreSubgroupsThanTheDeviceTakes) {
  const Device device = OpenWith("4-64");
  const hal_export_info_t listed = Listed(4, 0, 0);
  Executable kernels;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Load(device, &listed, &kernels));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(64, 1, 1), but kernel 'plain' runs in subgroups of 4 work-items"));
}

}  // namespace
}  // namespace halyard::vulkan
