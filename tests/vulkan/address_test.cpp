// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of bindings among the push constants: the kernel follows those that the driver puts there, in single
// dispatches and in command buffers whose slots and offsets change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <vector>

#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr const char* kAddressImage = HALYARD_REFLECTION_IMAGES "/glslang12_addresses.spv";
constexpr const char* kAddressKernel = "addresses";
constexpr uint64_t kNumberCount = 32;
constexpr uint32_t kAddressConstantsSize = 52;

hal_parameter_t Address(uint32_t offset, uint32_t binding, hal_binding_access_t access) {
  hal_parameter_t parameter = hal_parameter_binding(binding, access);
  parameter.kind = HAL_PARAMETER_KIND_BINDING_ADDRESS;
  parameter.offset = offset;
  return parameter;
}

std::vector<float> Numbers(float first) {
  std::vector<float> numbers(kNumberCount);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

hal_status_t Load(const Device& device, std::span<const hal_parameter_t> parameters, Executable* out_kernels) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = cts::View(kAddressKernel);
  info.workgroup_size = hal_dim3(32, 1, 1);
  info.constants_size = kAddressConstantsSize;
  info.parameters = parameters.data();
  info.parameter_count = static_cast<uint32_t>(parameters.size());
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = cts::View("spirv");
  params.path = cts::View(kAddressImage);
  params.exports = &info;
  params.export_count = 1;
  return hal_executable_create(device, &params, out_kernels->out());
}

class BindingAddressTest : public testing::Test {
 protected:
  void SetUp() override {
    const hal_parameter_t parameters[] = {
        hal_parameter_constant(0, kAddressConstantsSize), Address(8, 0, HAL_BINDING_ACCESS_READ),
        Address(16, 1, HAL_BINDING_ACCESS_WRITE), Address(24, 2, HAL_BINDING_ACCESS_READ),
        Address(32, 3, HAL_BINDING_ACCESS_READ)};
    ASSERT_OK(Load(device_, parameters, &kernels_));
  }
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  /// What the caller's bytes say in the place of addresses is ignored.
  static Dispatch Call(const Ref& from, const Ref& target, const Ref& number, const Ref& halves) {
    Dispatch dispatch;
    dispatch.Workgroups(1).Constant(kNumberCount).Constant(uint64_t{1}).Constant(uint64_t{2}).Constant(uint64_t{3});
    dispatch.Constant(uint64_t{4}).Constant(uint64_t{100}).Constant(2.f);
    return dispatch.Bind(from).Bind(target).Bind(number).Bind(halves);
  }
  static std::vector<float> Expected(float from, float number, float halves) {
    std::vector<float> expected;
    for (const float i : Numbers(0)) expected.push_back((from + i) * 2 + number + i + halves + i + 100);
    return expected;
  }
  Buffer Make(float first) const { return device_.CreateBufferOf(Numbers(first), cts::Mappable()); }

  const Device device_ = OpenAnew();
  const Simulation simulation_;
  Executable kernels_;
};

TEST_F(BindingAddressTest, AreThoseOfTheBindings) {
  const Buffer from = Make(1), target = Make(0), number = Make(1000), halves = Make(5000);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernels_, kAddressKernel, Call(from, target, number, halves)));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(device_.Download<float>(target), ElementsAreArray(Expected(1, 1000, 5000)));
}

TEST_F(BindingAddressTest, IncludeTheOffsetsOfBindings) {
  std::vector<float> all(4 * kNumberCount);
  std::iota(all.begin(), all.end(), 0.f);
  const Buffer numbers = device_.CreateBufferOf(all, cts::Mappable());
  const auto part = [&](uint64_t first) { return Ref(numbers, first * sizeof(float), kNumberCount * sizeof(float)); };
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernels_, kAddressKernel,
                                  Call(part(4), part(96), part(32), part(52))));
  ASSERT_OK(done.Wait(1));
  const std::vector<float> told = device_.Download<float>(numbers);
  EXPECT_THAT(std::vector<float>(told.begin() + 96, told.end()), ElementsAreArray(Expected(4, 32, 52)));
}

TEST_F(BindingAddressTest, FollowTheSlotsOfEachExecution) {
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 4;
  CommandBuffer commands;
  ASSERT_OK(hal_command_buffer_create(device_, &reusable, commands.out()));
  ASSERT_OK(commands.Begin());
  ASSERT_OK(commands.Dispatch(kernels_, kAddressKernel, Call(cts::Slot(0), cts::Slot(1), cts::Slot(2), cts::Slot(3))));
  ASSERT_OK(commands.End());
  const Buffer a = Make(1), b = Make(2000), c = Make(3000), first = Make(0), second = Make(0);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueExecute(kNoWaits, {{done, 1}}, commands, {a, first, b, c}));
  ASSERT_OK(device_.QueueExecute({{done, 1}}, {{done, 2}}, commands, {b, second, c, a}));
  ASSERT_OK(device_.QueueExecute({{done, 2}}, {{done, 3}}, commands, {first, second, a, b}));
  ASSERT_OK(device_.QueueExecute({{done, 3}}, {{done, 4}}, commands, {b, second, c, a}));
  ASSERT_OK(done.Wait(4));
  EXPECT_THAT(device_.Download<float>(first), ElementsAreArray(Expected(1, 2000, 3000)));
  EXPECT_THAT(device_.Download<float>(second), ElementsAreArray(Expected(2000, 3000, 1)));
}

TEST_F(BindingAddressTest, AreChecked) {
  const hal_parameter_t parameters[] = {hal_parameter_constant(0, kAddressConstantsSize),
                                        Address(48, 0, HAL_BINDING_ACCESS_READ)};
  Executable other;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Load(device_, parameters, &other));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("offset: 48 + size 8 exceeds constants_size, which is 52"));
}

}  // namespace
}  // namespace halyard::vulkan
