// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the parts of a command buffer that become graphs. Knows no device.
#ifndef HALYARD_STREAM_RECORDING_GRAPH_SEGMENTS_H_
#define HALYARD_STREAM_RECORDING_GRAPH_SEGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/host_memory.h"
#include "driver_kit/queue/command_order.h"
#include "driver_kit/queue/recorded_commands.h"
#include "halyard/driver_api.h"
#include "stream/native/stream_options.h"

namespace halyard::stream {

/// Commands [begin, end) of a command buffer, all of which a graph can hold.
///
/// The stream keeps the order between segments and the commands between them.
struct GraphSegment {
  size_t begin = 0;
  size_t end = 0;
  uint32_t stage = 0;             ///< how often the host takes over before it, at an indirect dispatch
  HostVector<uint32_t> commands;  ///< node → its command
  HostVector<uint32_t> after;     ///< node → how many nodes it must run after, as PlanGraph() takes it
  NodeEdges edges;                ///< node → the nodes that it must run after because of hazards, if they are tracked
  HostVector<uint32_t> barriers;  ///< node → how many nodes it must run after because of barriers, if hazards are
  bool indirect = false;          ///< some node is an indirect dispatch
};

/// Splits a command buffer at what a graph cannot hold.
///
/// Segments of fewer nodes than `min_nodes` are left out, unless they save the host an indirect dispatch. Commands that
/// run nothing are left out too.
/// @param can_hold  whether a graph can hold a fill, update, copy or dispatch, an indirect one if the device reads
/// counts
/// @param hazards  of a command buffer that tracks them; else NULL
HostVector<GraphSegment> FindSegments(CommandList commands, size_t min_nodes, IndirectMode indirect,
                                      HazardTracker* hazards,
                                      const std::function<bool(const hal_command_t& command)>& can_hold);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_SEGMENTS_H_
