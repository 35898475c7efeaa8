// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/random_dag.h"

#include <algorithm>
#include <numeric>

namespace halyard::cts {

RandomDag::RandomDag(SeededRandom& random, size_t operations, size_t timelines) : ends_(timelines, 0) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> last_on(timelines, kNone);
  for (size_t i = 0; i < operations; ++i) {
    DagNode node;
    const size_t timeline = random.Below(timelines);
    if (last_on[timeline] != kNone) node.inputs.push_back(last_on[timeline]);
    for (uint64_t extra = i == 0 ? 0 : random.Below(4); extra > 0; --extra) {
      // Mostly near neighbours: long-range edges alone would leave little to run side by side.
      const size_t reach = random.OneIn(4) ? i : std::min<size_t>(i, 20);
      node.inputs.push_back(i - 1 - random.Below(reach));
    }
    for (const size_t input : node.inputs) node.waits.push_back(PointOf(random, input));
    values_before_.push_back(ends_[timeline]);
    ends_[timeline] += random.Between(1, 3);
    node.signal = {timeline, ends_[timeline]};
    last_on[timeline] = i;
    nodes_.push_back(std::move(node));
  }
}

DagPoint RandomDag::PointOf(SeededRandom& random, size_t node) const {
  const DagPoint& signal = nodes_[node].signal;
  return {signal.timeline, random.Between(values_before_[node] + 1, signal.value)};
}

std::vector<size_t> RandomDag::Submissions(SeededRandom& random, DagOrder order) const {
  std::vector<size_t> numbers(nodes_.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  if (order == DagOrder::kBackward) std::reverse(numbers.begin(), numbers.end());
  if (order == DagOrder::kShuffled) std::shuffle(numbers.begin(), numbers.end(), random.engine());
  return numbers;
}

Points RandomDag::Resolve(const std::vector<DagPoint>& points, const std::vector<Semaphore>& semaphores) {
  Points resolved;
  for (const DagPoint& point : points) resolved.Add(semaphores[point.timeline], point.value);
  return resolved;
}

}  // namespace halyard::cts
