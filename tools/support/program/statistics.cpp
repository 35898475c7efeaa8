// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/program/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halyard::tools {
namespace {

double Percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

}  // namespace

Statistics Summarize(std::vector<double> sample) {
  Statistics result;
  if (sample.empty()) return result;
  std::sort(sample.begin(), sample.end());
  result.count = sample.size();
  result.least = sample.front();
  result.p10 = Percentile(sample, 0.1);
  result.median = Percentile(sample, 0.5);
  result.p90 = Percentile(sample, 0.9);
  result.most = sample.back();
  result.mean = std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
  return result;
}

}  // namespace halyard::tools
