// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_width.h"

#include <algorithm>
#include <bit>

namespace halyard::stream {
namespace {

// How often a node of a graph is started if nothing else delays it: measured on H100 and H200
// (docs/performance/experiments/cuda.md).
// Only its order of magnitude matters.
constexpr double kStart = 0.18;  // microseconds
// A step of W chains that takes no longer than this for each is taken up by starting its nodes.
constexpr double kBusyStart = 0.3;  // microseconds
// The shortest of so many runs counts: other work of the device makes runs longer, nothing makes them shorter.
constexpr uint32_t kSamples = 3;

uint32_t Limit(const GraphShape& shape) {
  const double fitting = shape.capacity / std::max(shape.workgroups, 1.0);
  const auto chains = static_cast<uint32_t>(std::clamp<double>(fitting, WidthPolicy::kNarrow, WidthPolicy::kWidest));
  return std::min(chains, shape.most);
}

}  // namespace

WidthPolicy::WidthPolicy(const GraphShape& shape) : limit_(Limit(shape)) {
  const bool narrow = shape.widest <= kNarrow || limit_ <= kNarrow;
  Become(narrow ? State::kConverged : State::kWide, std::min(narrow ? kNarrow : kWide, limit_));
}

void WidthPolicy::Become(State state, uint32_t width) {
  state_ = state;
  width_ = width;
  samples_ = 0;
}

void WidthPolicy::AddTime(uint32_t width, uint32_t depth, double microseconds) {
  if (state_ == State::kConverged || width != width_ || depth == 0) return;  // of an instance from before
  shortest_ = samples_ == 0 ? microseconds : std::min(shortest_, microseconds);
  if (++samples_ < kSamples) return;
  const double step = shortest_ / depth;
  if (state_ == State::kWide && step <= width_ * kBusyStart) {
    Become(State::kNarrow, kNarrow);
  } else {
    Converge(step);
  }
}

void WidthPolicy::Converge(double step) {
  const double chains = std::clamp<double>(step / kStart, kNarrow, limit_);
  // To powers of two, by rounding: a measurement is not so exact that a new graph for a few chains would pay.
  const auto power = std::bit_floor(static_cast<uint32_t>(chains * 1.41));
  Become(State::kConverged, std::clamp(power, kNarrow, limit_));
}

}  // namespace halyard::stream
