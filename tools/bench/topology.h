// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What copies between each two devices take: halyard-bench --topology.
#ifndef HALYARD_TOOLS_BENCH_TOPOLOGY_H_
#define HALYARD_TOOLS_BENCH_TOPOLOGY_H_

#include <string>
#include <vector>

#include "support/json.h"

namespace halyard::tools {

/// The copy from one device to another one.
struct MeasuredPair {
  double microseconds = 0;          ///< from the submission of 4 KiB until they are there
  double gigabytes_per_second = 0;  ///< of one large copy; 10^9 bytes
  std::string route;                ///< how it goes: "direct", "staged", "host"
  std::string error;                ///< why there are no numbers; empty if there are
};

struct MeasuredTopology {
  std::vector<std::string> uris;
  std::vector<std::vector<MeasuredPair>> matrix;  ///< from a row's device to a column's
  uint64_t bytes = 0;                             ///< of a large copy
};

/// Opens all devices that can be opened, or those given, and copies between each two of them. Throws Failure (kDevice).
/// @param is_quick  small copies, for tests
MeasuredTopology MeasureTopology(const std::vector<std::string>& uris, bool is_quick);

std::string TextOf(const MeasuredTopology& topology);
Json JsonOf(const MeasuredTopology& topology);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_TOPOLOGY_H_
