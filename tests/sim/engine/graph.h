// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: operations with dependencies, recorded once and launched often.
#ifndef HALYARD_TESTS_SIM_ENGINE_GRAPH_H_
#define HALYARD_TESTS_SIM_ENGINE_GRAPH_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/completion.h"
#include "engine/event.h"
#include "engine/stream.h"
#include "engine/work.h"

namespace halyard::sim {

enum class NodeKind { kKernel, kCopy, kFill, kHostFunction, kEmpty, kRecordEvent, kWaitForEvent };

struct Graph;

struct Node {
  Graph* graph = nullptr;
  NodeKind kind = NodeKind::kEmpty;
  std::shared_ptr<const Work> work;
  std::shared_ptr<Event> event;  // of those that record or wait
  std::vector<std::shared_ptr<Node>> dependencies;
};

struct Graph {
  std::vector<std::shared_ptr<Node>> nodes;
};

// Adds a node; the dependencies must be nodes of the graph.
std::shared_ptr<Node> AddNode(Graph& graph, NodeKind kind, Work work, std::vector<std::shared_ptr<Node>> dependencies);

// A graph ready to run. The nodes are copies; a patch replaces what one does from the next launch on.
class GraphExec : public Needed {
 public:
  struct Step {
    NodeKind kind;
    std::shared_ptr<const Work> work;
    std::shared_ptr<Event> event;
    std::vector<size_t> next;  // steps that depend on this one
    size_t dependencies = 0;
    bool enabled = true;
    std::shared_ptr<Completion> recorded;  // of a launch: what a step that records an event finishes
  };

  // Null if the dependencies form a cycle.
  static std::shared_ptr<GraphExec> Make(const Graph& graph);

  // The copy of a node; null if the graph did not have it then.
  Step* Find(const Node* node);
  // Runs it once what was submitted before is done, earlier launches of itself included.
  void Launch(Stream& stream, const std::shared_ptr<GraphExec>& self);

 private:
  friend class ExclusiveUse;

  std::vector<Step> steps_;
  std::unordered_map<const Node*, size_t> places_;
  std::shared_ptr<Completion> last_;  // of the last launch
  std::atomic<std::thread::id> user_{};
};

// Holds that no two threads call something with one executable graph at the same time. Taken without the runtime's lock
// and kept for a random while, so that an overlap is likely to be seen.
class ExclusiveUse {
 public:
  explicit ExclusiveUse(std::shared_ptr<GraphExec> exec);
  ExclusiveUse(const ExclusiveUse&) = delete;
  ExclusiveUse& operator=(const ExclusiveUse&) = delete;
  ~ExclusiveUse();

 private:
  std::shared_ptr<GraphExec> exec_;
  bool owner_ = false;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_GRAPH_H_
