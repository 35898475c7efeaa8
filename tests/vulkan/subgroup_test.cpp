// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are made for subgroups of a size. lavapipe has one size, 8; the simulated device has what a test says,
// and runs all pipelines in 8.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
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
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
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
    hal_export_properties_t export_properties = HAL_INIT(hal_export_properties_t);
    ASSERT_OK(hal_executable_query_export_properties(kernels, 0, hal_dim3(0, 0, 0), 0, &export_properties));
    EXPECT_EQ(export_properties.preferred_multiple, one.asked == 0 ? 8 : one.asked);
  }
  Executable told;
  ASSERT_OK(Load(device, nullptr, &told));
  EXPECT_EQ(simulation_.SubgroupSize(), 32u) << "the module says it";
  EXPECT_EQ(hal_executable_export_info(told, 0)->subgroup_size, 32u);
}

// With a decoration group, which the driver takes for a reason not to divide a module.
TEST_F(SubgroupTest, AModuleThatIsGivenWholeAsksInTheSameWay) {
  const Device device = OpenWith("4-64");
  std::ifstream file(HALYARD_REFLECTION_IMAGES "/subgroups.spv", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<uint32_t> words(text.size() / sizeof(uint32_t));
  std::memcpy(words.data(), text.data(), text.size());
  constexpr uint32_t kTypeVoid = 19, kDecorationGroup = 73;
  size_t types = 5;
  while ((words[types] & 0xFFFF) != kTypeVoid) types += words[types] >> 16;
  const uint32_t group[] = {kDecorationGroup | 2u << 16, words[3]++};
  words.insert(words.begin() + static_cast<ptrdiff_t>(types), std::begin(group), std::end(group));
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = cts::View("spirv");
  params.data = words.data();
  params.data_size = words.size() * sizeof(uint32_t);
  Executable kernels;
  ASSERT_OK(hal_executable_create(device, &params, kernels.out()));
  EXPECT_EQ(simulation_.SubgroupSize(), 32u);
  const hal_export_info_t& info = *hal_executable_export_info(kernels, 0);
  EXPECT_EQ(info.subgroup_size, 32u);
  EXPECT_EQ(info.workgroup_size.x, 64u);
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
