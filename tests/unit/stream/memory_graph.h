// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of the native API in memory.
#ifndef HALYARD_TESTS_UNIT_STREAM_MEMORY_GRAPH_H_
#define HALYARD_TESTS_UNIT_STREAM_MEMORY_GRAPH_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "stream/native/native_api.h"

namespace halyard::stream {

struct MemoryWorld;

/// What a node does.
using MemoryWork = std::function<void()>;

struct MemoryGraph {
  struct Node {
    MemoryGraph* graph = nullptr;
    size_t place = 0;
    char kind = 0;  // 'l'aunch, 'i'ndirect launch, 'c'opy, 'f'ill, 'j'oin
    MemoryWork work;
    std::vector<size_t> after;
  };
  std::vector<std::unique_ptr<Node>> nodes;
  bool indirect = false;  // some launch is
  bool instantiated = false;
};

/// A copy of a graph that can be run. Runs take their nodes in any order that the edges allow, a different one each
/// time, and never overlap.
struct MemoryGraphExec {
  struct Step {
    char kind = 0;
    MemoryWork work;
    std::vector<size_t> after;
  };
  const MemoryGraph* graph = nullptr;
  std::vector<Step> steps;
  bool uploaded = true;         // as it is; of those with indirect launches
  std::atomic<int> callers{0};  // threads that call the API with it now
  std::atomic<int> running{0};  // runs that were launched and have not ended
  std::mutex run;

  explicit MemoryGraphExec(const MemoryGraph& from);
  static void Run(MemoryGraphExec& exec, const std::vector<Step>& steps, unsigned seed);
};

/// Counts a breach of the rules if two threads use an executable graph at the same time.
class MemoryExecUse {
 public:
  MemoryExecUse(MemoryWorld& world, MemoryGraphExec& exec);
  ~MemoryExecUse() { --exec_.callers; }
  MemoryExecUse(const MemoryExecUse&) = delete;
  MemoryExecUse& operator=(const MemoryExecUse&) = delete;

 private:
  MemoryGraphExec& exec_;
};

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_MEMORY_GRAPH_H_
