// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corrections.h"

#include <algorithm>

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr uint32_t kAddressSize = 8;

std::string OptionText(const ParameterCorrection& correction) { return Concat("--parameter=", correction.text, ": "); }

void CorrectParameter(const ParameterCorrection& correction, const ImageReflection& image, ReflectedKernel* kernel) {
  if (correction.parameter >= kernel->parameters.size()) {
    Fail(ExitCode::kInput, OptionText(correction), "'", kernel->name, "' has ", kernel->parameters.size(),
         " parameters in '", image.origin, "'");
  }
  ReflectedParameter& parameter = kernel->parameters[correction.parameter];
  if (!parameter.is_guess && parameter.value.kind != correction.kind) {
    Fail(ExitCode::kInput, OptionText(correction), "'", image.origin, "' knows that it is ",
         parameter.value.kind == HAL_PARAMETER_KIND_BINDING ? "a binding"
                                                            : Concat("a constant of ", parameter.value.size, " bytes"));
  }
  parameter.is_guess = false;
  if (parameter.value.kind == correction.kind) return;
  parameter.value.kind = correction.kind;
  parameter.value.size = correction.kind == HAL_PARAMETER_KIND_CONSTANT ? kAddressSize : 0;
  parameter.is_access_known = false;
}

}  // namespace

void Correct(std::span<const ParameterCorrection> corrections, std::vector<ImageReflection>* images) {
  for (const ParameterCorrection& correction : corrections) {
    std::vector<std::string_view> names;
    bool is_found = false;
    for (ImageReflection& image : *images) {
      for (ReflectedKernel& kernel : image.kernels) {
        names.emplace_back(kernel.name);
        if (std::string_view(kernel.name) != correction.kernel) continue;
        is_found = true;
        CorrectParameter(correction, image, &kernel);
      }
    }
    if (is_found) continue;
    Fail(ExitCode::kInput, OptionText(correction), "no image has a kernel '", correction.kernel, "'; ",
         SuggestionText(correction.kernel, names));
  }
}

}  // namespace halyard::tools
