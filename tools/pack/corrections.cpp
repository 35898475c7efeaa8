// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corrections.h"

#include <algorithm>

#include "function/parameter_checks.h"
#include "image/reflection/reflected_image.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string OptionText(const ParameterCorrection& correction) { return Concat("--parameter=", correction.text, ": "); }

const char* KindText(const ReflectedParameter& parameter) {
  return parameter.value.kind == HAL_PARAMETER_KIND_BINDING ? "a binding" : "a constant";
}

/// Whether kernels of an image get addresses: as parameters, or among their constants.
bool TakesAddresses(const ImageReflection& image, const ReflectedKernel& kernel) {
  return kernel.takes_addresses || image.format == "spirv";
}

[[noreturn]] void FailKnown(const ParameterCorrection& correction, const ImageReflection& image,
                            const ReflectedParameter& parameter) {
  Fail(ExitCode::kInput, OptionText(correction), "'", image.origin, "' has ", KindText(parameter),
       parameter.value.kind == HAL_PARAMETER_KIND_CONSTANT ? Concat(" of ", parameter.value.size, " bytes") : "",
       ", which kernels of the format '", image.format, "' cannot take otherwise");
}

// 8 bytes of a structure.
void CorrectMember(const ParameterCorrection& correction, const ImageReflection& image, ReflectedParameter* parameter) {
  const uint32_t offset = *correction.offset;
  if (parameter->value.kind != HAL_PARAMETER_KIND_CONSTANT) FailKnown(correction, image, *parameter);
  if (offset % kAddressSize != 0 || offset + uint64_t{kAddressSize} > parameter->value.size) {
    Fail(ExitCode::kInput, OptionText(correction), "an address is at a multiple of ", kAddressSize, " in the ",
         parameter->value.size, " bytes of the parameter");
  }
  // Where the code computes the place, the user knows it.
  std::erase_if(parameter->addresses, [&](uint32_t found) { return found == offset || found == kAnyOffset; });
  std::erase(parameter->bindings_at, offset);
  if (correction.kind == HAL_PARAMETER_KIND_BINDING) parameter->bindings_at.push_back(offset);
  std::ranges::sort(parameter->bindings_at);
  parameter->is_guess = false;
}

// The whole of it.
void CorrectKind(const ParameterCorrection& correction, const ImageReflection& image, bool takes_addresses,
                 ReflectedParameter* parameter) {
  parameter->is_guess = false;
  parameter->addresses.clear();
  if (parameter->value.kind == correction.kind) return;
  const bool is_constant = parameter->value.kind == HAL_PARAMETER_KIND_CONSTANT;
  if (is_constant && parameter->value.size != kAddressSize) {
    const std::string member =
        Concat("; one in it is ", correction.kernel, ":", correction.parameter, "+OFFSET=binding");
    Fail(ExitCode::kInput, OptionText(correction), "'", image.origin, "' has a constant of ", parameter->value.size,
         " bytes, and an address has ", kAddressSize, parameter->value.size > kAddressSize ? member : "");
  }
  if (!takes_addresses && !is_constant) FailKnown(correction, image, *parameter);
  if (!takes_addresses) {  // in the place of the push constant
    parameter->bindings_at = {0};
    return;
  }
  parameter->value.kind = correction.kind;
  parameter->value.size = correction.kind == HAL_PARAMETER_KIND_CONSTANT ? kAddressSize : 0;
  parameter->is_access_known = false;
  parameter->element_type = HAL_ELEMENT_TYPE_NONE;  // which is that of the other kind
}

void CorrectParameter(const ParameterCorrection& correction, const ImageReflection& image, ReflectedKernel* kernel) {
  if (correction.parameter >= kernel->parameters.size()) {
    Fail(ExitCode::kInput, OptionText(correction), "'", kernel->name, "' has ", kernel->parameters.size(),
         " parameters in '", image.origin, "'");
  }
  ReflectedParameter& parameter = kernel->parameters[correction.parameter];
  const bool changes = correction.offset || parameter.value.kind != correction.kind;
  if (changes && !TakesAddresses(image, *kernel)) FailKnown(correction, image, parameter);
  if (correction.offset) return CorrectMember(correction, image, &parameter);
  CorrectKind(correction, image, kernel->takes_addresses, &parameter);
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
