// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites what SPIRV-Cross refuses of a switch.
#ifndef HALYARD_TOOLS_REFLECT_MSL_SELECTORS_H_
#define HALYARD_TOOLS_REFLECT_MSL_SELECTORS_H_

#include "reflect/spirv_module.h"

namespace halyard::tools {

/// A module in which no switch selects by the result of an OpPhi or an OpSpecConstantOp itself: it selects by a copy.
/// SPIRV-Cross does not know how many bits the former have. A module without such a switch stays as it is.
SpirvModule CopySelectors(const SpirvModule& module);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_MSL_SELECTORS_H_
