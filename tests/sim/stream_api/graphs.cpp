// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/graphs.h"

#include <algorithm>
#include <string>
#include <vector>

namespace halyard::sim {
namespace {

// Whether every hardware queue has as many streams of a context as each other, or one more.
bool QueuesAreEven(const std::shared_ptr<Context>& context) {
  if (Runtime::Get().rules.hardware_queues == 0) return true;
  const std::vector<size_t> queues = Runtime::Get().StreamsOfQueues(context);
  const auto [least, most] = std::ranges::minmax_element(queues);
  return *most - *least <= 1;
}

}  // namespace

Error CreateGraph(Out graph, unsigned int flags) {
  if (graph.IsNull() || flags != 0) return Error::kInvalidValue;
  graph.Put(Runtime::Get().graphs.Add(std::make_shared<Graph>()));
  return Error::kSuccess;
}

Error DestroyGraph(const void* graph) {
  const auto found = Runtime::Get().graphs.Find(graph);
  if (found == nullptr) return Error::kInvalidValue;
  for (const auto& node : found->nodes) {
    Runtime::Get().nodes.Remove(node.get());
    if (node->device != nullptr) Runtime::Get().device_nodes.Remove(node->device.get());
  }
  Runtime::Get().graphs.Remove(found.get());
  return Error::kSuccess;
}

bool FindNodes(const Graph& graph, const void* const* handles, size_t count,
               std::vector<std::shared_ptr<Node>>* nodes) {
  if (handles == nullptr && count != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    auto node = Runtime::Get().nodes.Find(handles[i]);
    if (node == nullptr || node->graph != &graph) return false;
    nodes->push_back(std::move(node));
  }
  return true;
}

Error AddNodeTo(const Addition& addition, NodeKind kind, Work work, std::shared_ptr<Event> event) {
  const auto graph = Runtime::Get().graphs.Find(addition.graph);
  std::vector<std::shared_ptr<Node>> dependencies;
  if (graph == nullptr || addition.node.IsNull()) return Error::kInvalidValue;
  if (!FindNodes(*graph, addition.dependencies, addition.count, &dependencies)) return Error::kInvalidValue;
  const auto node = AddNode(*graph, kind, std::move(work), std::move(dependencies));
  node->event = std::move(event);
  addition.node.Put(Runtime::Get().nodes.Add(node));
  return Error::kSuccess;
}

Error MakeWork(const Copy* copy, Work* work) {
  const Error error = CheckCopy(*copy);
  if (error == Error::kSuccess) *work = CopyWork(*copy);
  return error;
}

Error MakeWork(const CopyRows* copy, Work* work) {
  const Error error = CheckCopy(*copy);
  if (error == Error::kSuccess) *work = CopyWork(*copy);
  return error;
}

Error MakeWork(const Fill* fill, Work* work) {
  const Error error = CheckFill(*fill);
  if (error == Error::kSuccess) *work = GraphFillWork(*fill);
  return error;
}

ExclusiveUse UseOf(const void* exec) {
  std::shared_ptr<GraphExec> found;
  if (!InHostFunction()) {
    const Lock lock(Runtime::Get().mutex);
    found = Runtime::Get().execs.Peek(exec);
  }
  return ExclusiveUse(std::move(found));
}

Error InstantiateGraph(Out exec, const void* graph) {
  Runtime& runtime = Runtime::Get();
  const auto found = runtime.graphs.Find(graph);
  if (exec.IsNull() || found == nullptr) return Error::kInvalidValue;
  if (found->instantiated && IsUpdatable(*found)) return Error::kNotSupported;
  auto made = GraphExec::Make(*found);
  if (made == nullptr) return Error::kInvalidValue;
  if (const size_t width = WidthOf(*found); width > runtime.rules.most_graph_streams) {
    runtime.reports.Add(Rule::kGraphWidth, "a graph has " + std::to_string(width) + " nodes side by side, and " +
                                               std::to_string(runtime.rules.most_graph_streams) + " streams");
  }
  found->instantiated = true;
  exec.Put(runtime.execs.Add(std::move(made)));
  return Error::kSuccess;
}

Error DestroyGraphExec(const void* exec) {
  Runtime& runtime = Runtime::Get();
  const auto found = runtime.execs.Find(exec);
  if (found == nullptr) return Error::kInvalidValue;
  if (found->pending != 0) {
    runtime.reports.Add(Rule::kDestroyInUse, "an executable graph was destroyed before its launches were done");
  }
  found->FreePatches();
  runtime.execs.Remove(found.get());
  return Error::kSuccess;
}

Error LaunchGraph(const void* exec, const void* stream) {
  const auto found = FindStream(stream);
  const auto launched = Runtime::Get().execs.Find(exec);
  if (found == nullptr || launched == nullptr) return Error::kInvalidValue;
  if (!launched->uploaded()) {
    Runtime::Get().reports.Add(Rule::kGraphUpload,
                               "a graph with device-updatable nodes was launched that was not uploaded as it is");
  }
  if (launched->width() > 1 && !QueuesAreEven(found->context())) {
    Runtime::Get().reports.Add(Rule::kGraphWidth,
                               "a graph of " + std::to_string(launched->width()) +
                                   " chains was launched while streams share hardware queues unevenly");
  }
  launched->Launch(*found, launched);
  return Error::kSuccess;
}

GraphExec::Step* FindStep(const void* exec, const void* node) {
  const auto found = Runtime::Get().execs.Find(exec);
  const auto original = Runtime::Get().nodes.Find(node);
  return found == nullptr || original == nullptr ? nullptr : found->Find(original.get());
}

Error ReplaceWork(const void* exec, const void* node, NodeKind kind, Work work) {
  const auto found = Runtime::Get().execs.Find(exec);
  GraphExec::Step* step = FindStep(exec, node);
  if (step == nullptr || step->kind != kind) return Error::kInvalidValue;
  if (kind == NodeKind::kKernel) {
    const Error error = found->KeepPatch(step->work->launch->function->context->device);
    if (error != Error::kSuccess) return error;
  }
  step->work = std::make_shared<const Work>(work.instantiated ? work.instantiated() : std::move(work));
  found->Patched(*step);
  return Error::kSuccess;
}

}  // namespace halyard::sim
