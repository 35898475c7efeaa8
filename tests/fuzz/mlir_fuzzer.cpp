// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of MLIR modules in the generic form. What it makes of one must be a signature that can be
// checked, and types that are read back from their own text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "function/signature.h"
#include "support/failure.h"
#include "support/functions/mlir_functions.h"
#include "support/functions/mlir_module.h"

namespace {

using halyard::tools::MlirFunction;
using halyard::tools::MlirSignature;
using halyard::tools::MlirType;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckTypes(std::span<const hal_value_type_t> types) {
  for (const hal_value_type_t& type : types) {
    const halyard::HostString text = halyard::TypeText(type);
    const MlirType again = halyard::tools::ReadMlirType(text);
    Require(halyard::TypeText(again.View()) == text);
  }
}

void CheckFunction(const MlirFunction& function) {
  const MlirSignature owner(function, HAL_CALLING_CONVENTION_WRAPPER);
  const hal_function_signature_t& signature = owner.Get();
  if (!Succeeds(halyard::CheckSignature(signature, HAL_STATUS_INVALID_ARGUMENT))) return;
  CheckTypes(halyard::ArgumentsOf(signature));
  CheckTypes(halyard::ResultsOf(signature));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string renamed = halyard::tools::RenameMlirSymbols(text, {{"f", "halyard.f"}});
    Require(renamed.size() >= text.size());
    for (const MlirFunction& function : halyard::tools::ReadMlirFunctions(text).callable) CheckFunction(function);
  } catch (const halyard::tools::Failure& failure) {
    Require(failure.code() == halyard::tools::ExitCode::kInput);
    Require(failure.what()[0] != '\0');
  }
  return 0;
}
