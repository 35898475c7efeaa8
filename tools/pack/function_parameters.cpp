// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function_parameters.h"

#include <string>

#include "function/signature.h"
#include "support/program/check.h"

namespace halyard::tools {

void TakeParametersFromSignature(ExportDescription* description) {
  const hal_function_signature_t& signature = description->signature->Get();
  const std::string action = "pack '" + description->name + "'";
  Check(Publish(CheckSignature(signature, HAL_STATUS_INVALID_ARGUMENT)), ExitCode::kInput, action);
  if (description->says_parameters) {
    Check(Publish(CheckParametersFollow(signature, description->parameters, description->constants_size,
                                        HAL_STATUS_INVALID_ARGUMENT)),
          ExitCode::kInput, action);
  }
  const auto parameters = ParametersOf(signature, &description->constants_size);
  description->parameters.assign(parameters.begin(), parameters.end());
  description->says_parameters = true;
}

}  // namespace halyard::tools
