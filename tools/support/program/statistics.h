// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of many measurements.
#ifndef HALYARD_TOOLS_SUPPORT_STATISTICS_H_
#define HALYARD_TOOLS_SUPPORT_STATISTICS_H_

#include <cstddef>
#include <vector>

namespace halyard::tools {

/// The spread of a sample, in the sample's unit. All 0 for an empty one.
struct Statistics {
  size_t count = 0;
  double least = 0;
  double p10 = 0;  ///< a tenth of the sample is smaller
  double median = 0;
  double p90 = 0;  ///< a tenth of the sample is larger
  double most = 0;
  double mean = 0;
};

/// Percentiles lie between the two nearest measurements in proportion, as numpy.percentile() has them.
Statistics Summarize(std::vector<double> sample);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_STATISTICS_H_
