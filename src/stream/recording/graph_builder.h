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
/// must run after `before`; `add_join(before, &made)` adds one that does nothing.
template <class AddNode, class AddJoin>
Status AddVertices(const GraphPlan& plan, const AddNode& add_node, const AddJoin& add_join) {
  HostVector<NativeGraphNode> vertices;  // the graph's, of each vertex
  vertices.reserve(plan.vertices.size());
  HostVector<NativeGraphNode> before;
  for (const GraphVertex& vertex : plan.vertices) {
    before.clear();
    for (uint32_t each : plan.Before(vertex)) before.push_back(vertices[each]);
    const std::span<const NativeGraphNode> after(before);
    NativeGraphNode made = nullptr;
    HAL_TRY(vertex.node == GraphVertex::kJoin ? add_join(after, &made) : add_node(vertex.node, after, &made));
    vertices.push_back(made);
  }
  return kOk;
}

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_BUILDER_H_
