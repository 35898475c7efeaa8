// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "named_arguments.h"

#include <algorithm>
#include <map>

#include "support/element.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string SpellingOf(const NamedArgument& argument) {
  return Concat(argument.name, argument.is_output ? ":" : "=", argument.text);
}

const KernelParameter& FindParameter(const Kernel& kernel, const NamedArgument& argument) {
  std::vector<std::string_view> names;
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.name == argument.name) return parameter;
    if (!parameter.name.empty()) names.push_back(parameter.name);
  }
  if (names.empty()) {
    Fail(ExitCode::kUsage, "'", SpellingOf(argument), "': the parameters of '", kernel.name,
         "' have no names in the file; use --input, --output and --constant: ", SignatureText(kernel));
  }
  Fail(ExitCode::kUsage, "'", SpellingOf(argument), "': '", kernel.name, "' has no parameter '", argument.name, "'; ",
       SuggestionText(argument.name, names));
}

// "TYPE:VALUE" where the file does not tell the type, and where another reading of the bytes is wanted.
ConstantArgument ParseConstant(const KernelParameter& parameter, const NamedArgument& argument) {
  if (argument.is_output) {
    Fail(ExitCode::kUsage, "'", SpellingOf(argument), "': '", argument.name, "' is a number, which takes ",
         argument.name, "=VALUE");
  }
  const bool says_type = argument.text.find(':') != std::string::npos;
  if (!says_type && parameter.element_type == HAL_ELEMENT_TYPE_NONE) {
    Fail(ExitCode::kUsage, "'", SpellingOf(argument), "': the file does not tell the type of '", argument.name,
         "'; write it, as in ", argument.name, parameter.size == 4 ? "=i32:" : "=i64:", argument.text);
  }
  ConstantArgument constant =
      ParseConstantArgument(says_type ? argument.text : ElementTypeText(parameter.element_type) + ":" + argument.text);
  if (constant.bytes.size() == parameter.size) return constant;
  Fail(ExitCode::kUsage, "'", SpellingOf(argument), "' has ", BytesText(constant.bytes.size()), ", but '",
       argument.name, "' has ", BytesText(parameter.size));
}

/// Collects what the arguments come to.
class Resolver {
 public:
  Resolver(const Kernel& kernel, RunOptions* options) : kernel_(kernel), options_(*options) {}

  void Add(const NamedArgument& argument) {
    const KernelParameter& parameter = FindParameter(kernel_, argument);
    switch (parameter.kind) {
      case HAL_PARAMETER_KIND_CONSTANT:
        return AddConstant(parameter, argument);
      case HAL_PARAMETER_KIND_BINDING:
      case HAL_PARAMETER_KIND_BINDING_ADDRESS:
      case HAL_PARAMETER_KIND_TENSOR_MAP:
        return AddBinding(parameter, argument);
      default:
        Fail(ExitCode::kUsage, "'", SpellingOf(argument), "': the driver provides '", argument.name, "'");
    }
  }

  // Constants go to their places in the order of the offsets, so all have to be there.
  void Finish() {
    if (constants_.empty()) return;
    if (!options_.constants.empty()) Fail(ExitCode::kUsage, "--constant does not go together with constants by name");
    for (const KernelParameter& parameter : kernel_.parameters) {
      if (parameter.kind != HAL_PARAMETER_KIND_CONSTANT || constants_.contains(parameter.position)) continue;
      Fail(ExitCode::kUsage, "'", parameter.name, "' of '", kernel_.name, "' has no value; say ", parameter.name,
           "=VALUE");
    }
    for (auto& [position, constant] : constants_) options_.constants.push_back(std::move(constant));
  }

 private:
  void AddConstant(const KernelParameter& parameter, const NamedArgument& argument) {
    if (constants_.emplace(parameter.position, ParseConstant(parameter, argument)).second) return;
    Fail(ExitCode::kUsage, "'", argument.name, "' is given twice");
  }

  void AddBinding(const KernelParameter& parameter, const NamedArgument& argument) {
    if (argument.is_output) {
      options_.outputs.push_back(ParseOutputArgument(argument.text));
      options_.outputs.back().binding = parameter.position;
    } else {
      options_.inputs.push_back(ParseInputArgument(argument.text));
      options_.inputs.back().binding = parameter.position;
      options_.inputs.back().checks_type = true;
    }
  }

  const Kernel& kernel_;
  RunOptions& options_;
  std::map<uint32_t, ConstantArgument> constants_;  // by position
};

}  // namespace

void ResolveNamedArguments(const Kernel& kernel, RunOptions* options) {
  Resolver resolver(kernel, options);
  for (const NamedArgument& argument : options->named) resolver.Add(argument);
  resolver.Finish();
}

}  // namespace halyard::tools
