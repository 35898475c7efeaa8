// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: recording.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/graph_params.h"

namespace halyard::cuda::abi {
namespace {

std::shared_ptr<sim::Graph> FindGraph(Graph handle) { return Runtime::Get().graphs.Find(handle); }

// The nodes behind handles; false unless all are the graph's own.
bool FindNodes(const sim::Graph& graph, const GraphNode* handles, size_t count,
               std::vector<std::shared_ptr<sim::Node>>* nodes) {
  if (handles == nullptr && count != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    auto node = Runtime::Get().nodes.Find(handles[i]);
    if (node == nullptr || node->graph != &graph) return false;
    nodes->push_back(std::move(node));
  }
  return true;
}

// What all functions that add a node have in common.
struct Addition {
  GraphNode* node;
  Graph graph;
  const GraphNode* dependencies;
  size_t count;
};

Error Add(const Addition& addition, sim::NodeKind kind, sim::Work work, std::shared_ptr<sim::Event> event = nullptr) {
  const auto graph = FindGraph(addition.graph);
  std::vector<std::shared_ptr<sim::Node>> dependencies;
  if (graph == nullptr || addition.node == nullptr) return Error::kInvalidValue;
  if (!FindNodes(*graph, addition.dependencies, addition.count, &dependencies)) return Error::kInvalidValue;
  const auto node = sim::AddNode(*graph, kind, std::move(work), std::move(dependencies));
  node->event = std::move(event);
  *addition.node = ToHandle<GraphNode>(Runtime::Get().nodes.Add(node));
  return Error::kSuccess;
}

// Adds a node whose work is made of parameters, unless those are wrong.
template <typename Params>
Error AddWith(const Addition& addition, sim::NodeKind kind, const Params* params) {
  sim::Work work;
  const Error error = MakeWork(params, &work);
  return error == Error::kSuccess ? Add(addition, kind, std::move(work)) : error;
}

Error AddOfEvent(const Addition& addition, sim::NodeKind kind, Event event) {
  auto found = FindEvent(event);
  return found == nullptr ? Error::kInvalidValue : Add(addition, kind, {}, std::move(found));
}

// The attributes of nodes that were set. Protected by the runtime's lock.
using AttributesOfNodes = std::map<std::pair<GraphNode, LaunchAttributeId>, LaunchAttributeValue>;
AttributesOfNodes& NodeAttributes() {
  static auto* const attributes = new AttributesOfNodes;
  return *attributes;
}

// There is no way back once a node is device-updatable.
Error MakeUpdatable(sim::Node& node, const DeviceUpdatableKernelNode& value) {
  if (value.device_updatable == 0) return node.device == nullptr ? Error::kSuccess : Error::kInvalidValue;
  if (value.device_updatable != 1) return Error::kInvalidValue;
  if (node.device != nullptr) return Error::kSuccess;
  node.device = std::make_shared<sim::DeviceNode>();
  node.device->most = node.work->launch->function->context->device.limits.grid;
  Runtime::Get().device_nodes.Add(node.device);
  return Error::kSuccess;
}

LaunchAttributeValue UpdatableAttribute(const sim::Node& node) {
  LaunchAttributeValue value{};
  value.device_updatable_kernel_node.device_updatable = node.device == nullptr ? 0 : 1;
  value.device_updatable_kernel_node.device_node = ToHandle<DeviceGraphNode>(node.device.get());
  return value;
}

bool IsKernelNode(GraphNode node) {
  const auto found = Runtime::Get().nodes.Find(node);
  return found != nullptr && found->kind == sim::NodeKind::kKernel;
}

}  // namespace

Result cuGraphCreate(Graph* graph, unsigned int flags) {
  return Call(__func__, Requires::kInit, [&] {
    if (graph == nullptr || flags != 0) return Error::kInvalidValue;
    *graph = ToHandle<Graph>(Runtime::Get().graphs.Add(std::make_shared<sim::Graph>()));
    return Error::kSuccess;
  });
}

Result cuGraphDestroy(Graph graph) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = FindGraph(graph);
    if (found == nullptr) return Error::kInvalidValue;
    for (const auto& node : found->nodes) {
      Runtime::Get().nodes.Remove(node.get());
      if (node->device != nullptr) Runtime::Get().device_nodes.Remove(node->device.get());
    }
    std::erase_if(NodeAttributes(), [&](const auto& entry) {
      return std::ranges::any_of(
          found->nodes, [&](const auto& node) { return ToHandle<GraphNode>(node.get()) == entry.first.first; });
    });
    Runtime::Get().graphs.Remove(found.get());
    return Error::kSuccess;
  });
}

Result cuGraphAddKernelNode_v2(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count,
                               const KernelNodeParams* params) {
  return Call(__func__, Requires::kContext, [&] {
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kKernel, params);
  });
}

Result cuGraphAddMemcpyNode(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count,
                            const Memcpy3d* params, Context context) {
  return Call(__func__, Requires::kInit, [&] {
    if (ContextOrCurrent(context) == nullptr) return Error::kInvalidContext;
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kCopy, params);
  });
}

Result cuGraphAddMemsetNode(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count,
                            const MemsetNodeParams* params, Context context) {
  return Call(__func__, Requires::kInit, [&] {
    if (ContextOrCurrent(context) == nullptr) return Error::kInvalidContext;
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kFill, params);
  });
}

Result cuGraphAddHostNode(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count,
                          const HostNodeParams* params) {
  return Call(__func__, Requires::kInit, [&] {
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kHostFunction, params);
  });
}

Result cuGraphAddEmptyNode(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count) {
  return Call(__func__, Requires::kInit, [&] {
    return Add({node, graph, dependencies, count}, sim::NodeKind::kEmpty, {});
  });
}

Result cuGraphAddEventRecordNode(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count,
                                 Event event) {
  return Call(__func__, Requires::kInit, [&] {
    return AddOfEvent({node, graph, dependencies, count}, sim::NodeKind::kRecordEvent, event);
  });
}

Result cuGraphAddEventWaitNode(GraphNode* node, Graph graph, const GraphNode* dependencies, size_t count, Event event) {
  return Call(__func__, Requires::kInit, [&] {
    return AddOfEvent({node, graph, dependencies, count}, sim::NodeKind::kWaitForEvent, event);
  });
}

Result cuGraphAddDependencies(Graph graph, const GraphNode* from, const GraphNode* to, size_t count) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = FindGraph(graph);
    std::vector<std::shared_ptr<sim::Node>> before;
    std::vector<std::shared_ptr<sim::Node>> after;
    if (found == nullptr || !FindNodes(*found, from, count, &before) || !FindNodes(*found, to, count, &after)) {
      return Error::kInvalidValue;
    }
    for (size_t i = 0; i < count; ++i) {
      if (std::ranges::find(after[i]->dependencies, before[i]) != after[i]->dependencies.end()) {
        return Error::kInvalidValue;  // an edge cannot be added twice
      }
      after[i]->dependencies.push_back(before[i]);
    }
    return Error::kSuccess;
  });
}

Result cuGraphKernelNodeSetAttribute(GraphNode node, LaunchAttributeId attribute, const LaunchAttributeValue* value) {
  return Call(__func__, Requires::kInit, [&] {
    if (value == nullptr || !IsKernelNode(node)) return Error::kInvalidValue;
    if (attribute == LaunchAttributeId::kDeviceUpdatableKernelNode) {
      return MakeUpdatable(*Runtime::Get().nodes.Find(node), value->device_updatable_kernel_node);
    }
    NodeAttributes()[{node, attribute}] = *value;
    return Error::kSuccess;
  });
}

Result cuGraphKernelNodeGetAttribute(GraphNode node, LaunchAttributeId attribute, LaunchAttributeValue* value) {
  return Call(__func__, Requires::kInit, [&] {
    if (value == nullptr || !IsKernelNode(node)) return Error::kInvalidValue;
    if (attribute == LaunchAttributeId::kDeviceUpdatableKernelNode) {
      *value = UpdatableAttribute(*Runtime::Get().nodes.Find(node));
      return Error::kSuccess;
    }
    const auto found = NodeAttributes().find({node, attribute});
    *value = found == NodeAttributes().end() ? LaunchAttributeValue{} : found->second;
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
