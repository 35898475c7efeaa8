// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a test starts a program of this build.
#ifndef HALYARD_TESTS_SUPPORT_PROGRAM_COMMAND_H_
#define HALYARD_TESTS_SUPPORT_PROGRAM_COMMAND_H_

#include <string>
#include <vector>

namespace halyard::testing {

/// The program and its arguments; before them what runs it, if it is another machine's: CMake's
/// CMAKE_CROSSCOMPILING_EMULATOR.
std::vector<std::string> ProgramCommand(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_SUPPORT_PROGRAM_COMMAND_H_
