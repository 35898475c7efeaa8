// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tools as a user runs them.
#ifndef HALYARD_TESTS_TOOLS_TOOL_PROCESS_H_
#define HALYARD_TESTS_TOOLS_TOOL_PROCESS_H_

#include <string>
#include <vector>

#include "support/failure.h"

namespace halyard::tools {

/// Kernels to run, and what tells of them, as options of halyard-run.
inline constexpr const char* kKernels = "--executable=" HALYARD_TOOL_TEST_KERNELS;
inline constexpr const char* kExports = "--exports=" HALYARD_TOOL_TEST_DATA "/exports.json";

/// How a program ended. A signal shows as 128 and its number, as in a shell.
struct ToolResult {
  int exit = -1;
  std::string out;
  std::string error;
};

/// Runs `name` of the build with arguments and waits for it.
/// @param environment  what it finds there in addition, or instead: "PATH=/bin"
ToolResult RunProgram(const std::string& name, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment = {});

/// The same with halyard-pack.
inline ToolResult Pack(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) {
  return RunProgram("halyard-pack", arguments, environment);
}

/// Expects an exit code and, in what the program said on its error stream, each of `words`; nothing on the other one.
void ExpectRefused(const ToolResult& result, ExitCode code, const std::vector<std::string>& words);

/// Expects success and an error stream without a word.
void ExpectSuccess(const ToolResult& result);

}  // namespace halyard::tools

#endif  // HALYARD_TESTS_TOOLS_TOOL_PROCESS_H_
