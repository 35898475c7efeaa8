// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflection_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "function/value_type.h"
#include "image_reflection.h"
#include "size_text.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// With the values that specialisation constants have, if these give it.
const hal_dim3_t& SizeOf(const ReflectedKernel& kernel) {
  const bool is_default = !kernel.is_workgroup_size_exact && kernel.default_workgroup_size.x > 0;
  return is_default ? kernel.default_workgroup_size : kernel.workgroup_size;
}

std::string WorkgroupText(const ReflectedKernel& kernel) {
  std::string text = "any workgroup";
  if (SizeOf(kernel).x > 0) text = SizeText(SizeOf(kernel));
  for (size_t axis = 0; axis < kernel.workgroup_size_ids.size(); ++axis) {
    const auto& id = kernel.workgroup_size_ids[axis];
    if (id && !kernel.is_workgroup_size_exact) text += Concat(", ", "xyz"[axis], " by constant ", *id);
  }
  if (kernel.max_workgroup_volume > 0) text += Concat(", at most ", kernel.max_workgroup_volume, " work-items");
  if (kernel.subgroup_size > 0) text += Concat(" in subgroups of ", kernel.subgroup_size);
  if (kernel.cluster_size.x > 0) text += Concat(" in clusters of ", SizeText(kernel.cluster_size));
  return text;
}

std::string ParameterText(const ReflectedParameter& parameter) {
  std::string text = "binding";
  const hal_parameter_t& value = parameter.value;
  if (value.kind == HAL_PARAMETER_KIND_CONSTANT) text = BytesText(value.size);
  if (parameter.is_access_known) text = Concat(AccessText(value.access), " ", text);
  if (!parameter.name.empty()) text += Concat(" ", parameter.name);
  if (parameter.element_type != HAL_ELEMENT_TYPE_NONE) text += " of " + ElementTypeText(parameter.element_type);
  if (!parameter.addresses.empty()) text += Concat(" with addresses in ", AddressesText(parameter.addresses));
  return text + (parameter.is_guess ? " (guessed)" : "");
}

std::string KernelText(const ReflectedKernel& kernel) {
  std::vector<std::string> parameters;
  for (const ReflectedParameter& parameter : kernel.parameters) parameters.push_back(ParameterText(parameter));
  std::string text = Concat(WorkgroupText(kernel), "; ", parameters.empty() ? "no parameters" : JoinText(parameters));
  if (kernel.local_memory_size > 0) {
    text += Concat("; ", BytesText(kernel.local_memory_size), " of workgroup memory");
  }
  if (kernel.uses_dynamic_local_memory) text += "; dynamic workgroup memory";
  if (kernel.is_cooperative) text += "; may wait for the whole grid";
  if (!kernel.obstacle.empty()) text += Concat("; cannot be called: ", kernel.obstacle);
  return text;
}

Json ParameterJson(const ReflectedParameter& parameter) {
  const bool is_constant = parameter.value.kind == HAL_PARAMETER_KIND_CONSTANT;
  Json json = {{"kind", is_constant ? "constant" : "binding"}, {"guessed", parameter.is_guess}};
  if (is_constant) json["size"] = parameter.value.size;
  if (!parameter.addresses.empty()) json["addresses"] = parameter.addresses;
  if (parameter.is_access_known) json["access"] = AccessText(parameter.value.access);
  if (!parameter.name.empty()) json["name"] = std::string_view(parameter.name);
  if (parameter.element_type != HAL_ELEMENT_TYPE_NONE) json["type"] = ElementTypeText(parameter.element_type);
  return json;
}

Json KernelJson(const ReflectedKernel& kernel) {
  Json parameters = Json::array();
  for (const ReflectedParameter& parameter : kernel.parameters) parameters.push_back(ParameterJson(parameter));
  Json result = {{"name", std::string_view(kernel.name)}, {"parameters", parameters}};
  if (kernel.is_workgroup_size_known) result["workgroup_size"] = SizeJson(SizeOf(kernel));
  result["workgroup_size_is_exact"] = kernel.is_workgroup_size_exact;
  if (kernel.fixed_sides.x + kernel.fixed_sides.y + kernel.fixed_sides.z > 0) {
    result["fixed_sides"] = SizeJson(kernel.fixed_sides);
  }
  if (kernel.cluster_size.x > 0) result["cluster_size"] = SizeJson(kernel.cluster_size);
  if (kernel.max_workgroup_volume > 0) result["max_workgroup_volume"] = kernel.max_workgroup_volume;
  if (kernel.subgroup_size > 0) result["subgroup_size"] = kernel.subgroup_size;
  result["local_memory_size"] = kernel.local_memory_size;
  result["uses_dynamic_local_memory"] = kernel.uses_dynamic_local_memory;
  result["is_cooperative"] = kernel.is_cooperative;
  if (!kernel.obstacle.empty()) result["obstacle"] = std::string_view(kernel.obstacle);
  return result;
}

// The default value of a constant as a person writes it.
std::string ValueText(const ReflectedConstant& constant) {
  const NumberReader reader = ReaderFor(constant.type);
  std::array<std::byte, sizeof(constant.default_value)> bytes = {};
  std::memcpy(bytes.data(), &constant.default_value, sizeof(constant.default_value));
  const long double value = reader.read(bytes.data());
  if (!IsInteger(constant.type)) return Concat(value);
  return value < 0 ? std::to_string(static_cast<int64_t>(value)) : std::to_string(static_cast<uint64_t>(value));
}

std::string ConstantText(const ReflectedConstant& constant) {
  const bool is_known = constant.type != HAL_ELEMENT_TYPE_NONE;
  return Concat(constant.name.empty() ? "" : Concat(constant.name, ", "),
                is_known ? ElementTypeText(constant.type) : BytesText(constant.size), ", ",
                is_known ? ValueText(constant) : std::to_string(constant.default_value), " by default");
}

Json ConstantJson(const ReflectedConstant& constant) {
  Json json = {{"id", constant.id}, {"size", constant.size}, {"default_bits", constant.default_value}};
  if (!constant.name.empty()) json["name"] = std::string_view(constant.name);
  if (constant.type == HAL_ELEMENT_TYPE_NONE) return json;
  json["type"] = ElementTypeText(constant.type);
  json["default"] = ValueText(constant);
  return json;
}

// An image that cannot be read may still be one that a driver takes: it is shown all the same.
std::optional<ImageReflection> TryReflect(const ContainerVariant& variant, std::string* out_problem) {
  try {
    return ReflectImage("the image", std::string(variant.format), variant.image);
  } catch (const Failure& failure) {
    *out_problem = failure.what();
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ReflectionLines(const ContainerVariant& variant) {
  std::string problem;
  const std::optional<ImageReflection> image = TryReflect(variant, &problem);
  if (!problem.empty()) return {{"tells", problem}};
  if (!image) return {{"tells", "nothing: the exports say what its kernels take"}};
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("made as", Concat(image->producer, image->target.empty() ? "" : " for ", image->target));
  for (const ReflectedConstant& constant : image->constants) {
    lines.emplace_back(Concat("constant ", constant.id), ConstantText(constant));
  }
  for (const ReflectedKernel& kernel : image->kernels)
    lines.emplace_back(Concat("tells ", kernel.name), KernelText(kernel));
  return lines;
}

Json ReflectionJson(const ContainerVariant& variant) {
  std::string problem;
  const std::optional<ImageReflection> image = TryReflect(variant, &problem);
  if (!image) return nullptr;
  Json kernels = Json::array();
  for (const ReflectedKernel& kernel : image->kernels) kernels.push_back(KernelJson(kernel));
  Json constants = Json::array();
  for (const ReflectedConstant& constant : image->constants) constants.push_back(ConstantJson(constant));
  Json result = {{"producer", std::string_view(image->producer)},
                 {"target", std::string_view(image->target)},
                 {"specialization_constants", constants},
                 {"kernels", kernels}};
  if (image->isa_version > 0) result["isa_version"] = image->isa_version;
  return result;
}

}  // namespace halyard::tools
