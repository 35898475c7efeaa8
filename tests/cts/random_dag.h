// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random graphs of operations and the model that says what each must find when it runs.
#ifndef HALYARD_TESTS_CTS_RANDOM_DAG_H_
#define HALYARD_TESTS_CTS_RANDOM_DAG_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {

/// A point on one of the graph's timelines.
struct DagPoint {
  size_t timeline;
  uint64_t value;
};

/// One operation of a graph. Operations are numbered in an order in which they could run.
struct DagNode {
  std::vector<DagPoint> waits;
  DagPoint signal;
  std::vector<size_t> inputs;  ///< operations that `waits` puts before this one; may be empty
};

/// How submissions follow each other.
enum class DagOrder { kForward, kBackward, kShuffled };

/// A random graph in which every operation signals a point on one of a few timelines.
///
/// An operation that signals a timeline waits for its predecessor there, so that values rise. Waits name any value that
/// the operation they mean is the first to reach or pass, not just the one that it signals.
class RandomDag {
 public:
  RandomDag(SeededRandom& random, size_t operations, size_t timelines);

  const std::vector<DagNode>& nodes() const { return nodes_; }
  /// The last value of each timeline.
  const std::vector<uint64_t>& ends() const { return ends_; }
  /// The numbers of the operations in an order of submission.
  std::vector<size_t> Submissions(SeededRandom& random, DagOrder order) const;

  /// The points of a list on real semaphores, one for each timeline.
  static Points Resolve(const std::vector<DagPoint>& points, const std::vector<Semaphore>& semaphores);

 private:
  /// A value that is reached exactly when operation `node` signals.
  DagPoint PointOf(SeededRandom& random, size_t node) const;

  std::vector<DagNode> nodes_;
  std::vector<uint64_t> values_before_;  ///< of each operation: its timeline's value until it signals
  std::vector<uint64_t> ends_;
};

/// What an operation makes of its inputs: tells wrong inputs and wrong order apart.
inline uint32_t Mix(uint32_t constant, uint32_t first, uint32_t second) {
  return (constant * 31 + first) * 31 + second;
}

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_RANDOM_DAG_H_
