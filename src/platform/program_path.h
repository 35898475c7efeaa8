// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the program that runs lies.
#ifndef HALYARD_PLATFORM_PROGRAM_PATH_H_
#define HALYARD_PLATFORM_PROGRAM_PATH_H_

#include <filesystem>

namespace halyard {

/// The program's file, with no symbolic links in it. Empty where the system does not tell.
std::filesystem::path ProgramPath();

}  // namespace halyard

#endif  // HALYARD_PLATFORM_PROGRAM_PATH_H_
