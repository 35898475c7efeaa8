// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/program_path.h"

#include <mach-o/dyld.h>

#include <cstdint>
#include <string>
#include <system_error>

namespace halyard {

std::filesystem::path ProgramPath() {
  uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  std::error_code unknown;
  return std::filesystem::canonical(path.c_str(), unknown);
}

}  // namespace halyard
