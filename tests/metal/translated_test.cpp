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
  Executable Load(const std::string& name) const {
    const std::string path = HALYARD_METAL_TEST_KERNELS "/" + name + ".halx";
    hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
    params.path = cts::View(path);
    Executable kernel;
    EXPECT_OK(hal_executable_create(device_, &params, kernel.out()));
    return kernel;
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
