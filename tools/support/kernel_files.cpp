// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernel_files.h"

#include <filesystem>
#include <system_error>

namespace halyard::tools {

std::string KernelFile(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed = program.parent_path().parent_path() / "lib/halyard/kernels" / name;
  if (!error && std::filesystem::exists(installed, error)) return installed.string();
  return std::string(HALYARD_KERNEL_DIR "/") + name;
}

}  // namespace halyard::tools
