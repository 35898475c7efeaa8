// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel nodes that the device changes.
#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using cu::Result;

constexpr auto kUpdatable = cu::LaunchAttributeId::kDeviceUpdatableKernelNode;

// A graph of a host function, which changes the node as a kernel would, and the node after it, whose kernel puts a 7
// behind the others in a log once for each block.
class UpdatableNodeTest : public CudaSimTest {
 protected:
  void SetUp() override {
    CudaSimTest::SetUp();
    log_ = MakePinned<uint32_t>(256);
    ASSERT_CU(api_.GraphCreate(&graph_, 0));
    const cu::HostNodeParams change = {[](void* self) { static_cast<UpdatableNodeTest*>(self)->change_(); }, this};
    cu::GraphNode changes = nullptr;
    ASSERT_CU(api_.GraphAddHostNode(&changes, graph_, nullptr, 0, &change));
    const cu::KernelNodeParams params = AppendParams(params_);
    ASSERT_CU(api_.GraphAddKernelNode(&node_, graph_, &changes, 1, &params));
  }
  void TearDown() override {
    EXPECT_CU(api_.StreamSynchronize(stream_));
    if (exec_) EXPECT_CU(api_.GraphExecDestroy(exec_));
    EXPECT_CU(api_.GraphDestroy(graph_));
    CudaSimTest::TearDown();
  }

  // Makes the node device-updatable and instantiates the graph.
  void Instantiate() {
    cu::LaunchAttributeValue value{};
    value.device_updatable_kernel_node.device_updatable = 1;
    ASSERT_CU(api_.GraphKernelNodeSetAttribute(node_, kUpdatable, &value));
    ASSERT_CU(api_.GraphKernelNodeGetAttribute(node_, kUpdatable, &value));
    handle_ = value.device_updatable_kernel_node.device_node;
    ASSERT_NE(handle_, nullptr);
    ASSERT_CU(api_.GraphInstantiate(&exec_, graph_, 0));
  }
  // How many blocks ran in one launch.
  uint32_t BlocksOfLaunch() {
    const uint32_t before = log_[0];
    EXPECT_CU(api_.GraphLaunch(exec_, stream_));
    EXPECT_CU(api_.StreamSynchronize(stream_));
    return log_[0] - before;
  }

  std::function<void()> change_ = [] {};
  uint32_t* log_ = nullptr;
  uint32_t value_ = 7;
  void* params_[2] = {&log_, &value_};
  cu::Graph graph_ = nullptr;
  cu::GraphNode node_ = nullptr;
  cu::GraphExec exec_ = nullptr;
  cu::DeviceGraphNode handle_ = nullptr;
};

TEST_F(UpdatableNodeTest, TheDeviceSetsTheGrid) {
  Instantiate();
  ASSERT_CU(api_.GraphUpload(exec_, stream_));
  EXPECT_EQ(BlocksOfLaunch(), 1U);
  change_ = [this] { EXPECT_EQ(api_.SetNodeGrid(handle_, 2, 3, 1), 0); };
  EXPECT_EQ(BlocksOfLaunch(), 6U);
  change_ = [] {};
  EXPECT_EQ(BlocksOfLaunch(), 6U) << "what the device has set stays";
}

TEST_F(UpdatableNodeTest, TheDeviceDisablesTheNode) {
  Instantiate();
  ASSERT_CU(api_.GraphUpload(exec_, stream_));
  change_ = [this] { EXPECT_EQ(api_.SetNodeEnabled(handle_, 0), 0); };
  EXPECT_EQ(BlocksOfLaunch(), 0U);
  change_ = [this] { EXPECT_EQ(api_.SetNodeEnabled(handle_, 1), 0); };
  EXPECT_EQ(BlocksOfLaunch(), 1U);
}

TEST_F(UpdatableNodeTest, GridsThatNoLaunchTakesAreRefused) {
  Instantiate();
  ASSERT_CU(api_.GraphUpload(exec_, stream_));
  change_ = [this] {
    EXPECT_NE(api_.SetNodeGrid(handle_, 0, 1, 1), 0);
    EXPECT_NE(api_.SetNodeGrid(handle_, 1, 1, 0), 0);
    EXPECT_NE(api_.SetNodeGrid(handle_, 1, 65536, 1), 0);
  };
  EXPECT_EQ(BlocksOfLaunch(), 1U);
}

TEST_F(UpdatableNodeTest, TheGraphIsInstantiatedOnce) {
  Instantiate();
  cu::GraphExec second = nullptr;
  EXPECT_EQ(api_.GraphInstantiate(&second, graph_, 0), Result::kErrorNotSupported);
  ASSERT_CU(api_.GraphExecDestroy(exec_));
  exec_ = nullptr;
  EXPECT_EQ(api_.GraphInstantiate(&second, graph_, 0), Result::kErrorNotSupported);
}

TEST_F(UpdatableNodeTest, AnotherGraphIsInstantiatedOften) {
  cu::GraphExec second = nullptr;
  ASSERT_CU(api_.GraphInstantiate(&exec_, graph_, 0));
  ASSERT_CU(api_.GraphInstantiate(&second, graph_, 0));
  ASSERT_CU(api_.GraphExecDestroy(second));
}

TEST_F(UpdatableNodeTest, TheGraphIsUploadedBeforeItsFirstLaunch) {
  Instantiate();
  EXPECT_EQ(BlocksOfLaunch(), 0U);
  EXPECT_EQ(TakeReports("graph-upload"), 1U);
}

TEST_F(UpdatableNodeTest, TheGraphIsUploadedAfterAPatch) {
  Instantiate();
  ASSERT_CU(api_.GraphUpload(exec_, stream_));
  cu::KernelNodeParams patched = AppendParams(params_);
  patched.grid_dim_x = 3;
  ASSERT_CU(api_.GraphExecKernelNodeSetParams(exec_, node_, &patched));
  EXPECT_EQ(BlocksOfLaunch(), 1U);
  EXPECT_EQ(TakeReports("graph-upload"), 1U);
  ASSERT_CU(api_.GraphUpload(exec_, stream_));
  EXPECT_EQ(BlocksOfLaunch(), 3U);
}

TEST_F(UpdatableNodeTest, ThereIsNoWayBack) {
  cu::LaunchAttributeValue value{};
  EXPECT_CU(api_.GraphKernelNodeSetAttribute(node_, kUpdatable, &value));
  Instantiate();
  EXPECT_EQ(api_.GraphKernelNodeSetAttribute(node_, kUpdatable, &value), Result::kErrorInvalidValue);
  value.device_updatable_kernel_node.device_updatable = 2;
  EXPECT_EQ(api_.GraphKernelNodeSetAttribute(node_, kUpdatable, &value), Result::kErrorInvalidValue);
}

}  // namespace
}  // namespace halyard::sim
