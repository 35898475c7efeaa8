// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: recording.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/graph_params.h"
#include "stream_api/graphs.h"

namespace halyard::cuda::abi {
namespace {

Error AddOfEvent(const Addition& addition, sim::NodeKind kind, CUevent event) {
  auto found = FindEvent(event);
  return found == nullptr ? Error::kInvalidValue : AddNodeTo(addition, kind, {}, std::move(found));
}

// The attributes of nodes that were set. Protected by the runtime's lock.
using AttributesOfNodes = std::map<std::pair<CUgraphNode, CUlaunchAttributeID>, CUlaunchAttributeValue>;
AttributesOfNodes& NodeAttributes() {
  static auto* const attributes = new AttributesOfNodes;
  return *attributes;
}

// There is no way back once a node is device-updatable.
Error MakeUpdatable(sim::Node& node, const CUlaunchAttributeValue::DeviceUpdatableKernelNode& value) {
  if (value.deviceUpdatable == 0) return node.device == nullptr ? Error::kSuccess : Error::kInvalidValue;
  if (value.deviceUpdatable != 1) return Error::kInvalidValue;
  if (node.device != nullptr) return Error::kSuccess;
  node.device = std::make_shared<sim::DeviceNode>();
  node.device->most = node.work->launch->function->context->device.limits.grid;
  Runtime::Get().device_nodes.Add(node.device);
  return Error::kSuccess;
}

CUlaunchAttributeValue UpdatableAttribute(const sim::Node& node) {
  CUlaunchAttributeValue value{};
  value.deviceUpdatableKernelNode.deviceUpdatable = node.device == nullptr ? 0 : 1;
  value.deviceUpdatableKernelNode.devNode = ToHandle<CUgraphDeviceNode>(node.device.get());
  return value;
}

const void* const* Handles(const CUgraphNode* nodes) { return reinterpret_cast<const void* const*>(nodes); }

bool IsKernelNode(CUgraphNode node) {
  const auto found = Runtime::Get().nodes.Find(node);
  return found != nullptr && found->kind == sim::NodeKind::kKernel;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned int flags) {
  return Call(__func__, Requires::kInit, [&] { return CreateGraph(graph, flags); });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return Call(__func__, Requires::kInit, [&] {
    if (const auto found = Runtime::Get().graphs.Peek(graph)) {
      std::erase_if(NodeAttributes(), [&](const auto& entry) {
        return std::ranges::any_of(
            found->nodes, [&](const auto& node) { return ToHandle<CUgraphNode>(node.get()) == entry.first.first; });
      });
    }
    return DestroyGraph(graph);
  });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* params) {
  return Call(__func__, Requires::kContext, [&] {
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kKernel, params);
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_MEMCPY3D* params, CUcontext context) {
  return Call(__func__, Requires::kInit, [&] {
    if (ContextOrCurrent(context) == nullptr) return Error::kInvalidContext;
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kCopy, params);
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context) {
  return Call(__func__, Requires::kInit, [&] {
    if (ContextOrCurrent(context) == nullptr) return Error::kInvalidContext;
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kFill, params);
  });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS* params) {
  return Call(__func__, Requires::kInit, [&] {
    return AddWith({node, graph, dependencies, count}, sim::NodeKind::kHostFunction, params);
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count) {
  return Call(__func__, Requires::kInit, [&] {
    return AddNodeTo({node, graph, dependencies, count}, sim::NodeKind::kEmpty, {});
  });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                   CUevent event) {
  return Call(__func__, Requires::kInit, [&] {
    return AddOfEvent({node, graph, dependencies, count}, sim::NodeKind::kRecordEvent, event);
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                 CUevent event) {
  return Call(__func__, Requires::kInit, [&] {
    return AddOfEvent({node, graph, dependencies, count}, sim::NodeKind::kWaitForEvent, event);
  });
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  return Call(__func__, Requires::kInit, [&] {
    const auto found = Runtime::Get().graphs.Find(graph);
    std::vector<std::shared_ptr<sim::Node>> before;
    std::vector<std::shared_ptr<sim::Node>> after;
    if (found == nullptr || !FindNodes(*found, Handles(from), count, &before) ||
        !FindNodes(*found, Handles(to), count, &after)) {
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

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
                                       const CUlaunchAttributeValue* value) {
  return Call(__func__, Requires::kInit, [&] {
    if (value == nullptr || !IsKernelNode(node)) return Error::kInvalidValue;
    if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
      return MakeUpdatable(*Runtime::Get().nodes.Find(node), value->deviceUpdatableKernelNode);
    }
    NodeAttributes()[{node, attribute}] = *value;
    return Error::kSuccess;
  });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID attribute, CUlaunchAttributeValue* value) {
  return Call(__func__, Requires::kInit, [&] {
    if (value == nullptr || !IsKernelNode(node)) return Error::kInvalidValue;
    if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
      *value = UpdatableAttribute(*Runtime::Get().nodes.Find(node));
      return Error::kSuccess;
    }
    const auto found = NodeAttributes().find({node, attribute});
    *value = found == NodeAttributes().end() ? CUlaunchAttributeValue{} : found->second;
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
