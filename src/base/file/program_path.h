// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the program that runs lies.
#ifndef HALYARD_BASE_FILE_PROGRAM_PATH_H_
#define HALYARD_BASE_FILE_PROGRAM_PATH_H_

#include <filesystem>
#include <system_error>

#if defined(__APPLE__)
#include <mach-o/dyld.h>

#include <cstdint>
#include <string>
#endif

namespace halyard {

/// The program's file, with no symbolic links in it. Empty where the system does not tell.
inline std::filesystem::path ProgramPath() {
  std::error_code unknown;
#if defined(__APPLE__)
  uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return std::filesystem::canonical(path.c_str(), unknown);
#else
  return std::filesystem::read_symlink("/proc/self/exe", unknown);
#endif
}

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_PROGRAM_PATH_H_
