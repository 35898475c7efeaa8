// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of halyard-run.
#ifndef HALYARD_TOOLS_RUN_OPTIONS_H_
#define HALYARD_TOOLS_RUN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "halyard/base.h"
#include "support/file_kind.h"
#include "support/kernels/specialization.h"
#include "support/program/command_line.h"

namespace halyard::tools {

struct RunOptions {
  DeviceOptions device;
  std::string executable;                     ///< path
  std::string format;                         ///< empty to look at the file
  std::string exports;                        ///< path of a description; empty if the executable describes itself
  std::vector<std::string> imports;           ///< libraries with functions that the executable imports
  std::string function;                       ///< empty for the only one
  std::optional<hal_dim3_t> workgroup_count;  ///< most functions do without
  hal_dim3_t workgroup_size = {0, 0, 0};      ///< 0 in x for the export's
  uint64_t local_memory = 0;                  ///< bytes on top of what the export declares
  std::vector<InputArgument> inputs;
  std::vector<OutputArgument> outputs;
  std::vector<ExpectArgument> expected;
  std::vector<ConstantArgument> constants;
  std::vector<SpecializeArgument> specializations;
  std::vector<NamedArgument> named;
  Tolerance tolerance;
  bool properties = false;  ///< show what the exports take of the device instead of running one
  uint64_t repeat = 1;
  uint64_t warmup = 0;
  std::string trace;  ///< path; empty for none
  bool json = false;
  Replace replace = Replace::kSameKind;
};

/// Reads the command line. Nothing if it asked for help, which is printed then. Throws Failure (kUsage).
std::optional<RunOptions> ParseRunOptions(int argc, const char* const* argv);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_OPTIONS_H_
