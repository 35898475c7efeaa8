// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another program, as a child of this process.
#ifndef HALYARD_TOOLS_SUPPORT_CHILD_PROCESS_H_
#define HALYARD_TOOLS_SUPPORT_CHILD_PROCESS_H_

#include <string>
#include <vector>

namespace halyard::tools {

/// Runs a program with its outputs going to files and nothing to read, until it ends. Returns its exit status, or -1 if
/// it crashed. Throws Failure (kInput) if it cannot be started.
/// @param command  name or path of the program, then its arguments
int RunChild(const std::vector<std::string>& command, const std::string& output, const std::string& errors);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_CHILD_PROCESS_H_
