// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels compute that halyard-pack translated from SPIR-V, where Metal's language differs from it: arrays as long
// as a workgroup, and vectors of bool in workgroup memory.
#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Semaphore;
using testing::ElementsAre;
using testing::HasSubstr;

class TranslatedTest : public MetalTest {
 protected:
  hal_status_t Create(const std::string& name, const std::vector<hal_specialization_t>& given,
                      Executable* out_kernel) const {
    const std::string path = HALYARD_METAL_TEST_KERNELS "/" + name + ".halx";
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.path = cts::View(path);
    params.specializations = given.data();
    params.specialization_count = given.size();
    return hal_executable_create(device_, &params, out_kernel->out());
  }
  Executable Load(const std::string& name, const std::vector<hal_specialization_t>& given = {}) const {
    Executable kernel;
    EXPECT_OK(Create(name, given, &kernel));
    return kernel;
  }
  void ExpectRefused(hal_status_t status, const std::string& name, const std::vector<hal_specialization_t>& given,
                     const std::string& words) const {
    Executable kernel;
    EXPECT_STATUS(status, Create(name, given, &kernel));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  }

  const Device device_ = Open();
};

TEST_F(TranslatedTest, ArraysAreAsLongAsTheWorkgroupsThatTheKernelIsFor) {
  const Executable kernel = Load("sized_sum");
  const Buffer in = device_.CreateBufferOf(std::vector<uint32_t>(64, 2));
  const Buffer out = device_.CreateBufferOf(std::vector<uint32_t>(2));
  const Semaphore done = device_.CreateSemaphore();
  const auto submit = [&](uint32_t size) {
    Dispatch dispatch;
    dispatch.Workgroups(2).WorkgroupSize(size).Bind(in).Bind(out);
    return device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "sized_sum", dispatch);
  };
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submit(64));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(64, 1, 1)"));
  ASSERT_OK(submit(32));
  ASSERT_OK(done.Wait(1));
  // 32 twos, times the other constant; a one; the size of a workgroup
  EXPECT_THAT(device_.Download<uint32_t>(out), ElementsAre(64 * 3 + 1 + 32, 64 * 3 + 1 + 32));
}

TEST_F(TranslatedTest, VectorsOfBoolInWorkgroupMemoryHoldWhatIsStored) {
  const Executable kernel = Load("bools");
  const Buffer out = device_.CreateBufferOf(std::vector<uint32_t>(4));
  const Semaphore done = device_.CreateSemaphore();
  Dispatch dispatch;
  dispatch.Workgroups(1).WorkgroupSize(4).Bind(out);
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "bools", dispatch));
  ASSERT_OK(done.Wait(1));
  // g.y, h[0].y, h[1].x, f[1].pair.x, each.x, each.z, any of h[1]; then what differs: h[0][i] is set for odd i, and
  // each even i turns x of its own pair off.
  constexpr uint32_t kAll = 2 + 4 + 16 + 64 + 256 + 1024 + 4096;
  EXPECT_THAT(device_.Download<uint32_t>(out), ElementsAre(kAll, kAll + 8 + 2048, kAll, kAll + 8 + 2048));
}

// As on lavapipe: the sum of push constants; bits of what each vector of bool holds; the last of the deepest array; its
// length; a part of a matrix, of an array of arrays, and of a vector in the uniform block; the workgroup's size.
TEST_F(TranslatedTest, NestedArraysOfSpecialisedLengthsHoldTheirValues) {
  std::vector<float> block(60);
  block[12 + 8 + 1] = 42;   // m[1][2][1]
  block[24 + 12 + 8] = 77;  // grid[1][2]
  block[48 + 8 + 1] = 0;    // pairs[2].y is a whole number
  const uint32_t ninety_nine = 99;
  std::memcpy(&block[48 + 8 + 1], &ninety_nine, sizeof(ninety_nine));
  const Buffer uniform = device_.CreateBufferOf(block);
  const auto run = [&](const std::vector<hal_specialization_t>& given, uint32_t x, uint32_t constants) {
    const Executable kernel = Load("nested", given);
    const Buffer out = device_.CreateBufferOf(std::vector<uint32_t>(8));
    const Semaphore done = device_.CreateSemaphore();
    Dispatch dispatch;
    dispatch.WorkgroupSize(x, 2, 1).Bind(uniform).Bind(out);
    for (uint32_t constant = 1; constant <= constants; ++constant) dispatch.Constant(constant);
    EXPECT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "nested", dispatch));
    EXPECT_OK(done.Wait(1));
    return device_.Download<uint32_t>(out);
  };
  EXPECT_THAT(run({}, 4, 4), ElementsAre(10, 158707, 113, 4, 42, 77, 99, 8));
  // As Vulkan has them, values of bool have four bytes.
  EXPECT_THAT(run({{2, 4, 2}, {4, 4, 1}, {7, 4, 2}}, 2, 4), ElementsAre(6, 39676, 113, 4, 42, 77, 99, 4));
}

// The kernel adds up its push constants, an array of them, and the last index of an array in workgroup memory.
TEST_F(TranslatedTest, ArraysAreAsLongAsSpecialisationConstantsSay) {
  const auto run = [&](const std::vector<hal_specialization_t>& given, uint32_t memory) {
    const Executable kernel = Load("lengths", given);
    hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
    EXPECT_OK(hal_executable_query_export_properties(kernel, 0, hal_dim3(8, 1, 1), 0, &properties));
    EXPECT_EQ(properties.local_memory_size, memory);
    const Buffer out = device_.CreateBufferOf(std::vector<float>(8));
    const Semaphore done = device_.CreateSemaphore();
    Dispatch dispatch;
    dispatch.WorkgroupSize(8).Bind(out);
    for (const float constant : {2.0f, 1.0f, 2.0f, 3.0f, 4.0f}) dispatch.Constant(constant);
    EXPECT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "lengths", dispatch));
    EXPECT_OK(done.Wait(1));
    return device_.Download<float>(out)[7];
  };
  EXPECT_EQ(run({}, 256), 2 * 10 + 63);
  EXPECT_EQ(run({{2, 4, 32}}, 512), 2 * 10 + 127);
  EXPECT_EQ(run({{0, 4, 2}, {2, 4, 8}}, 128), 2 * 3 + 31) << "a shorter array of push constants";
  ExpectRefused(HAL_STATUS_INVALID_ARGUMENT, "lengths", {{2, 8, 32}}, "specialisation constant 2 has 8 bytes, not 4");
  ExpectRefused(HAL_STATUS_INCOMPATIBLE, "lengths", {{0, 4, 8}},
                "the kernel takes 36 bytes of constants, the export has 20");
}

TEST_F(TranslatedTest, ConstantsOfTheSizeAreSidesOfWorkgroups) {
  constexpr const char* kScale16 = "scale$async_dispatch_0_elementwise_96_f32";
  const float five = 5;
  hal_specialization_t factor = {7, 4, 0};
  std::memcpy(&factor.value, &five, sizeof(five));
  const Executable kernel = Load("iree_specialised", {{0, 4, 16}, factor});
  const hal_export_info_t& info = *hal_executable_export_info(kernel, 0);
  EXPECT_EQ(info.workgroup_size.x, 16u);
  EXPECT_EQ(info.flags, HAL_EXPORT_EXACT_WORKGROUP_SIZE);
  const Buffer x = device_.CreateBufferOf(std::vector<float>(96, 2));
  const Buffer y = device_.CreateBufferOf(std::vector<float>(96));
  const Semaphore done = device_.CreateSemaphore();
  const auto submit = [&](uint32_t size) {
    Dispatch dispatch;
    dispatch.Workgroups(96 / size).WorkgroupSize(size).Bind(x).Bind(y).Constant(0u).Constant(0u);
    return device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, kScale16, dispatch);
  };
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, submit(32));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("(16, 1, 1)"));
  ASSERT_OK(submit(16));
  ASSERT_OK(done.Wait(1));
  EXPECT_EQ(device_.Download<float>(y), std::vector<float>(96, 10));
  ExpectRefused(HAL_STATUS_INVALID_ARGUMENT, "iree_specialised", {{0, 4, 0}},
                "specialisation constant 0 is the side of its workgroups in x, and cannot be 0");
}

// Its arrays are as long as the workgroup that it was translated for.
TEST_F(TranslatedTest, AConstantOfAnotherSizeThanTheKernelIsForIsRefused) {
  Load("sized_sum", {{0, 4, 32}});
  ExpectRefused(
      HAL_STATUS_INVALID_ARGUMENT, "sized_sum", {{0, 4, 64}},
      "export \"sized_sum\": specialisation constant 0 gives its workgroups 64 in x, but its image is made for "
      "workgroups of (32, 1, 1)");
}

// A switch by a phi, one by a constant that is computed, a conversion of a half to its own type.
TEST_F(TranslatedTest, WhatOptimisersLeaveComputesTheSame) {
  const Executable kernel = Load("awkward");
  const Buffer out = device_.CreateBufferOf(std::vector<uint32_t>(4));
  const Semaphore done = device_.CreateSemaphore();
  Dispatch dispatch;
  dispatch.Workgroups(1).WorkgroupSize(4).Bind(out);
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel, "awkward", dispatch));
  ASSERT_OK(done.Wait(1));
  EXPECT_THAT(device_.Download<uint32_t>(out), ElementsAre(110, 121, 132, 133));
}

}  // namespace
}  // namespace halyard::metal
