// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/program_path.h"

#include <system_error>

namespace halyard {

std::filesystem::path ProgramPath() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

}  // namespace halyard
