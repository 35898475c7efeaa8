// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of the native API in memory.
#ifndef HALYARD_TESTS_UNIT_STREAM_MEMORY_GRAPHS_H_
#define HALYARD_TESTS_UNIT_STREAM_MEMORY_GRAPHS_H_

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "unit/stream/memory_calls.h"

namespace halyard::stream {

using sim::NodeKind;

class MemoryGraphs : public MemoryCalls {
 public:
  using MemoryCalls::MemoryCalls;
  using Nodes = std::span<const NativeGraphNode>;

  Status CreateGraph(NativeGraph* out_graph) override {
    return Call(__func__, [&] { Keep(std::make_shared<sim::Graph>(), world_->graphs, out_graph); });
  }
  void DestroyGraph(NativeGraph graph) override {
    Destroy(graph, world_->graphs, [&](const sim::Graph& last) {
      for (const auto& node : last.nodes) runtime_.nodes.Remove(node.get());
    });
  }
  Status AddLaunch(NativeGraph graph, Nodes after, const NativeLaunch& launch, NativeGraphNode* out_node) override {
    return AddWith(__func__, graph, after, NodeKind::kKernel, launch, out_node);
  }
  Status AddCopy(NativeGraph graph, Nodes after, const NativeCopy& copy, NativeGraphNode* out_node) override {
    return AddWith(__func__, graph, after, NodeKind::kCopy, copy, out_node);
  }
  Status AddFill(NativeGraph graph, Nodes after, const NativeFill& fill, NativeGraphNode* out_node) override {
    return AddWith(__func__, graph, after, NodeKind::kFill, fill, out_node);
  }
  Status AddJoin(NativeGraph graph, Nodes after, NativeGraphNode* out_node) override {
    return Call(__func__, [&] { Add(graph, after, NodeKind::kEmpty, {}, out_node); });
  }

  Status InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) override {
    return Call(__func__, [&] {
      sim::Graph& from = *Find(graph);
      if (std::exchange(from.instantiated, true) && sim::IsUpdatable(from)) return Error::kNotSupported;
      Keep(sim::GraphExec::Make(from), world_->graphs, out_exec);
      return Error::kSuccess;
    });
  }
  void DestroyGraphExec(NativeGraphExec exec) override {
    Destroy(exec, world_->graphs,
            [&, name = __func__](const sim::GraphExec& last) { CheckUse(last, sim::Rule::kDestroyInUse, name); });
  }
  Status PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) override {
    return Patch(exec, node, NodeKind::kKernel, launch);
  }
  Status PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) override {
    return Patch(exec, node, NodeKind::kCopy, copy);
  }
  Status PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) override {
    return Patch(exec, node, NodeKind::kFill, fill);
  }
  Status LaunchGraph(NativeGraphExec exec, NativeStream stream) override {
    return CallWith(__func__, exec, [&](const auto& launched) {
      if (!launched->uploaded()) runtime_.reports.Add(sim::Rule::kGraphUpload, "a graph was launched that has changed");
      launched->Launch(*Find(stream), launched);
    });
  }

  Status PrepareIndirectLaunches() override { return Call(__func__); }
  Status AddIndirectLaunch(NativeGraph graph, Nodes after, const NativeIndirectLaunch& launch,
                           NativeIndirectNode* out_node) override {
    return Call(__func__, [&] {
      const auto device = std::make_shared<sim::DeviceNode>();
      device->most = world_->device.limits.grid;
      sim::Work launched;
      const Error error = MakeIndirect(launch, &launched);
      if (error != Error::kSuccess) return error;
      Add(graph, after, NodeKind::kKernel, ReaderWork(launch, device), &out_node->reader);
      Add(graph, {&out_node->reader, 1}, NodeKind::kKernel, std::move(launched), &out_node->launch);
      Find(out_node->launch)->device = device;
      out_node->handle = reinterpret_cast<uintptr_t>(device.get());
      return Error::kSuccess;
    });
  }
  Status PatchIndirectLaunch(NativeGraphExec exec, const NativeIndirectNode& node,
                             const NativeIndirectLaunch& launch) override {
    return CallWith("Patch", exec, [&](const auto& patched) {
      const auto device = Find(node.launch)->device;
      if (node.handle != reinterpret_cast<uintptr_t>(device.get())) return Error::kInvalidValue;
      sim::Work launched;
      Error error = MakeIndirect(launch, &launched);
      if (error == Error::kSuccess)
        error = Replace(*patched, node.reader, NodeKind::kKernel, ReaderWork(launch, device));
      return error == Error::kSuccess ? Replace(*patched, node.launch, NodeKind::kKernel, std::move(launched)) : error;
    });
  }
  Status UploadGraph(NativeGraphExec exec, NativeStream stream) override {
    return CallWith(__func__, exec, [&](const auto& uploaded) { uploaded->Upload(*Find(stream), uploaded); });
  }

 private:
  void Add(NativeGraph graph, Nodes after, NodeKind kind, sim::Work work, NativeGraphNode* out_node) {
    std::vector<std::shared_ptr<sim::Node>> dependencies;
    for (NativeGraphNode before : after) dependencies.push_back(Find(before));
    const auto node = sim::AddNode(*Find(graph), kind, std::move(work), std::move(dependencies));
    *out_node = reinterpret_cast<NativeGraphNode>(runtime_.nodes.Add(node));
  }
  template <class Params>
  Status AddWith(const char* name, NativeGraph graph, Nodes after, NodeKind kind, const Params& params,
                 NativeGraphNode* out_node) {
    return Call(name, [&] {
      sim::Work work;
      const Error error = MakeWork(params, &work);
      if (error == Error::kSuccess) Add(graph, after, kind, std::move(work), out_node);
      return error;
    });
  }

  /// A call that no other thread may make with the same executable graph at the same time.
  template <class Body>
  Status CallWith(const char* name, NativeGraphExec exec, const Body& body) {
    Lock lock(runtime_.mutex);
    const auto found = Find(exec);
    lock.unlock();
    const sim::ExclusiveUse use(found);
    return Call(name, [&] { return body(found); });
  }
  template <class Params>
  Status Patch(NativeGraphExec exec, NativeGraphNode node, NodeKind kind, const Params& params) {
    return CallWith("Patch", exec, [&](const auto& patched) {
      sim::Work work;
      const Error error = MakeWork(params, &work);
      return error == Error::kSuccess ? Replace(*patched, node, kind, std::move(work)) : error;
    });
  }
  Error Replace(sim::GraphExec& exec, NativeGraphNode node, NodeKind kind, sim::Work work) {
    sim::GraphExec::Step* const step = exec.Find(Find(node).get());
    if (!step || step->kind != kind) {
      runtime_.reports.Add(sim::Rule::kInvalidHandle, "a node was patched that is another's, or of another kind");
      return Error::kInvalidValue;
    }
    step->work = std::make_shared<const sim::Work>(std::move(work));
    exec.Patched(*step);
    return Error::kSuccess;
  }

  /// The kernel that reads the counts of an indirect launch. Nothing runs if they are none, or beyond the limits.
  static sim::Work ReaderWork(const NativeIndirectLaunch& indirect, const std::shared_ptr<sim::DeviceNode>& device) {
    sim::Work work = Do([device, counts = indirect.counts, rejection = indirect.rejection] {
      RejectedCounts read = {{}, 1};
      std::memcpy(&read.counts, reinterpret_cast<const void*>(counts), sizeof(read.counts));
      const auto& [x, y, z] = read.counts;
      device->enabled = device->SetGrid({x, y, z}) == Error::kSuccess;
      const bool too_large = x > device->most[0] || y > device->most[1] || z > device->most[2];
      if (too_large) std::memcpy(reinterpret_cast<void*>(rejection), &read, sizeof(read));
    });
    work.addresses = {indirect.counts, indirect.rejection};
    return work;
  }
  Error MakeIndirect(const NativeIndirectLaunch& indirect, sim::Work* out_work) const {
    NativeLaunch launch = indirect.launch;
    launch.workgroup_count = {1, 1, 1};  // until the reader sets it
    return MakeWork(launch, out_work);
  }
};

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_MEMORY_GRAPHS_H_
