// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <algorithm>
#include <span>
#include <utility>

#include "binding_type.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

bool IsRead(hal_binding_access_t access) { return access != HAL_BINDING_ACCESS_WRITE; }
bool IsWritten(hal_binding_access_t access) { return access != HAL_BINDING_ACCESS_READ; }

// What the three options that name bindings have in common.
struct Role {
  const char* option;
  const char* verb;  // what the kernel does with such a binding
  bool (*takes)(hal_binding_access_t access);
};
constexpr Role kInput = {"--input", "read", IsRead};
constexpr Role kOutput = {"--output", "written", IsWritten};
constexpr Role kExpect = {"--expect", "written", IsWritten};

std::vector<uint32_t> BindingsFor(const Kernel& kernel, const Role& role) {
  std::vector<uint32_t> bindings;
  for (uint32_t i = 0; i < kernel.bindings.size(); ++i) {
    if (role.takes(kernel.bindings[i].access)) bindings.push_back(i);
  }
  return bindings;
}

uint32_t CheckNumber(const Kernel& kernel, const Role& role, uint32_t binding) {
  if (binding >= kernel.bindings.size()) {
    Fail(ExitCode::kUsage, role.option, "=", binding, "=…: there is no binding ", binding, ": ", SignatureText(kernel));
  }
  if (!role.takes(kernel.bindings[binding].access)) {
    Fail(ExitCode::kUsage, role.option, "=", binding, "=…: binding ", binding, " is not ", role.verb, ": ",
         SignatureText(kernel));
  }
  return binding;
}

void CheckUnique(const Role& role, std::vector<uint32_t> bindings) {
  std::ranges::sort(bindings);
  const auto twice = std::ranges::adjacent_find(bindings);
  if (twice != bindings.end()) Fail(ExitCode::kUsage, role.option, " names binding ", *twice, " twice");
}

// Those of a function that as few options mean: what it reads comes first, what it makes comes last.
void KeepAsMany(const Role& role, size_t count, std::vector<uint32_t>* bindings) {
  if (count >= bindings->size()) return;
  const auto surplus = static_cast<ptrdiff_t>(bindings->size() - count);
  if (role.takes == IsRead) {
    bindings->erase(bindings->end() - surplus, bindings->end());
  } else {
    bindings->erase(bindings->begin(), bindings->begin() + surplus);
  }
}

// The binding of each argument: the one it names, or all that fit in their order.
template <class Argument>
std::vector<uint32_t> AssignBindings(const Kernel& kernel, const Role& role, const std::vector<Argument>& arguments) {
  const auto numbered = static_cast<size_t>(
      std::ranges::count_if(arguments, [](const Argument& argument) { return argument.binding.has_value(); }));
  if (numbered == 0) {
    std::vector<uint32_t> bindings = BindingsFor(kernel, role);
    if (arguments.empty()) return {};
    if (kernel.signature) KeepAsMany(role, arguments.size(), &bindings);
    if (bindings.size() == arguments.size()) return bindings;
    Fail(ExitCode::kUsage, role.option, " is given ", arguments.size(), arguments.size() == 1 ? " time" : " times",
         ", but the ", kernel.signature ? "function" : "kernel", " has ", bindings.size(),
         bindings.size() == 1 ? " binding that is " : " bindings that are ", role.verb,
         "; give all, or name bindings as in ", role.option, "=0=FILE: ", SignatureText(kernel));
  }
  if (numbered != arguments.size()) {
    Fail(ExitCode::kUsage, role.option, " names a binding only sometimes; do so always or never");
  }
  std::vector<uint32_t> bindings;
  bindings.reserve(arguments.size());
  for (const Argument& argument : arguments) bindings.push_back(CheckNumber(kernel, role, *argument.binding));
  CheckUnique(role, bindings);
  return bindings;
}

// Bytes; as many as can be asked for if the system does not tell.
uint64_t PhysicalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_size <= 0) return UINT64_MAX;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_size);
}

NpyArray FilledArray(const InputArgument& argument) {
  const uint64_t bytes = argument.spec.ByteCount();
  if (bytes > PhysicalMemory()) {
    Fail(ExitCode::kUsage, ArraySpecText(argument.spec.type, argument.spec.shape), " has ", BytesText(bytes),
         ", more than this machine has memory");
  }
  const std::vector<std::byte> element = ParseElement(argument.spec.type, argument.value);
  NpyArray array;
  array.type = argument.spec.type;
  array.shape = argument.spec.shape;
  array.bytes.resize(bytes);
  for (size_t i = 0; i < array.bytes.size(); i += element.size()) {
    std::ranges::copy(element, array.bytes.begin() + static_cast<ptrdiff_t>(i));
  }
  return array;
}

void AddInputs(const Kernel& kernel, const RunOptions& options, std::vector<BindingPlan>* plans) {
  const std::vector<uint32_t> bindings = AssignBindings(kernel, kInput, options.inputs);
  for (size_t i = 0; i < bindings.size(); ++i) {
    const InputArgument& argument = options.inputs[i];
    NpyArray array = argument.path.empty() ? FilledArray(argument) : ReadNpyFile(argument.path);
    BindingPlan& plan = (*plans)[bindings[i]];
    if (plan.binding.type) {
      AdoptElementType(plan.binding.type->element_type, &array);
      CheckArray(kernel, bindings[i], {array.type, array.shape}, argument.path.empty() ? "--input" : argument.path);
    } else if (argument.checks_type) {
      const std::string source = argument.path.empty() ? ArraySpecText(array.type, array.shape) : argument.path;
      CheckElements(kernel, bindings[i], {array.type, array.shape}, source);
    }
    plan.spec = {array.type, array.shape};
    plan.input = std::move(array);
  }
}

bool IsComplex(hal_element_type_t type) { return ReaderFor(type).components == 2; }

// An expected array says what an output is, if nothing else does; else it must be of the same shape. A function's
// result may come in any shape, so there it is compared afterwards.
void AddExpected(const Kernel& kernel, uint32_t binding, const ExpectArgument& argument, BindingPlan* plan) {
  NpyArray array = ReadNpyFile(argument.path);
  const hal_value_type_t* const type = plan->binding.type;
  const bool is_known = plan->spec.type != HAL_ELEMENT_TYPE_NONE;
  if (type && (!is_known || plan->spec.type == type->element_type)) AdoptElementType(type->element_type, &array);
  ArraySpec spec = plan->spec;
  if (!is_known) spec = {type ? type->element_type : array.type, array.shape};
  if (array.shape != spec.shape || IsComplex(array.type) != IsComplex(spec.type)) {
    Fail(ExitCode::kInput, "'", argument.path, "' is ", ArraySpecText(array.type, array.shape), ", but the result is ",
         ArraySpecText(spec.type, spec.shape));
  }
  if (!is_known && type && !plan->binding.is_result) CheckArray(kernel, binding, spec, argument.path);
  if (!plan->binding.is_result) plan->spec = spec;
  plan->expected = std::move(array);
  plan->expected_path = argument.path;
}

// The type and shape that --output says. It may read the bytes of an input in another way, but not in another shape
// where that matters to the function.
void AddOutputSpec(const Kernel& kernel, const OutputArgument& argument, uint32_t binding, BindingPlan* plan) {
  if (!argument.spec) return;
  if (plan->binding.type) CheckArray(kernel, binding, *argument.spec, argument.path + ":…");
  if (plan->input && plan->binding.type && argument.spec->shape != plan->spec.shape) {
    Fail(ExitCode::kUsage, BindingText(kernel, binding), " is given ", ArraySpecText(plan->spec.type, plan->spec.shape),
         ", but its output should be ", ArraySpecText(argument.spec->type, argument.spec->shape));
  }
  if (plan->input && argument.spec->ByteCount() != plan->input->bytes.size()) {
    Fail(ExitCode::kUsage, "binding ", binding, " is given ", BytesText(plan->input->bytes.size()),
         " of input, but its output ", ArraySpecText(argument.spec->type, argument.spec->shape), " has ",
         BytesText(argument.spec->ByteCount()));
  }
  plan->spec = *argument.spec;
}

void AddOutputs(const Kernel& kernel, const RunOptions& options, std::vector<BindingPlan>* plans) {
  const std::vector<uint32_t> outputs = AssignBindings(kernel, kOutput, options.outputs);
  const std::vector<uint32_t> expected = AssignBindings(kernel, kExpect, options.expected);
  for (size_t i = 0; i < outputs.size(); ++i) {
    BindingPlan& plan = (*plans)[outputs[i]];
    AddOutputSpec(kernel, options.outputs[i], outputs[i], &plan);
    if (!options.outputs[i].path.empty()) plan.output = options.outputs[i].path;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    AddExpected(kernel, expected[i], options.expected[i], &(*plans)[expected[i]]);
  }
}

// The shape of all inputs, if they have one, is that of an output whose type is known and of which nothing else is.
void AddLikelySpecs(std::vector<BindingPlan>* plans) {
  const BindingPlan* first = nullptr;
  for (const BindingPlan& plan : *plans) {
    if (!plan.input) continue;
    if (first && plan.spec.shape != first->spec.shape) return;
    first = &plan;
  }
  if (!first) return;
  for (BindingPlan& plan : *plans) {
    if (plan.spec.type != HAL_ELEMENT_TYPE_NONE || plan.binding.type || !plan.output) continue;
    plan.spec = {plan.binding.element_type, first->spec.shape};
  }
}

void CheckWritableType(size_t binding, const BindingPlan& plan) {
  if (!plan.output || *plan.output == "-") return;
  const bool is_known = plan.spec.type != HAL_ELEMENT_TYPE_NONE;
  const hal_element_type_t type = is_known ? plan.spec.type : plan.binding.type->element_type;
  if (!NpyDescr(type).empty()) return;
  Fail(ExitCode::kUsage, "NumPy has no ", ElementTypeText(type), ", which binding ", binding,
       " should be written as; name an integer type of the same width");
}

void CheckComplete(const Kernel& kernel, const std::vector<BindingPlan>& plans) {
  for (size_t i = 0; i < plans.size(); ++i) {
    const BindingPlan& plan = plans[i];
    if (plan.binding.access == HAL_BINDING_ACCESS_READ && !plan.input) {
      Fail(ExitCode::kUsage, BindingText(kernel, i), " is read, but has no --input: ", SignatureText(kernel));
    }
    if (plan.spec.type == HAL_ELEMENT_TYPE_NONE && !plan.binding.is_result) {
      Fail(ExitCode::kUsage, "the type and shape of ", BindingText(kernel, i),
           " are not known; say them as in --output=", i, "=FILE:f32[8,8]: ", SignatureText(kernel));
    }
    CheckWritableType(i, plan);
  }
}

std::vector<BindingPlan> EmptyPlans(const Kernel& kernel) {
  std::vector<BindingPlan> plans(kernel.bindings.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    plans[i].binding = kernel.bindings[i];
    if (plans[i].binding.type) plans[i].spec = StaticSpec(*plans[i].binding.type).value_or(ArraySpec());
  }
  return plans;
}

}  // namespace

std::vector<BindingPlan> MakePlan(const Kernel& kernel, const RunOptions& options) {
  std::vector<BindingPlan> plans = EmptyPlans(kernel);
  AddInputs(kernel, options, &plans);
  AddOutputs(kernel, options, &plans);
  AddLikelySpecs(&plans);
  CheckComplete(kernel, plans);
  return plans;
}

std::optional<size_t> FindUnknownResult(const std::vector<BindingPlan>& plans) {
  const auto unknown =
      std::ranges::find_if(plans, [](const BindingPlan& plan) { return plan.spec.type == HAL_ELEMENT_TYPE_NONE; });
  if (unknown == plans.end()) return std::nullopt;
  return static_cast<size_t>(unknown - plans.begin());
}

}  // namespace halyard::tools
