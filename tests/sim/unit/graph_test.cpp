// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: order, patches, concurrent use.
#include <atomic>
#include <numeric>
#include <thread>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

class GraphTest : public CudaSimTest {
 protected:
  void SetUp() override {
    CudaSimTest::SetUp();
    log_ = MakePinned<uint32_t>(256);
    ASSERT_CU(api_.cuGraphCreate(&graph_, 0));
  }
  void TearDown() override {
    api_.cuStreamSynchronize(stream_);
    for (CUgraphExec exec : execs_) EXPECT_CU(api_.cuGraphExecDestroy(exec));
    EXPECT_CU(api_.cuGraphDestroy(graph_));
    CudaSimTest::TearDown();
  }

  // A node that puts a number behind the others in the log.
  CUgraphNode AddAppend(uint32_t value, const std::vector<CUgraphNode>& dependencies) {
    void* params[] = {&log_, &value};
    const CUDA_KERNEL_NODE_PARAMS node_params = AppendParams(params);
    CUgraphNode node = nullptr;
    EXPECT_CU(api_.cuGraphAddKernelNode_v2(&node, graph_, dependencies.data(), dependencies.size(), &node_params));
    return node;
  }
  // Nodes one after the other.
  std::vector<CUgraphNode> AddChain(uint32_t count) {
    std::vector<CUgraphNode> nodes;
    for (uint32_t i = 0; i < count; ++i) {
      nodes.push_back(AddAppend(i, nodes.empty() ? nodes : std::vector{nodes.back()}));
    }
    return nodes;
  }
  CUgraphExec Instantiate() {
    CUgraphExec exec = nullptr;
    EXPECT_CU(api_.cuGraphInstantiateWithFlags(&exec, graph_, 0));
    return execs_.emplace_back(exec);
  }
  std::vector<uint32_t> Log() const { return {log_ + 1, log_ + 1 + log_[0]}; }

  CUgraph graph_ = nullptr;
  uint32_t* log_ = nullptr;
  std::vector<CUgraphExec> execs_;
};

TEST_F(GraphTest, DependenciesAreKept) {
  AddChain(20);
  const CUgraphExec exec = Instantiate();
  ASSERT_CU(api_.cuGraphUpload(exec, stream_));
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  std::vector<uint32_t> expected(20);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(Log(), expected);
}

TEST_F(GraphTest, IndependentNodesRunSideBySide) {
  static std::atomic<bool> arrived{false};
  const CUDA_HOST_NODE_PARAMS arrive = {[](void*) { arrived = true; }, nullptr};
  CUevent event = MakeEvent();
  CUstream other = MakeStream();
  CUgraphNode waits = nullptr;
  CUgraphNode arrives = nullptr;
  Close(other);
  ASSERT_CU(api_.cuEventRecord(event, other));
  ASSERT_CU(api_.cuGraphAddEventWaitNode(&waits, graph_, nullptr, 0, event));
  ASSERT_CU(api_.cuGraphAddHostNode(&arrives, graph_, nullptr, 0, &arrive));
  ASSERT_CU(api_.cuGraphLaunch(Instantiate(), stream_));
  while (!arrived) std::this_thread::yield();  // whichever of the two was begun first
  EXPECT_EQ(api_.cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
  Open();
  EXPECT_CU(api_.cuStreamSynchronize(stream_));
}

TEST_F(GraphTest, ADisabledNodeIsPassedOver) {
  const auto nodes = AddChain(3);
  const CUgraphExec exec = Instantiate();
  ASSERT_CU(api_.cuGraphNodeSetEnabled(exec, nodes[1], 0));
  unsigned enabled = 1;
  ASSERT_CU(api_.cuGraphNodeGetEnabled(exec, nodes[1], &enabled));
  EXPECT_EQ(enabled, 0U);
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_THAT(Log(), testing::ElementsAre(0, 2));
}

TEST_F(GraphTest, APatchCountsFromTheNextLaunchOn) {
  const auto nodes = AddChain(2);
  const CUgraphExec exec = Instantiate();
  Close(stream_);
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  uint32_t value = 50;
  void* params[] = {&log_, &value};
  const CUDA_KERNEL_NODE_PARAMS patched = AppendParams(params);
  ASSERT_CU(api_.cuGraphExecKernelNodeSetParams_v2(exec, nodes[1], &patched));
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  Open();
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_THAT(Log(), testing::ElementsAre(0, 1, 0, 50));
}

TEST_F(GraphTest, LaunchesOfOneGraphRunOneAfterTheOther) {
  AddChain(10);
  const CUgraphExec exec = Instantiate();
  CUstream other = MakeStream();
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  ASSERT_CU(api_.cuGraphLaunch(exec, other));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  ASSERT_CU(api_.cuStreamSynchronize(other));
  std::vector<uint32_t> expected(20);
  std::iota(expected.begin(), expected.begin() + 10, 0U);
  std::iota(expected.begin() + 10, expected.end(), 0U);
  EXPECT_EQ(Log(), expected);
}

// However the threads are scheduled: they go on until they have met.
TEST_F(GraphTest, TwoThreadsDoNotUseOneExecutableGraph) {
  AddChain(1);
  const CUgraphExec exec = Instantiate();
  const auto launch = [&] {
    api_.cuCtxPushCurrent_v2(context_);
    while (api_.Reports("exec-concurrency") == 0) api_.cuGraphUpload(exec, stream_);
    api_.cuCtxPopCurrent_v2(nullptr);
  };
  std::thread one(launch);
  std::thread two(launch);
  one.join();
  two.join();
  EXPECT_GE(TakeReports("exec-concurrency"), 1U);
}

TEST_F(GraphTest, AnExecutableGraphAtWorkIsNotDestroyed) {
  AddChain(1);
  CUgraphExec exec = nullptr;
  ASSERT_CU(api_.cuGraphInstantiateWithFlags(&exec, graph_, 0));
  Close(stream_);
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  EXPECT_CU(api_.cuGraphExecDestroy(exec));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  Open();
  EXPECT_EQ(api_.cuGraphLaunch(exec, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
}

TEST_F(GraphTest, CopiesFillsAndEvents) {
  const CUdeviceptr memory = MakeMemory(64);
  uint32_t* out = MakePinned<uint32_t>(4);
  CUevent event = MakeEvent();
  CUgraphNode fill = nullptr;
  CUgraphNode copy = nullptr;
  CUgraphNode record = nullptr;
  CUDA_MEMSET_NODE_PARAMS fill_params = {memory, 0, 9, 4, 4, 1};
  ASSERT_CU(api_.cuGraphAddMemsetNode(&fill, graph_, nullptr, 0, &fill_params, context_));
  CUDA_MEMCPY3D copy_params = {};
  copy_params.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy_params.srcDevice = memory;
  copy_params.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy_params.dstHost = out;
  copy_params.WidthInBytes = 16;
  copy_params.Height = copy_params.Depth = 1;
  ASSERT_CU(api_.cuGraphAddMemcpyNode(&copy, graph_, &fill, 1, &copy_params, context_));
  ASSERT_CU(api_.cuGraphAddEventRecordNode(&record, graph_, &copy, 1, event));
  const CUgraphExec exec = Instantiate();
  fill_params.value = 10;
  ASSERT_CU(api_.cuGraphExecMemsetNodeSetParams(exec, fill, &fill_params, context_));
  copy_params.dstHost = out + 1;
  copy_params.WidthInBytes = 4;
  copy_params.srcPitch = copy_params.dstPitch = 4;
  copy_params.Height = 2;
  EXPECT_EQ(api_.cuGraphExecMemcpyNodeSetParams(exec, copy, &copy_params, context_), CUDA_ERROR_INVALID_VALUE);
  copy_params.Height = 1;
  ASSERT_CU(api_.cuGraphExecMemcpyNodeSetParams(exec, copy, &copy_params, context_));
  ASSERT_CU(api_.cuGraphLaunch(exec, stream_));
  ASSERT_CU(api_.cuEventSynchronize(event));
  EXPECT_THAT(std::vector(out, out + 3), testing::ElementsAre(0, 10, 0));
}

TEST_F(GraphTest, CyclesAndForeignNodesAreRefused) {
  const auto nodes = AddChain(2);
  ASSERT_CU(api_.cuGraphAddDependencies(graph_, &nodes[1], &nodes[0], 1));
  EXPECT_EQ(api_.cuGraphAddDependencies(graph_, &nodes[1], &nodes[0], 1), CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = nullptr;
  EXPECT_EQ(api_.cuGraphInstantiateWithFlags(&exec, graph_, 0), CUDA_ERROR_INVALID_VALUE);
  CUgraph other = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_CU(api_.cuGraphCreate(&other, 0));
  EXPECT_EQ(api_.cuGraphAddEmptyNode(&node, other, nodes.data(), 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(api_.cuGraphDestroy(other));
}

TEST_F(GraphTest, ALostDeviceEndsTheGraph) {
  AddChain(6);
  CUevent event = MakeEvent();
  api_.LoseDevice(0, 3, CUDA_ERROR_LAUNCH_TIMEOUT);
  ASSERT_CU(api_.cuGraphLaunch(Instantiate(), stream_));
  EXPECT_EQ(api_.cuStreamSynchronize(stream_), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(api_.cuEventQuery(event), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(log_[0], 2U);
}

}  // namespace
}  // namespace halyard::sim
