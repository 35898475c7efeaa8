// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/graph_run.h"
#include "engine/module.h"
#include "engine/runtime.h"

namespace halyard::sim {

std::shared_ptr<Node> AddNode(Graph& graph, NodeKind kind, Work work, std::vector<std::shared_ptr<Node>> dependencies) {
  auto node = std::make_shared<Node>();
  node->graph = &graph;
  node->kind = kind;
  node->work = std::make_shared<const Work>(std::move(work));
  node->dependencies = std::move(dependencies);
  graph.nodes.push_back(node);
  return node;
}

Error DeviceNode::SetGrid(const std::array<uint32_t, 3>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 || wanted[i] > most[i]) return Error::kInvalidValue;
  }
  grid = wanted;
  return Error::kSuccess;
}

size_t WidthOf(const Graph& graph) {
  std::unordered_map<const Node*, size_t> depths;
  std::map<size_t, size_t> counts;
  // A node is added after those that it depends on, except through edges that are added later.
  for (const auto& node : graph.nodes) {
    size_t depth = 0;
    for (const auto& dependency : node->dependencies) depth = std::max(depth, depths[dependency.get()] + 1);
    depths[node.get()] = depth;
    ++counts[depth];
  }
  size_t width = 0;
  for (const auto& [depth, count] : counts) width = std::max(width, count);
  return width;
}

bool IsUpdatable(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) { return node->device != nullptr; });
}

std::shared_ptr<GraphExec> GraphExec::Make(const Graph& graph) {
  auto exec = std::make_shared<GraphExec>();
  exec->width_ = WidthOf(graph);
  for (const auto& node : graph.nodes) {
    exec->places_.emplace(node.get(), exec->steps_.size());
    auto work = node->work;
    if (work && work->instantiated) work = std::make_shared<const Work>(work->instantiated());
    exec->steps_.push_back({node->kind, work, node->event, {}, node->dependencies.size(), true, node->device, nullptr});
    exec->Patched(exec->steps_.back());
  }
  for (const auto& node : graph.nodes) {
    for (const auto& dependency : node->dependencies) {
      exec->steps_[exec->places_.at(dependency.get())].next.push_back(exec->places_.at(node.get()));
    }
  }
  return HasCycle(exec->steps_) ? nullptr : exec;
}

GraphExec::Step* GraphExec::Find(const Node* node) {
  const auto found = places_.find(node);
  return found == places_.end() ? nullptr : &steps_[found->second];
}

void GraphExec::Launch(Stream& stream, const std::shared_ptr<GraphExec>& self) {
  std::vector<Step> steps = steps_;
  Work work;
  work.needs.push_back(self);
  for (Step& step : steps) {
    if (step.kind == NodeKind::kRecordEvent && step.enabled) {
      step.recorded = step.event->recorded = std::make_shared<Completion>();
    }
    if (!step.enabled) continue;
    work.addresses.insert(work.addresses.end(), step.work->addresses.begin(), step.work->addresses.end());
    work.needs.insert(work.needs.end(), step.work->needs.begin(), step.work->needs.end());
  }
  const auto run = std::make_shared<GraphRun>(std::move(steps), Runtime::Get().chance.Below(UINT64_MAX));
  work.run = [run](Lock& lock, Context& context) { return run->Run(lock, context); };
  std::vector<std::shared_ptr<Completion>> waits;
  const bool ordered = !Runtime::Get().rules.graph_launches_overlap;
  if (ordered && last_ != nullptr && !last_->done()) waits.push_back(last_);
  last_ = stream.Submit(std::move(work), std::move(waits));
}

Error GraphExec::KeepPatch(Device& device) {
  const size_t bytes = Runtime::Get().rules.patch_memory;
  if (bytes > device.MemoryFree()) return Error::kOutOfMemory;
  patched_ = &device;
  patch_bytes_ += bytes;
  device.memory_used += bytes;
  return Error::kSuccess;
}

void GraphExec::FreePatches() {
  if (patched_ != nullptr) patched_->memory_used -= patch_bytes_;
  patch_bytes_ = 0;
}

void GraphExec::Upload(Stream& stream, const std::shared_ptr<GraphExec>& self) {
  Work work;
  work.needs.push_back(self);
  work.run = [steps = steps_](Lock&, Context&) {
    for (const Step& step : steps) {
      if (step.device == nullptr) continue;
      step.device->enabled = step.enabled;
      step.device->grid = step.work->launch->grid;
    }
    return Error::kSuccess;
  };
  std::vector<std::shared_ptr<Completion>> waits;
  if (last_ != nullptr && !last_->done()) waits.push_back(last_);
  last_ = stream.Submit(std::move(work), std::move(waits));
  uploaded_ = true;
}

ExclusiveUse::ExclusiveUse(std::shared_ptr<GraphExec> exec) : exec_(std::move(exec)) {
  if (exec_ == nullptr) return;
  std::thread::id no_thread;
  owner_ = exec_->user_.compare_exchange_strong(no_thread, std::this_thread::get_id());
  if (!owner_) {
    Runtime::Get().reports.Add(Rule::kExecConcurrency, "two threads used one executable graph at the same time");
    return;
  }
  Lock lock(Runtime::Get().mutex);
  Runtime::Get().Pause(lock, Runtime::Get().chance);
}

ExclusiveUse::~ExclusiveUse() {
  if (owner_) exec_->user_.store(std::thread::id());
}

}  // namespace halyard::sim
