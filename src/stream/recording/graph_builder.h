// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a native graph of a plan.
#ifndef HALYARD_STREAM_RECORDING_GRAPH_BUILDER_H_
#define HALYARD_STREAM_RECORDING_GRAPH_BUILDER_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/native_api.h"
#include "stream/recording/graph_plan.h"

namespace halyard::stream {

/// Adds the vertices of a plan, in its order. `add_node(node, before, &made)` adds a node of the command buffer that
/// comes after `before`.
template <class AddNode>
Status AddVertices(NativeApi& api, NativeGraph graph, const GraphPlan& plan, const AddNode& add_node) {
  HostVector<NativeGraphNode> vertices;  // the graph's, of each vertex
  vertices.reserve(plan.vertices.size());
  HostVector<NativeGraphNode> before;
  for (const GraphVertex& vertex : plan.vertices) {
    before.clear();
    for (uint32_t each : plan.Before(vertex)) before.push_back(vertices[each]);
    NativeGraphNode made = nullptr;
    if (vertex.node == GraphVertex::kJoin) {
      HAL_TRY(api.AddJoin(graph, before, &made));
    } else {
      HAL_TRY(add_node(vertex.node, std::span<const NativeGraphNode>(before), &made));
    }
    vertices.push_back(made);
  }
  return kOk;
}

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_BUILDER_H_
