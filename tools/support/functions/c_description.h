// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plain C function takes and returns, in a description of exports:
//
//   {"name": "saxpy", "convention": "c", "result": "status",
//    "arguments": [{"type": "i64", "workgroup": "id.x"}, "f32", "const f32*", "f32*"]}
#ifndef HALYARD_TOOLS_SUPPORT_C_DESCRIPTION_H_
#define HALYARD_TOOLS_SUPPORT_C_DESCRIPTION_H_

#include "halyard/memref.h"
#include "support/functions/mlir_functions.h"
#include "support/json.h"

namespace halyard::tools {

/// Reads "arguments" and "result" of an export. Throws Failure (kInput).
MlirSignature ReadCSignature(const JsonValue& object);

/// Adds "convention", "arguments" and "result" of a C function, so that they can be read again.
void AddCSignature(const hal_function_signature_t& signature, Json* object);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_C_DESCRIPTION_H_
