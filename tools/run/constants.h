// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constant bytes of a dispatch, out of --constant.
#ifndef HALYARD_TOOLS_RUN_CONSTANTS_H_
#define HALYARD_TOOLS_RUN_CONSTANTS_H_

#include <cstddef>
#include <vector>

#include "arguments.h"
#include "kernel.h"

namespace halyard::tools {

/// Puts the constants where the kernel takes them: one for each constant parameter, in the order of their offsets; or,
/// if there are not as many, one after the other like the members of a C struct. A function takes one for each scalar,
/// of its type. Throws Failure (kUsage) if they do not fit.
std::vector<std::byte> PlaceConstants(const Kernel& kernel, const std::vector<ConstantArgument>& constants);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_CONSTANTS_H_
