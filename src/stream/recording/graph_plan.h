// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans the graph of a part of a command buffer: which of its nodes wait for which. Knows no device.
#ifndef HALYARD_STREAM_RECORDING_GRAPH_PLAN_H_
#define HALYARD_STREAM_RECORDING_GRAPH_PLAN_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "driver_kit/queue/hazards.h"

namespace halyard::stream {

/// A vertex of the graph to be: a node of the command buffer, or a join, which does nothing but wait.
struct GraphVertex {
  static constexpr uint32_t kJoin = UINT32_MAX;
  uint32_t node = kJoin;    ///< which one, in the order of the commands
  uint32_t first_edge = 0;  ///< of those in GraphPlan::edges
  uint32_t edge_count = 0;
};

/// A graph. Each vertex stands after those that it waits for.
struct GraphPlan {
  HostVector<GraphVertex> vertices;
  HostVector<uint32_t> edges;  ///< vertices that are waited for
  uint32_t depth = 0;          ///< nodes on the longest path

  std::span<const uint32_t> Before(const GraphVertex& vertex) const {
    return std::span(edges).subspan(vertex.first_edge, vertex.edge_count);
  }
};

/// The chain that a node is in: the nodes of one follow each other.
inline uint32_t ChainOf(uint32_t node, uint32_t width) { return width > 1 ? node % width : 0; }

/// Plans a graph of at most `width` chains.
///
/// One number for each node expresses all barriers and events: node i must run after the first `after[i]` nodes.
/// Numbers never fall along the commands, and `after[i] <= i`. One number is enough: a barrier orders all commands
/// before it before all commands after it. An event orders the commands before its signal before the commands after its
/// wait.
///
/// Nodes without an order are assigned to the chains in turn. A wider graph would cost more to launch than its width
/// gains; see graph_width.h. Where several chains wait for several others, a join between them saves edges.
GraphPlan PlanGraph(std::span<const uint32_t> after, uint32_t width);

/// Plans a graph with exactly these edges, less those that barriers make superfluous. Node i must also run after the
/// first `barriers[i]` nodes. A join stands for a barrier, if it has to wait for several nodes.
GraphPlan PlanGraph(const NodeEdges& edges, std::span<const uint32_t> barriers);

/// About the most nodes that could run at the same time: an upper bound of the width that can be of use.
uint32_t WidestPart(std::span<const uint32_t> after);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_PLAN_H_
