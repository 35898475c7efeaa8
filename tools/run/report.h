// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What halyard-run has to say, for people and for programs.
#ifndef HALYARD_TOOLS_RUN_REPORT_H_
#define HALYARD_TOOLS_RUN_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "compare.h"
#include "support/json.h"
#include "support/program/statistics.h"

namespace halyard::tools {

/// A binding whose contents came back.
struct ResultReport {
  size_t binding = 0;
  std::string spec;  ///< "f32[8,8]"
  std::vector<int64_t> shape;
  std::string path;  ///< where it was written; empty if it was not
  std::string text;  ///< its contents, if they are to be printed
  std::string expected_path;
  std::optional<Comparison> comparison;
};

struct RunReport {
  std::string device;  ///< as on the command line
  std::string device_name;
  std::string function;
  std::string call_reason;  ///< why it was called directly; empty if a queue ran it
  hal_dim3_t workgroup_count = {};
  hal_dim3_t workgroup_size = {};
  Statistics time;  ///< nanoseconds from submission until the host saw the end, or of the call
  std::vector<ResultReport> results;
  std::string trace;  ///< path, if there is one
};

std::string TextReport(const RunReport& report);
Json JsonReport(const RunReport& report);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_REPORT_H_
