// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the functions of a shared object are called as they were made.
#ifndef HALYARD_TOOLS_SUPPORT_HOST_CONVENTIONS_H_
#define HALYARD_TOOLS_SUPPORT_HOST_CONVENTIONS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/kernels/export_description.h"

namespace halyard::tools {

/// Checks a description against what a shared object of a host says of its functions: a workgroup kernel has a mark or
/// the object has records (halyard/local_kernel.h, local_kernel_record.h), or the description says that it is one; a C
/// function has no mark. Machine code alone does not show how it wants to be called. Throws Failure (kInput). Objects
/// whose symbols cannot be read are not checked.
void CheckHostConventions(const std::string& path, std::span<const std::byte> image,
                          const std::vector<ExportDescription>& exports);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_HOST_CONVENTIONS_H_
