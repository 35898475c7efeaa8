// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernels/kernel_files.h"

#include <filesystem>
#include <system_error>

#include "platform/program_path.h"

namespace halyard::tools {

std::string KernelFile(const std::string& name) {
  std::error_code unknown;
  const std::filesystem::path program = ProgramPath();
  const std::filesystem::path installed = program.parent_path().parent_path() / "lib/halyard/kernels" / name;
  if (!program.empty() && std::filesystem::exists(installed, unknown)) return installed.string();
  return std::string(HALYARD_KERNEL_DIR "/") + name;
}

}  // namespace halyard::tools
