// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: what launches, widths and patches of HIP's do.
#include "hip_sim_test.h"

namespace halyard::sim {
namespace {

class HipGraphTest : public HipSimTest {
 protected:
  void SetUp() override {
    HipSimTest::SetUp();
    log_ = MakePinned<uint32_t>(256);
    x_ = MakePinned<float>(512);
    y_ = MakePinned<float>(512);
    std::fill_n(x_, 512, 1.0F);
    ASSERT_HIP(api_.hipGraphCreate(&graph_, 0));
  }

  /// A node that puts a number behind the others in the log.
  hipGraphNode_t AddAppend(uint32_t value, const std::vector<hipGraphNode_t>& dependencies) {
    void* params[] = {&log_, &value};
    const hipKernelNodeParams node_params = {{1, 1, 1}, nullptr, GetFunction("append"), {1, 1, 1}, params, 0};
    hipGraphNode_t node = nullptr;
    EXPECT_HIP(api_.hipGraphAddKernelNode(&node, graph_, dependencies.data(), dependencies.size(), &node_params));
    return node;
  }
  hipGraphExec_t Instantiate() {
    hipGraphExec_t exec = nullptr;
    EXPECT_HIP(api_.hipGraphInstantiate(&exec, graph_, nullptr, nullptr, 0));
    return exec;
  }
  /// The parameters of `scale` for workgroups of 256.
  struct Scale {
    float* y;
    float a = 2.0F;
    float* x;
    uint32_t count = 512;
    void* pointers[4] = {&y, &a, &x, &count};
  };
  hipKernelNodeParams ScaleParams(Scale& scale, uint32_t groups) {
    return {{256, 1, 1}, nullptr, GetFunction("scale"), {groups, 1, 1}, scale.pointers, 0};
  }
  size_t FreeMemory() {
    size_t bytes = 0;
    EXPECT_HIP(api_.hipMemGetInfo(&bytes, nullptr));
    return bytes;
  }

  hipGraph_t graph_ = nullptr;
  uint32_t* log_ = nullptr;
  float* x_ = nullptr;
  float* y_ = nullptr;
};

TEST_F(HipGraphTest, DependenciesAreKept) {
  std::vector<hipGraphNode_t> last;
  for (uint32_t i = 0; i < 10; ++i) last = {AddAppend(i, last)};
  ASSERT_HIP(api_.hipGraphLaunch(Instantiate(), stream_));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(log_, log_ + 11), testing::ElementsAre(10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(HipGraphTest, LaunchesOfOneExecutableGraphOverlap) {
  AddAppend(1, {});
  const hipGraphExec_t exec = Instantiate();
  const hipStream_t other = MakeStream();
  Close(stream_);
  ASSERT_HIP(api_.hipGraphLaunch(exec, stream_));
  ASSERT_HIP(api_.hipGraphLaunch(exec, other));
  ASSERT_HIP(api_.hipStreamSynchronize(other));  // the first has not begun
  EXPECT_EQ(log_[0], 1U);
  Open();
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_EQ(log_[0], 2U);
}

TEST_F(HipGraphTest, MoreThanFourNodesSideBySideAreReported) {
  for (uint32_t i = 0; i < 4; ++i) AddAppend(i, {});
  Instantiate();
  EXPECT_EQ(Report(), "");
  AddAppend(4, {});
  Instantiate();
  EXPECT_EQ(TakeReports("graph-width"), 1U);
}

TEST_F(HipGraphTest, PatchesOfKernelsKeepMemoryUntilTheExecutableGraphGoes) {
  const hipGraphNode_t node = AddAppend(1, {});
  const hipGraphExec_t exec = Instantiate();
  const size_t before = FreeMemory();
  uint32_t value = 2;
  void* params[] = {&log_, &value};
  const hipKernelNodeParams patch = {{1, 1, 1}, nullptr, GetFunction("append"), {1, 1, 1}, params, 0};
  for (int i = 0; i < 16; ++i) ASSERT_HIP(api_.hipGraphExecKernelNodeSetParams(exec, node, &patch));
  EXPECT_EQ(FreeMemory(), before - size_t{16} * 128);
  ASSERT_HIP(api_.hipGraphExecDestroy(exec));
  EXPECT_EQ(FreeMemory(), before);
}

TEST_F(HipGraphTest, APatchedGridWrapsAt32Bits) {
  constexpr uint32_t kGroups = (1U << 24) + 1;  // of 256
  Scale scale = {.y = y_, .x = x_};
  hipKernelNodeParams params = ScaleParams(scale, kGroups);
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(api_.hipGraphAddKernelNode(&node, graph_, nullptr, 0, &params), hipErrorInvalidConfiguration);
  EXPECT_EQ(api_.hipModuleLaunchKernel(params.func == nullptr ? nullptr : GetFunction("scale"), kGroups, 1, 1, 256, 1,
                                       1, 0, stream_, scale.pointers, nullptr),
            hipErrorInvalidConfiguration);
  EXPECT_EQ(TakeReports("launch-limits"), 2U);
  params.gridDim.x = 2;
  ASSERT_HIP(api_.hipGraphAddKernelNode(&node, graph_, nullptr, 0, &params));
  const hipGraphExec_t exec = Instantiate();
  params.gridDim.x = kGroups;
  ASSERT_HIP(api_.hipGraphExecKernelNodeSetParams(exec, node, &params));
  ASSERT_HIP(api_.hipGraphLaunch(exec, stream_));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(y_, y_ + 256), testing::Each(2.0F));
  EXPECT_THAT(std::vector(y_ + 256, y_ + 512), testing::Each(0.0F));
  params.gridDim.x = 1U << 24;  // nothing is left
  std::fill_n(y_, 512, 0.0F);
  ASSERT_HIP(api_.hipGraphExecKernelNodeSetParams(exec, node, &params));
  ASSERT_HIP(api_.hipGraphLaunch(exec, stream_));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(y_, y_ + 512), testing::Each(0.0F));
}

// As 6.4.3 was seen to do it: 2,048 fills later another pattern lies where the first one was.
TEST_F(HipGraphTest, AFillGetsThePatternOfOneThatWasInstantiatedMuchLater) {
  void* memory = MakeMemory(64);
  uint32_t* out = MakePinned<uint32_t>(1);
  const auto instantiate = [&](void* target, unsigned int value, int fills) {
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    EXPECT_HIP(api_.hipGraphCreate(&graph, 0));
    const hipMemsetParams params = {target, 4, 1, 0, value, 4};
    hipGraphNode_t last = nullptr;
    for (int i = 0; i < fills; ++i) {
      hipGraphNode_t next = nullptr;
      EXPECT_HIP(api_.hipGraphAddMemsetNode(&next, graph, &last, last == nullptr ? 0 : 1, &params));
      last = next;
    }
    EXPECT_HIP(api_.hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    EXPECT_HIP(api_.hipGraphDestroy(graph));
    return exec;
  };
  const auto value_of = [&](hipGraphExec_t exec) {
    EXPECT_HIP(api_.hipGraphLaunch(exec, stream_));
    EXPECT_HIP(api_.hipMemcpyAsync(out, memory, 4, hipMemcpyDefault, stream_));
    EXPECT_HIP(api_.hipStreamSynchronize(stream_));
    return *out;
  };
  for (const auto& [version, expected] : {std::pair(kHip64, 2U), {kHip71, 2U}, {kHip715, 1U}}) {
    api_.SetVersion(version);
    const hipGraphExec_t first = instantiate(memory, 1, 1);
    EXPECT_EQ(value_of(first), 1U);
    const hipGraphExec_t others = instantiate(static_cast<char*>(memory) + 4, 2, 2048);
    EXPECT_EQ(value_of(first), expected) << version;
    EXPECT_HIP(api_.hipGraphExecDestroy(first));
    EXPECT_HIP(api_.hipGraphExecDestroy(others));
  }
  api_.SetVersion(0);
}

TEST_F(HipGraphTest, CopiesAndFillsArePatched) {
  void* memory = MakeMemory(64);
  uint32_t* out = MakePinned<uint32_t>(4);
  hipGraphNode_t fill = nullptr;
  hipGraphNode_t copy = nullptr;
  hipGraphNode_t end = nullptr;
  hipMemsetParams fill_params = {memory, 4, 1, 0, 9, 4};
  ASSERT_HIP(api_.hipGraphAddMemsetNode(&fill, graph_, nullptr, 0, &fill_params));
  ASSERT_HIP(api_.hipGraphAddMemcpyNode1D(&copy, graph_, &fill, 1, out, memory, 16, hipMemcpyDefault));
  ASSERT_HIP(api_.hipGraphAddEmptyNode(&end, graph_, &copy, 1));
  const hipGraphExec_t exec = Instantiate();
  fill_params.value = 10;
  ASSERT_HIP(api_.hipGraphExecMemsetNodeSetParams(exec, fill, &fill_params));
  ASSERT_HIP(api_.hipGraphExecMemcpyNodeSetParams1D(exec, copy, out + 1, memory, 4, hipMemcpyDefault));
  ASSERT_HIP(api_.hipGraphLaunch(exec, stream_));
  ASSERT_HIP(api_.hipStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(out, out + 3), testing::ElementsAre(0, 10, 0));
}

}  // namespace
}  // namespace halyard::sim
