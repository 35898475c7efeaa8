// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch of a graph: steps are taken in any order that their dependencies allow, several at a time.
#ifndef HALYARD_TESTS_SIM_ENGINE_GRAPH_RUN_H_
#define HALYARD_TESTS_SIM_ENGINE_GRAPH_RUN_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/chance.h"
#include "engine/graph.h"

namespace halyard::sim {

// Whether no order of the steps respects all dependencies.
bool HasCycle(const std::vector<GraphExec::Step>& steps);

class GraphRun : public std::enable_shared_from_this<GraphRun> {
 public:
  GraphRun(std::vector<GraphExec::Step> steps, uint64_t seed);

  // If the launch never runs, since its context was lost, no waiter may be left for the events in it.
  ~GraphRun();

  // Takes all steps and returns the first error. Helping threads take part where steps are independent.
  Error Run(Lock& lock, Context& context);

 private:
  static constexpr size_t kHelpers = 3;

  void TakeSteps(Lock& lock, Context& context);
  void Take(size_t place, Lock& lock, Context& context);
  void Finish(size_t place, const Context& context);

  std::vector<GraphExec::Step> steps_;  // `dependencies` counts those that are left
  std::vector<size_t> ready_;
  size_t unfinished_;
  size_t helpers_ = 0;
  bool forks_ = false;  // whether steps can ever run side by side
  Error error_ = Error::kSuccess;
  Chance chance_;
  std::condition_variable changed_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_GRAPH_RUN_H_
