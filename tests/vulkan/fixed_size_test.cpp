// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose workgroups have a size that constants give in x alone: (block, 4, 1). Other sides are refused by the
// call that asks for them, whether it records or submits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "halyard/cpp/submit.hpp"
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
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
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
    return hal_device_queue_dispatch(device_,
                                     hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&signal, 1)),
                                     kernels_, 0, &params);
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
              HasSubstr("params->workgroup_size is (64, 2, 1), but \"typed\" was compiled with 4 in y, and no constant "
                        "changes that"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(Size(16, 4, 2), done));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("with 1 in z"));
  ASSERT_OK(Submit(Size(64, 4, 1), done)) << "x is for the dispatch to say";
  EXPECT_OK(done.Wait(1)) << "the device is not lost, and what was refused signals nothing";
}

TEST_F(FixedSizeTest, IsToldWhenADispatchIsRecorded) {
  const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  CommandBuffer commands;
  ASSERT_OK(hal_command_buffer_create(device_, &reusable, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands));
  const hal_dispatch_params_t params = Size(32, 1, 1);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_command_buffer_dispatch(commands, kernels_, 0, &params));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(32, 1, 1), but \"typed\" was compiled with 4 in y"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_command_buffer_end(commands));
}

TEST_F(FixedSizeTest, IsToldWhenAnExportSaysAnother) {
  const hal_export_info_t* const told = hal_executable_export_info(kernels_, 0);
  ASSERT_NE(told, nullptr);
  hal_export_info_t info = *told;
  info.layout = nullptr;
  info.workgroup_size = hal_dim3(64, 8, 1);
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = cts::View("spirv");
  params.path = cts::View(kImage);
  params.exports = &info;
  params.export_count = 1;
  Executable other;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_executable_create(device_, &params, other.out()));
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("export 0 (\"typed\"): workgroup_size is (64, 8, 1), but fixed_sides (0, 4, 1)"));
}

/// Kernels of the images of tests/unit/image/reflection.
class SpirvSizeTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  hal_status_t Load(const std::string& name, const std::vector<hal_export_info_t>& exports,
                    const std::vector<hal_specialization_t>& constants, Executable* out) {
    const std::string path = HALYARD_REFLECTION_IMAGES "/" + name;
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = cts::View("spirv");
    params.path = cts::View(path.c_str());
    params.exports = exports.data();
    params.export_count = exports.size();
    params.specializations = constants.data();
    params.specialization_count = constants.size();
    return hal_executable_create(device_, &params, out->out());
  }
  const hal_export_info_t& Info(const Executable& kernels) { return *hal_executable_export_info(kernels, 0); }
  /// One workgroup, whose values become `values`.
  hal_status_t Run(const Executable& kernels, uint32_t size, const std::vector<float>& constants,
                   std::vector<float>* values) {
    const Buffer buffer = device_.CreateBufferOf(*values, cts::Mappable());
    const hal_buffer_ref_t binding = hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE);
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(1, 1, 1);
    if (size > 0) params.workgroup_size = hal_dim3(size, 1, 1);
    params.bindings = hal_buffer_ref_list(&binding, 1);
    params.constants = constants.data();
    params.constants_size = static_cast<uint32_t>(constants.size() * sizeof(float));
    const Semaphore done = device_.CreateSemaphore();
    const hal_timeline_point_t signal = {done, 1};
    const hal_status_t status = hal_device_queue_dispatch(
        device_, hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&signal, 1)), kernels, 0,
        &params);
    if (status != HAL_STATUS_OK) return status;
    EXPECT_OK(done.Wait(1));
    *values = device_.Download<float>(buffer);
    return HAL_STATUS_OK;
  }
  static hal_export_info_t Listed(const char* name, const hal_dim3_t& size) {
    static const std::array<hal_parameter_t, 2> parameters = {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE)};
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = cts::View(name);
    info.workgroup_size = size;
    info.parameters = parameters.data();
    info.parameter_count = 1;
    return info;
  }

  const Device device_ = OpenAnew();
  const Simulation simulation_;
};

// LocalSize is in the code: what compilers multiply by it stays as it is when the size changes.
TEST_F(SpirvSizeTest, IsExactOnEveryPath) {
  for (const char* const name : {"glslang12_plain.spv", "glslang12_plain_v16.spv"}) {
    for (const auto& exports : std::vector<std::vector<hal_export_info_t>>{
             {}, {Listed("plain", {1, 1, 1})}, {Listed("plain", {0, 1, 1})}, {Listed("plain", {64, 1, 1})}}) {
      Executable kernels;
      ASSERT_OK(Load(name, exports, {}, &kernels));
      EXPECT_EQ(Info(kernels).workgroup_size.x, 64u) << "a list that does not say it";
      EXPECT_EQ(Info(kernels).flags, HAL_EXPORT_EXACT_WORKGROUP_SIZE);
      std::vector<float> values(64, 1.0f);
      EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(kernels, 32, {}, &values));
      EXPECT_THAT(hal_last_error_message(), HasSubstr("(32, 1, 1), but \"plain\" was compiled for (64, 1, 1) alone"));
      ASSERT_OK(Run(kernels, 0, {}, &values));
      EXPECT_EQ(values, std::vector<float>(64, 2.0f));
      ASSERT_OK(Run(kernels, 64, {}, &values));
      EXPECT_EQ(values, std::vector<float>(64, 3.0f));
    }
    Executable other;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Load(name, {Listed("plain", {32, 1, 1})}, {}, &other));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("export \"plain\": workgroup_size is (32, 1, 1), but its image"));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("runs in workgroups of (64, 1, 1) alone"));
  }
}

// The second value would win without a word.
TEST_F(SpirvSizeTest, OneConstantHasOneValue) {
  Executable kernels;
  ASSERT_OK(Load("glslang12_square.spv", {}, {}, &kernels));
  std::vector<float> values(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(kernels, 8, {}, &values)) << "8 x 1";
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("(8, 1, 1), but specialisation constant 0 of kernel 'square' is its size in x and in y"));
  Executable given;
  ASSERT_OK(Load("glslang12_square.spv", {}, {{0, 4, 4}}, &given));
  EXPECT_EQ(Info(given).workgroup_size.y, 4u);
  ASSERT_OK(Run(given, 0, {}, &values));
  EXPECT_EQ(values[15], 16.0f);
}

// COUNT (0) weights, BLOCK (1) work-items, ROWS (2) times four cells.
TEST_F(SpirvSizeTest, FollowsTheConstantsThatAreGiven) {
  const std::vector<hal_specialization_t> given = {{0, 4, 8}, {1, 4, 32}, {2, 4, 2}};
  hal_export_info_t listed = Listed("lengths", {0, 1, 1});  // what a file says that was packed with the defaults
  const std::array<hal_parameter_t, 3> parameters = {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE),
                                                     hal_parameter_constant(0, 4), hal_parameter_constant(4, 16)};
  listed.parameters = parameters.data();
  listed.parameter_count = 3;
  listed.constants_size = 20;
  listed.local_memory_size = 256;
  for (const auto& exports : std::vector<std::vector<hal_export_info_t>>{{}, {listed}}) {
    Executable kernels;
    ASSERT_OK(Load("glslang12_lengths.spv", exports, given, &kernels));
    EXPECT_EQ(Info(kernels).workgroup_size.x, 32u);
    EXPECT_EQ(Info(kernels).constants_size, 36u);
    EXPECT_EQ(Info(kernels).parameters[2].size, 32u);
    EXPECT_EQ(Info(kernels).local_memory_size, 32u);
    const std::vector<float> constants = {2, 1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<float> values(32);
    ASSERT_OK(Run(kernels, 0, constants, &values));
    EXPECT_EQ(values, std::vector<float>(32, 2 * 36 + 7));
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(kernels, 64, constants, &values)) << "BLOCK says 32";
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Run(kernels, 32, {2, 1, 2, 3, 4}, &values)) << "COUNT says 8";
    Executable other;
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Load("glslang12_lengths.spv", exports, {{2, 4, 1 << 20}}, &other));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("local_memory_size"));
  }
}

}  // namespace
}  // namespace halyard::vulkan
