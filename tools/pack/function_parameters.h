// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of exports that are functions.
#ifndef HALYARD_TOOLS_PACK_FUNCTION_PARAMETERS_H_
#define HALYARD_TOOLS_PACK_FUNCTION_PARAMETERS_H_

#include "support/kernels/export_description.h"

namespace halyard::tools {

/// Checks the signature of an export and gives it the parameters that follow. Those that its description says must be
/// the same. Throws Failure (kInput).
void TakeParametersFromSignature(ExportDescription* description);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_FUNCTION_PARAMETERS_H_
