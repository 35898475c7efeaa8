// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HALYARD_NVTX=1 with a simulated library and a simulated tool, with a library that is not there, and HALYARD_NVTX=0.
// NVTX is looked for once in a process, so each of them is a run of its own.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "halyard/halyard.hpp"
#include "nvtx/nvtx_sim.h"

namespace halyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string g_log;

void Append(void*, hal_log_level_t, hal_string_view_t message) { g_log += hal::View(message); }

class NvtxTest : public ::testing::Test {
 protected:
  NvtxTest() { hal_set_log_callback(Append, nullptr, HAL_LOG_LEVEL_WARNING); }
  ~NvtxTest() override { hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_ERROR); }
};

/// With the simulation that HALYARD_NVTX_SIM names.
class NvtxRangesTest : public NvtxTest {
 protected:
  /// What was written down since `before`.
  static std::string Ranges(const std::string& before = "") {
    void* const library = dlopen(std::getenv("HALYARD_NVTX_SIM"), RTLD_NOW);
    const auto log = library ? reinterpret_cast<NvtxSimLogFunction>(dlsym(library, kNvtxSimLog)) : nullptr;
    return log ? std::string(log()).substr(before.size()) : "no simulation";
  }
};

TEST_F(NvtxRangesTest, LabelsOfAThreadAreRanges) {
  const std::string before = Ranges();
  {
    const hal::LabelScope outer("decode");
    const hal::LabelScope nothing("");
    const hal::LabelScope inner("layer\n7");
  }
  EXPECT_EQ(Ranges(before), "(decode(layer 7))");
  EXPECT_THAT(g_log, IsEmpty());
}

TEST_F(NvtxRangesTest, SubmissionsToAStreamAreRanges) {
  if (!std::getenv("HALYARD_CUDA_LIBRARY")) GTEST_SKIP() << "this build has no simulated CUDA";
  const hal::Device device = hal::Device::Open("cuda://0");
  const hal::Semaphore go = hal::Semaphore::Create(device);
  const hal::Semaphore done = hal::Semaphore::Create(device);
  const hal::Buffer buffer = device.allocator().Allocate(64, HAL_BUFFER_PARAMS_INIT);
  const std::string before = Ranges();
  {
    const hal::LabelScope label("deferred");
    device.queues().Fill(go.At(1), done.At(1), buffer, uint32_t{1});
  }
  device.queues().Fill(done.At(1), done.At(2), buffer, uint32_t{2});
  EXPECT_EQ(Ranges(before), "(deferred)") << "nothing was submitted to a stream yet";
  go.Signal(1);
  done.Wait(2);
  EXPECT_EQ(Ranges(before), "(deferred)(fill: deferred)(fill)");
}

/// With a library that is not there.
class NvtxMissingTest : public NvtxTest {};

TEST_F(NvtxMissingTest, IsSaidOnce) {
  const hal::LabelScope label("decode");
  const hal::LabelScope again("layer 7");
  EXPECT_THAT(g_log, AllOf(HasSubstr("HALYARD_NVTX: no tool is told of ranges: "), HasSubstr("no_such_nvtx.so")));
  EXPECT_EQ(g_log.find("HALYARD_NVTX", 1), std::string::npos);
}

/// Without HALYARD_NVTX, but with a library that is not there.
class NvtxOffTest : public NvtxTest {};

TEST_F(NvtxOffTest, NothingIsLookedFor) {
  const hal::LabelScope label("decode");
  EXPECT_THAT(g_log, IsEmpty());
}

}  // namespace
}  // namespace halyard
