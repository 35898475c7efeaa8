// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/stream/memory_graph.h"

#include <cstring>
#include <random>
#include <utility>

#include "unit/stream/memory_api.h"

namespace halyard::stream {
namespace {

void* Pointer(NativeAddress address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

MemoryGraph& Graph(NativeGraph graph) { return *reinterpret_cast<MemoryGraph*>(graph); }
MemoryGraph::Node& Node(NativeGraphNode node) { return *reinterpret_cast<MemoryGraph::Node*>(node); }
// Shared with the runs that are in flight: a device that breaks may leave one behind.
using SharedExec = std::shared_ptr<MemoryGraphExec>;
SharedExec& Shared(NativeGraphExec exec) { return *reinterpret_cast<SharedExec*>(exec); }
MemoryGraphExec& Exec(NativeGraphExec exec) { return *Shared(exec); }

MemoryWork Work(const NativeLaunch& launch) {
  // Kernels of these tests take one address.
  const auto& kernel = *reinterpret_cast<const MemoryKernel*>(launch.function);
  const auto binding = *static_cast<const NativeAddress*>(launch.parameters[0]);
  return [&kernel, count = launch.workgroup_count, binding] {
    NativeAddress copy = binding;
    void* parameters[] = {&copy};
    kernel(count, parameters);
  };
}
// The counts are read when the work is done.
MemoryWork Work(const NativeIndirectLaunch& indirect, const hal_dim3_t& most) {
  return [indirect, most, kernel = *reinterpret_cast<const MemoryKernel*>(indirect.launch.function),
          binding = *static_cast<const NativeAddress*>(indirect.launch.parameters[0])] {
    hal_dim3_t count;
    std::memcpy(&count, Pointer(indirect.counts), sizeof(count));
    if (count.x > most.x || count.y > most.y || count.z > most.z) {
      const RejectedCounts rejected = {count, 1};
      std::memcpy(Pointer(indirect.rejection), &rejected, sizeof(rejected));
      return;
    }
    NativeAddress copy = binding;
    void* parameters[] = {&copy};
    if (count.x != 0 && count.y != 0 && count.z != 0) kernel(count, parameters);
  };
}
MemoryWork Work(const NativeCopy& copy) {
  return [copy] { std::memcpy(Pointer(copy.target), Pointer(copy.source), copy.length); };
}
MemoryWork Work(const NativeFill& fill) {
  return [fill] {
    for (uint64_t i = 0; i < fill.count; ++i) {
      std::memcpy(static_cast<char*>(Pointer(fill.target)) + i * fill.size, &fill.pattern, fill.size);
    }
  };
}

}  // namespace

MemoryGraphExec::MemoryGraphExec(const MemoryGraph& from) : graph(&from), uploaded(!from.indirect) {
  for (const std::unique_ptr<MemoryGraph::Node>& node : from.nodes) {
    steps.push_back({node->kind, node->work, node->after});
  }
}

void MemoryGraphExec::Run(MemoryGraphExec& exec, const std::vector<Step>& steps, unsigned seed) {
  const std::lock_guard lock(exec.run);
  std::mt19937 random(seed);
  std::vector<size_t> left(steps.size());
  std::vector<std::vector<size_t>> next(steps.size());
  std::vector<size_t> ready;
  for (size_t i = 0; i < steps.size(); ++i) {
    left[i] = steps[i].after.size();
    if (left[i] == 0) ready.push_back(i);
    for (size_t before : steps[i].after) next[before].push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const size_t step = ready.back();
    ready.pop_back();
    if (steps[step].work) steps[step].work();
    for (size_t i : next[step]) {
      if (--left[i] == 0) ready.push_back(i);
    }
  }
  --exec.running;
}

MemoryExecUse::MemoryExecUse(MemoryWorld& world, MemoryGraphExec& exec) : exec_(exec) {
  if (exec_.callers++ != 0) ++world.rule_breaks;
  std::this_thread::yield();  // makes an overlap likelier
}

Status MemoryApi::CreateGraph(NativeGraph* out_graph) {
  if (Status status = Call("CreateGraph"); status != kOk) return status;
  ++world_->graphs;
  *out_graph = reinterpret_cast<NativeGraph>(new MemoryGraph());
  return kOk;
}

void MemoryApi::DestroyGraph(NativeGraph graph) {
  --world_->graphs;
  delete &Graph(graph);
}

Status MemoryApi::AddNode(const char* name, NativeGraph graph, std::span<const NativeGraphNode> after, char kind,
                          std::function<void()> work, NativeGraphNode* out_node) {
  if (Status status = Call(name); status != kOk) return status;
  auto node = std::make_unique<MemoryGraph::Node>();
  node->graph = &Graph(graph);
  node->place = node->graph->nodes.size();
  node->kind = kind;
  node->work = std::move(work);
  for (NativeGraphNode before : after) {
    if (Node(before).graph != node->graph) ++world_->rule_breaks;
    node->after.push_back(Node(before).place);
  }
  *out_node = reinterpret_cast<NativeGraphNode>(node.get());
  node->graph->nodes.push_back(std::move(node));
  return kOk;
}

Status MemoryApi::AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                            NativeGraphNode* out_node) {
  return AddNode("AddLaunch", graph, after, 'l', Work(launch), out_node);
}
Status MemoryApi::AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                          NativeGraphNode* out_node) {
  if (copy.length == 0) ++world_->rule_breaks;
  return AddNode("AddCopy", graph, after, 'c', Work(copy), out_node);
}
Status MemoryApi::AddFill(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeFill& fill,
                          NativeGraphNode* out_node) {
  if (fill.count == 0) ++world_->rule_breaks;
  return AddNode("AddFill", graph, after, 'f', Work(fill), out_node);
}
Status MemoryApi::AddJoin(NativeGraph graph, std::span<const NativeGraphNode> after, NativeGraphNode* out_node) {
  return AddNode("AddJoin", graph, after, 'j', {}, out_node);
}

Status MemoryApi::InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) {
  if (Status status = Call("InstantiateGraph"); status != kOk) return status;
  ++world_->graphs;
  ++world_->instantiations;
  if (Graph(graph).indirect && std::exchange(Graph(graph).instantiated, true)) ++world_->rule_breaks;
  *out_exec = reinterpret_cast<NativeGraphExec>(new SharedExec(std::make_shared<MemoryGraphExec>(Graph(graph))));
  return kOk;
}

void MemoryApi::DestroyGraphExec(NativeGraphExec exec) {
  // A device that has failed is given up with work in flight.
  if (Exec(exec).running != 0 && world_->fail_call == 0) ++world_->rule_breaks;
  --world_->graphs;
  delete &Shared(exec);
}

Status MemoryApi::PatchNode(const char* name, NativeGraphExec exec, NativeGraphNode node, char kind,
                            std::function<void()> work) {
  if (Status status = Call(name); status != kOk) return status;
  const MemoryExecUse use(*world_, Exec(exec));
  if (Node(node).graph != Exec(exec).graph || Node(node).kind != kind) ++world_->rule_breaks;
  if (world_->refuse_patches) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: refused", name);
  ++world_->patches;
  Exec(exec).steps[Node(node).place].work = std::move(work);
  return kOk;
}

Status MemoryApi::PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) {
  return PatchNode("PatchLaunch", exec, node, 'l', Work(launch));
}
Status MemoryApi::PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) {
  if (copy.length == 0) ++world_->rule_breaks;
  return PatchNode("PatchCopy", exec, node, 'c', Work(copy));
}
Status MemoryApi::PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) {
  if (fill.count == 0) ++world_->rule_breaks;
  return PatchNode("PatchFill", exec, node, 'f', Work(fill));
}

Status MemoryApi::LaunchGraph(NativeGraphExec exec, NativeStream stream) {
  if (Status status = Call("LaunchGraph"); status != kOk) return status;
  const MemoryExecUse use(*world_, Exec(exec));
  if (!Exec(exec).uploaded) ++world_->rule_breaks;
  ++world_->graph_launches;
  ++Exec(exec).running;
  const auto seed = static_cast<unsigned>(world_->calls.load());
  return Enqueue(stream,
                 [run = Shared(exec), steps = Exec(exec).steps, seed] { MemoryGraphExec::Run(*run, steps, seed); });
}

// One node does the work of both.
Status MemoryApi::AddIndirectLaunch(NativeGraph graph, std::span<const NativeGraphNode> after,
                                    const NativeIndirectLaunch& launch, NativeIndirectNode* out_node) {
  Graph(graph).indirect = true;
  const Status status =
      AddNode("AddIndirectLaunch", graph, after, 'i', Work(launch, traits_.max_workgroup_count), &out_node->launch);
  out_node->reader = out_node->launch;
  out_node->handle = reinterpret_cast<uintptr_t>(out_node->launch);
  return status;
}

Status MemoryApi::PatchIndirectLaunch(NativeGraphExec exec, const NativeIndirectNode& node,
                                      const NativeIndirectLaunch& launch) {
  if (node.handle != reinterpret_cast<uintptr_t>(node.launch)) ++world_->rule_breaks;
  Exec(exec).uploaded = false;
  return PatchNode("PatchIndirectLaunch", exec, node.launch, 'i', Work(launch, traits_.max_workgroup_count));
}

Status MemoryApi::UploadGraph(NativeGraphExec exec, NativeStream stream) {
  if (Status status = Call("UploadGraph"); status != kOk) return status;
  const MemoryExecUse use(*world_, Exec(exec));
  ++world_->uploads;
  Exec(exec).uploaded = true;
  return Enqueue(stream, [] {});
}

}  // namespace halyard::stream
