// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: order, patches, concurrent use.
#include <atomic>
#include <numeric>
#include <thread>

#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using cu::Result;

class GraphTest : public CudaSimTest {
 protected:
  void SetUp() override {
    CudaSimTest::SetUp();
    log_ = MakePinned<uint32_t>(256);
    ASSERT_CU(api_.GraphCreate(&graph_, 0));
  }
  void TearDown() override {
    api_.StreamSynchronize(stream_);
    for (cu::GraphExec exec : execs_) EXPECT_CU(api_.GraphExecDestroy(exec));
    EXPECT_CU(api_.GraphDestroy(graph_));
    CudaSimTest::TearDown();
  }

  // A node that puts a number behind the others in the log.
  cu::GraphNode AddAppend(uint32_t value, const std::vector<cu::GraphNode>& dependencies) {
    void* params[] = {&log_, &value};
    const cu::KernelNodeParams node_params = AppendParams(params);
    cu::GraphNode node = nullptr;
    EXPECT_CU(api_.GraphAddKernelNode(&node, graph_, dependencies.data(), dependencies.size(), &node_params));
    return node;
  }
  // Nodes one after the other.
  std::vector<cu::GraphNode> AddChain(uint32_t count) {
    std::vector<cu::GraphNode> nodes;
    for (uint32_t i = 0; i < count; ++i) {
      nodes.push_back(AddAppend(i, nodes.empty() ? nodes : std::vector{nodes.back()}));
    }
    return nodes;
  }
  cu::GraphExec Instantiate() {
    cu::GraphExec exec = nullptr;
    EXPECT_CU(api_.GraphInstantiate(&exec, graph_, 0));
    return execs_.emplace_back(exec);
  }
  std::vector<uint32_t> Log() const { return {log_ + 1, log_ + 1 + log_[0]}; }

  cu::Graph graph_ = nullptr;
  uint32_t* log_ = nullptr;
  std::vector<cu::GraphExec> execs_;
};

TEST_F(GraphTest, DependenciesAreKept) {
  AddChain(20);
  const cu::GraphExec exec = Instantiate();
  ASSERT_CU(api_.GraphUpload(exec, stream_));
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  std::vector<uint32_t> expected(20);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(Log(), expected);
}

TEST_F(GraphTest, IndependentNodesRunSideBySide) {
  static std::atomic<bool> arrived{false};
  const cu::HostNodeParams arrive = {[](void*) { arrived = true; }, nullptr};
  cu::Event event = MakeEvent();
  cu::Stream other = MakeStream();
  cu::GraphNode waits = nullptr;
  cu::GraphNode arrives = nullptr;
  Close(other);
  ASSERT_CU(api_.EventRecord(event, other));
  ASSERT_CU(api_.GraphAddEventWaitNode(&waits, graph_, nullptr, 0, event));
  ASSERT_CU(api_.GraphAddHostNode(&arrives, graph_, nullptr, 0, &arrive));
  ASSERT_CU(api_.GraphLaunch(Instantiate(), stream_));
  while (!arrived) std::this_thread::yield();  // whichever of the two was begun first
  EXPECT_EQ(api_.StreamQuery(stream_), Result::kErrorNotReady);
  Open();
  EXPECT_CU(api_.StreamSynchronize(stream_));
}

TEST_F(GraphTest, ADisabledNodeIsPassedOver) {
  const auto nodes = AddChain(3);
  const cu::GraphExec exec = Instantiate();
  ASSERT_CU(api_.GraphNodeSetEnabled(exec, nodes[1], 0));
  unsigned enabled = 1;
  ASSERT_CU(api_.GraphNodeGetEnabled(exec, nodes[1], &enabled));
  EXPECT_EQ(enabled, 0U);
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_THAT(Log(), testing::ElementsAre(0, 2));
}

TEST_F(GraphTest, APatchCountsFromTheNextLaunchOn) {
  const auto nodes = AddChain(2);
  const cu::GraphExec exec = Instantiate();
  Close(stream_);
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  uint32_t value = 50;
  void* params[] = {&log_, &value};
  const cu::KernelNodeParams patched = AppendParams(params);
  ASSERT_CU(api_.GraphExecKernelNodeSetParams(exec, nodes[1], &patched));
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  Open();
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_THAT(Log(), testing::ElementsAre(0, 1, 0, 50));
}

TEST_F(GraphTest, LaunchesOfOneGraphRunOneAfterTheOther) {
  AddChain(10);
  const cu::GraphExec exec = Instantiate();
  cu::Stream other = MakeStream();
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  ASSERT_CU(api_.GraphLaunch(exec, other));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  ASSERT_CU(api_.StreamSynchronize(other));
  std::vector<uint32_t> expected(20);
  std::iota(expected.begin(), expected.begin() + 10, 0U);
  std::iota(expected.begin() + 10, expected.end(), 0U);
  EXPECT_EQ(Log(), expected);
}

TEST_F(GraphTest, TwoThreadsDoNotUseOneExecutableGraph) {
  AddChain(1);
  const cu::GraphExec exec = Instantiate();
  const auto launch = [&] {
    api_.CtxPushCurrent(context_);
    for (int i = 0; i < 200 && api_.Reports("exec-concurrency") == 0; ++i) api_.GraphUpload(exec, stream_);
    api_.CtxPopCurrent(nullptr);
  };
  std::thread one(launch);
  std::thread two(launch);
  one.join();
  two.join();
  EXPECT_GE(TakeReports("exec-concurrency"), 1U);
}

TEST_F(GraphTest, AnExecutableGraphAtWorkIsNotDestroyed) {
  AddChain(1);
  cu::GraphExec exec = nullptr;
  ASSERT_CU(api_.GraphInstantiate(&exec, graph_, 0));
  Close(stream_);
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  EXPECT_CU(api_.GraphExecDestroy(exec));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  Open();
  EXPECT_EQ(api_.GraphLaunch(exec, stream_), Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
}

TEST_F(GraphTest, CopiesFillsAndEvents) {
  const cu::DevicePtr memory = MakeMemory(64);
  uint32_t* out = MakePinned<uint32_t>(4);
  cu::Event event = MakeEvent();
  cu::GraphNode fill = nullptr;
  cu::GraphNode copy = nullptr;
  cu::GraphNode record = nullptr;
  cu::MemsetNodeParams fill_params = {memory, 0, 9, 4, 4, 1};
  ASSERT_CU(api_.GraphAddMemsetNode(&fill, graph_, nullptr, 0, &fill_params, context_));
  cu::Memcpy3d copy_params = {};
  copy_params.src_memory_type = cu::MemoryType::kDevice;
  copy_params.src_device = memory;
  copy_params.dst_memory_type = cu::MemoryType::kHost;
  copy_params.dst_host = out;
  copy_params.width_in_bytes = 16;
  copy_params.height = copy_params.depth = 1;
  ASSERT_CU(api_.GraphAddMemcpyNode(&copy, graph_, &fill, 1, &copy_params, context_));
  ASSERT_CU(api_.GraphAddEventRecordNode(&record, graph_, &copy, 1, event));
  const cu::GraphExec exec = Instantiate();
  fill_params.value = 10;
  ASSERT_CU(api_.GraphExecMemsetNodeSetParams(exec, fill, &fill_params, context_));
  copy_params.dst_host = out + 1;
  copy_params.width_in_bytes = 4;
  ASSERT_CU(api_.GraphExecMemcpyNodeSetParams(exec, copy, &copy_params, context_));
  ASSERT_CU(api_.GraphLaunch(exec, stream_));
  ASSERT_CU(api_.EventSynchronize(event));
  EXPECT_THAT(std::vector(out, out + 3), testing::ElementsAre(0, 10, 0));
}

TEST_F(GraphTest, CyclesAndForeignNodesAreRefused) {
  const auto nodes = AddChain(2);
  ASSERT_CU(api_.GraphAddDependencies(graph_, &nodes[1], &nodes[0], 1));
  EXPECT_EQ(api_.GraphAddDependencies(graph_, &nodes[1], &nodes[0], 1), Result::kErrorInvalidValue);
  cu::GraphExec exec = nullptr;
  EXPECT_EQ(api_.GraphInstantiate(&exec, graph_, 0), Result::kErrorInvalidValue);
  cu::Graph other = nullptr;
  cu::GraphNode node = nullptr;
  ASSERT_CU(api_.GraphCreate(&other, 0));
  EXPECT_EQ(api_.GraphAddEmptyNode(&node, other, nodes.data(), 1), Result::kErrorInvalidValue);
  ASSERT_CU(api_.GraphDestroy(other));
}

TEST_F(GraphTest, ALostDeviceEndsTheGraph) {
  AddChain(6);
  cu::Event event = MakeEvent();
  api_.LoseDevice(0, 3, static_cast<int>(Result::kErrorLaunchTimeout));
  ASSERT_CU(api_.GraphLaunch(Instantiate(), stream_));
  EXPECT_EQ(api_.StreamSynchronize(stream_), Result::kErrorLaunchTimeout);
  EXPECT_EQ(api_.EventQuery(event), Result::kErrorLaunchTimeout);
  EXPECT_EQ(log_[0], 2U);
}

}  // namespace
}  // namespace halyard::sim
