// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflection_text.h"

#include <algorithm>

#include "image_reflection.h"
#include "support/export_description.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string WorkgroupText(const ReflectedKernel& kernel) {
  std::string text = "any workgroup";
  if (kernel.workgroup_size && kernel.workgroup_size->x > 0) {
    const hal_dim3_t& size = *kernel.workgroup_size;
    text = Concat(size.x, " x ", size.y, " x ", size.z);
  }
  if (kernel.max_workgroup_volume) text += Concat(", at most ", *kernel.max_workgroup_volume, " work-items");
  if (kernel.subgroup_size) text += Concat(" in subgroups of ", *kernel.subgroup_size);
  return text;
}

std::string ParameterText(const ReflectedParameter& parameter) {
  std::string text = "binding";
  if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) text = BytesText(parameter.size);
  if (parameter.access) text = Concat(AccessText(*parameter.access), " ", text);
  return text + (parameter.kind_is_guess ? " (guessed)" : "");
}

std::string KernelText(const ReflectedKernel& kernel) {
  std::vector<std::string> parameters;
  for (const ReflectedParameter& parameter : kernel.parameters) parameters.push_back(ParameterText(parameter));
  std::string text = Concat(WorkgroupText(kernel), "; ", parameters.empty() ? "no parameters" : JoinText(parameters));
  if (kernel.local_memory_size.value_or(0) > 0) {
    text += Concat("; ", BytesText(*kernel.local_memory_size), " of workgroup memory");
  }
  if (!kernel.obstacle.empty()) text += Concat("; cannot be called: ", kernel.obstacle);
  return text;
}

Json KernelJson(const ReflectedKernel& kernel) {
  Json parameters = Json::array();
  for (const ReflectedParameter& parameter : kernel.parameters) {
    const bool is_constant = parameter.kind == HAL_PARAMETER_KIND_CONSTANT;
    Json json = {{"kind", is_constant ? "constant" : "binding"}, {"guessed", parameter.kind_is_guess}};
    if (is_constant) json["size"] = parameter.size;
    if (parameter.access) json["access"] = AccessText(*parameter.access);
    parameters.push_back(json);
  }
  Json result = {{"name", kernel.name}, {"parameters", parameters}};
  if (kernel.workgroup_size) {
    const hal_dim3_t& size = *kernel.workgroup_size;
    result["workgroup_size"] = {size.x, size.y, size.z};
  }
  if (kernel.max_workgroup_volume) result["max_workgroup_volume"] = *kernel.max_workgroup_volume;
  if (kernel.subgroup_size) result["subgroup_size"] = *kernel.subgroup_size;
  if (kernel.local_memory_size) result["local_memory_size"] = *kernel.local_memory_size;
  if (!kernel.obstacle.empty()) result["obstacle"] = kernel.obstacle;
  return result;
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
  lines.emplace_back("made as", image->target.empty() ? image->producer : image->producer + " for " + image->target);
  for (const ReflectedKernel& kernel : image->kernels) lines.emplace_back("tells " + kernel.name, KernelText(kernel));
  return lines;
}

Json ReflectionJson(const ContainerVariant& variant) {
  std::string problem;
  const std::optional<ImageReflection> image = TryReflect(variant, &problem);
  if (!image) return nullptr;
  Json kernels = Json::array();
  for (const ReflectedKernel& kernel : image->kernels) kernels.push_back(KernelJson(kernel));
  return {{"producer", image->producer}, {"target", image->target}, {"kernels", kernels}};
}

}  // namespace halyard::tools
