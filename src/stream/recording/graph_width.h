// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how many chains a graph has.
#ifndef HALYARD_STREAM_RECORDING_GRAPH_WIDTH_H_
#define HALYARD_STREAM_RECORDING_GRAPH_WIDTH_H_

#include <cstdint>

namespace halyard::stream {

/// The properties of a graph that are known when it is recorded.
struct GraphShape {
  uint32_t widest = 0;         ///< nodes that could run at the same time
  double workgroups = 0;       ///< of a dispatch, on average
  uint32_t capacity = 0;       ///< workgroups that the device runs at the same time
  uint32_t most = UINT32_MAX;  ///< chains that the API runs at the same time
};

/// Chooses the number of chains, first by the shape and then by how long runs take.
///
/// Two costs work against each other. A device starts the nodes of a graph at a certain rate, and about eight chains
/// use up that rate. More chains cost the host time at each launch. But if kernels run longer than the device takes to
/// start one node of each chain, only more chains keep the device busy. The run time of a kernel is not known before it
/// has run. So the policy begins with many chains, and measures. If a step of the chains takes longer than starting its
/// nodes, kernels are long, and their length gives the number of chains that they need. If not, the measurement tells
/// nothing about the kernels. Then the policy measures again with few chains, where it does.
///
/// Graphs whose dispatches fill the device by themselves, and graphs that are narrow anyway, get few chains at once.
/// Not thread-safe.
class WidthPolicy {
 public:
  static constexpr uint32_t kNarrow = 8;
  static constexpr uint32_t kWide = 64;
  static constexpr uint32_t kWidest = 128;  ///< no device runs more kernels at the same time

  explicit WidthPolicy(const GraphShape& shape);

  uint32_t width() const { return width_; }
  /// Whether the policy still needs AddTime() for its decision.
  bool WantsTimes() const { return state_ != State::kConverged; }
  /// Adds the time of a run of a graph of `width` chains, whose longest path has `depth` nodes. Not for the first run
  /// of an instance, which includes the transfer of the graph to the device.
  void AddTime(uint32_t width, uint32_t depth, double microseconds);

 private:
  enum class State { kWide, kNarrow, kConverged };
  void Become(State state, uint32_t width);
  void Converge(double step);

  const uint32_t limit_;
  State state_;
  uint32_t width_;
  uint32_t samples_ = 0;
  double shortest_ = 0;  // microseconds, of the samples
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_WIDTH_H_
