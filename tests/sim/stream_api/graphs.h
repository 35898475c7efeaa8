// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: what the vendors' functions do, under the runtime's lock. Two threads may not use one executable graph at the
// same time, which is checked outside the lock: UseOf() comes first.
#ifndef HALYARD_TESTS_SIM_STREAM_API_GRAPHS_H_
#define HALYARD_TESTS_SIM_STREAM_API_GRAPHS_H_

#include <utility>
#include <vector>

#include "engine/transfer.h"
#include "stream_api/call.h"

namespace halyard::sim {

Error CreateGraph(Out graph, unsigned int flags);
Error DestroyGraph(const void* graph);

// What all functions that add a node have in common.
struct Addition {
  template <typename Handle>
  Addition(Handle* node_handle, const void* graph_handle, const Handle* handles, size_t handle_count)
      : node(node_handle),
        graph(graph_handle),
        dependencies(reinterpret_cast<const void* const*>(handles)),
        count(handle_count) {}

  Out node;
  const void* graph;
  const void* const* dependencies;
  size_t count;
};

Error AddNodeTo(const Addition& addition, NodeKind kind, Work work, std::shared_ptr<Event> event = nullptr);

// The nodes behind handles; false unless all are the graph's own.
bool FindNodes(const Graph& graph, const void* const* handles, size_t count, std::vector<std::shared_ptr<Node>>* nodes);

// The work of nodes that are described in the engine's words; others have MakeWork() for the vendor's.
Error MakeWork(const Copy* copy, Work* work);
Error MakeWork(const CopyRows* copy, Work* work);
Error MakeWork(const Fill* fill, Work* work);

// Of the vendors' descriptions of fills, which have the same members. One row is all that is simulated.
template <typename Params>
Error MakeRowFill(const Params* params, Work* work) {
  if (params == nullptr || params->width == 0 || params->height == 0) return Error::kInvalidValue;
  if (params->height != 1) return Error::kNotSupported;
  const Fill fill = {Word(params->dst), params->value, params->elementSize, params->width};
  return MakeWork(&fill, work);
}

// Adds a node whose work is made of parameters, unless those are wrong.
template <typename Params>
Error AddWith(const Addition& addition, NodeKind kind, const Params* params) {
  Work work;
  const Error error = MakeWork(params, &work);
  return error == Error::kSuccess ? AddNodeTo(addition, kind, std::move(work)) : error;
}

ExclusiveUse UseOf(const void* exec);
Error InstantiateGraph(Out exec, const void* graph);
Error DestroyGraphExec(const void* exec);
Error LaunchGraph(const void* exec, const void* stream);

// The step of an executable graph that a node became; null if there is none.
GraphExec::Step* FindStep(const void* exec, const void* node);
// Replaces what a node of that kind does.
Error ReplaceWork(const void* exec, const void* node, NodeKind kind, Work work);

template <typename Params>
Error PatchWith(const void* exec, const void* node, NodeKind kind, const Params* params) {
  const GraphExec::Step* step = FindStep(exec, node);
  if (step == nullptr || step->kind != kind) return Error::kInvalidValue;
  Work work;
  const Error error = MakeWork(params, &work);
  return error == Error::kSuccess ? ReplaceWork(exec, node, kind, std::move(work)) : error;
}

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_GRAPHS_H_
