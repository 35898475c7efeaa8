// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the kernels lie that come with the tools.
#ifndef HALYARD_TOOLS_SUPPORT_KERNEL_FILES_H_
#define HALYARD_TOOLS_SUPPORT_KERNEL_FILES_H_

#include <string>

namespace halyard::tools {

/// The path of a file of kernels: beside an installed program (../lib/halyard/kernels), else where the build put it.
std::string KernelFile(const std::string& name);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_KERNEL_FILES_H_
