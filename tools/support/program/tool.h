// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tool begins and ends.
#ifndef HALYARD_TOOLS_SUPPORT_TOOL_H_
#define HALYARD_TOOLS_SUPPORT_TOOL_H_

#include <string_view>

#include "support/failure.h"

namespace halyard::tools {

/// Runs a tool: what `body` throws is reported on the standard error stream and becomes the exit code of main(). Output
/// that could not be written to the standard output stream is a failure, too.
int RunTool(const char* name, int argc, char** argv, ExitCode (*body)(int argc, char** argv));

/// Writes to the standard output stream.
void Print(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_TOOL_H_
