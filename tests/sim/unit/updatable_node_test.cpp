// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel nodes that the device changes.
#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

constexpr auto kUpdatable = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;

// A graph of a host function and a kernel node. The host function changes the node as a kernel would. The node's kernel
// appends a 7 to a log for each block.
class UpdatableNodeTest : public CudaSimTest {
 protected:
  void SetUp() override {
    CudaSimTest::SetUp();
    log_ = MakePinned<uint32_t>(256);
    ASSERT_CU(api_.cuGraphCreate(&graph_, 0));
    const CUDA_HOST_NODE_PARAMS change = {[](void* self) { static_cast<UpdatableNodeTest*>(self)->change_(); }, this};
    CUgraphNode changes = nullptr;
    ASSERT_CU(api_.cuGraphAddHostNode(&changes, graph_, nullptr, 0, &change));
    const CUDA_KERNEL_NODE_PARAMS params = AppendParams(params_);
    ASSERT_CU(api_.cuGraphAddKernelNode_v2(&node_, graph_, &changes, 1, &params));
  }
  void TearDown() override {
    EXPECT_CU(api_.cuStreamSynchronize(stream_));
    if (exec_) EXPECT_CU(api_.cuGraphExecDestroy(exec_));
    EXPECT_CU(api_.cuGraphDestroy(graph_));
    CudaSimTest::TearDown();
  }

  // Makes the node device-updatable and instantiates the graph.
  void Instantiate() {
    CUlaunchAttributeValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    ASSERT_CU(api_.cuGraphKernelNodeSetAttribute(node_, kUpdatable, &value));
    ASSERT_CU(api_.cuGraphKernelNodeGetAttribute(node_, kUpdatable, &value));
    handle_ = value.deviceUpdatableKernelNode.devNode;
    ASSERT_NE(handle_, nullptr);
    ASSERT_CU(api_.cuGraphInstantiateWithFlags(&exec_, graph_, 0));
  }
  // How many blocks ran in one launch.
  uint32_t BlocksOfLaunch() {
    const uint32_t before = log_[0];
    EXPECT_CU(api_.cuGraphLaunch(exec_, stream_));
    EXPECT_CU(api_.cuStreamSynchronize(stream_));
    return log_[0] - before;
  }

  std::function<void()> change_ = [] {};
  uint32_t* log_ = nullptr;
  uint32_t value_ = 7;
  void* params_[2] = {&log_, &value_};
  CUgraph graph_ = nullptr;
  CUgraphNode node_ = nullptr;
  CUgraphExec exec_ = nullptr;
  CUgraphDeviceNode handle_ = nullptr;
};

TEST_F(UpdatableNodeTest, TheDeviceSetsTheGrid) {
  Instantiate();
  ASSERT_CU(api_.cuGraphUpload(exec_, stream_));
  EXPECT_EQ(BlocksOfLaunch(), 1U);
  change_ = [this] { EXPECT_EQ(api_.SetNodeGrid(handle_, 2, 3, 1), 0); };
  EXPECT_EQ(BlocksOfLaunch(), 6U);
  change_ = [] {};
  EXPECT_EQ(BlocksOfLaunch(), 6U) << "what the device has set stays";
}

TEST_F(UpdatableNodeTest, TheDeviceDisablesTheNode) {
  Instantiate();
  ASSERT_CU(api_.cuGraphUpload(exec_, stream_));
  change_ = [this] { EXPECT_EQ(api_.SetNodeEnabled(handle_, 0), 0); };
  EXPECT_EQ(BlocksOfLaunch(), 0U);
  change_ = [this] { EXPECT_EQ(api_.SetNodeEnabled(handle_, 1), 0); };
  EXPECT_EQ(BlocksOfLaunch(), 1U);
}

TEST_F(UpdatableNodeTest, GridsThatNoLaunchTakesAreRefused) {
  Instantiate();
  ASSERT_CU(api_.cuGraphUpload(exec_, stream_));
  change_ = [this] {
    EXPECT_NE(api_.SetNodeGrid(handle_, 0, 1, 1), 0);
    EXPECT_NE(api_.SetNodeGrid(handle_, 1, 1, 0), 0);
    EXPECT_NE(api_.SetNodeGrid(handle_, 1, 65536, 1), 0);
  };
  EXPECT_EQ(BlocksOfLaunch(), 1U);
}

TEST_F(UpdatableNodeTest, TheGraphIsInstantiatedOnce) {
  Instantiate();
  CUgraphExec second = nullptr;
  EXPECT_EQ(api_.cuGraphInstantiateWithFlags(&second, graph_, 0), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_CU(api_.cuGraphExecDestroy(exec_));
  exec_ = nullptr;
  EXPECT_EQ(api_.cuGraphInstantiateWithFlags(&second, graph_, 0), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(UpdatableNodeTest, AnotherGraphIsInstantiatedOften) {
  CUgraphExec second = nullptr;
  ASSERT_CU(api_.cuGraphInstantiateWithFlags(&exec_, graph_, 0));
  ASSERT_CU(api_.cuGraphInstantiateWithFlags(&second, graph_, 0));
  ASSERT_CU(api_.cuGraphExecDestroy(second));
}

TEST_F(UpdatableNodeTest, TheGraphIsUploadedBeforeItsFirstLaunch) {
  Instantiate();
  EXPECT_EQ(BlocksOfLaunch(), 0U);
  EXPECT_EQ(TakeReports("graph-upload"), 1U);
}

TEST_F(UpdatableNodeTest, TheGraphIsUploadedAfterAPatch) {
  Instantiate();
  ASSERT_CU(api_.cuGraphUpload(exec_, stream_));
  CUDA_KERNEL_NODE_PARAMS patched = AppendParams(params_);
  patched.gridDimX = 3;
  ASSERT_CU(api_.cuGraphExecKernelNodeSetParams_v2(exec_, node_, &patched));
  EXPECT_EQ(BlocksOfLaunch(), 1U);
  EXPECT_EQ(TakeReports("graph-upload"), 1U);
  ASSERT_CU(api_.cuGraphUpload(exec_, stream_));
  EXPECT_EQ(BlocksOfLaunch(), 3U);
}

TEST_F(UpdatableNodeTest, ThereIsNoWayBack) {
  CUlaunchAttributeValue value{};
  EXPECT_CU(api_.cuGraphKernelNodeSetAttribute(node_, kUpdatable, &value));
  Instantiate();
  EXPECT_EQ(api_.cuGraphKernelNodeSetAttribute(node_, kUpdatable, &value), CUDA_ERROR_INVALID_VALUE);
  value.deviceUpdatableKernelNode.deviceUpdatable = 2;
  EXPECT_EQ(api_.cuGraphKernelNodeSetAttribute(node_, kUpdatable, &value), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace halyard::sim
