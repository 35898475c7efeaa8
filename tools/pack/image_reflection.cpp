// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_reflection.h"

#include <algorithm>

#include "image/reflection/reflection.h"
#include "reflect/spirv_reflection.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string Text(const HostString& text) { return std::string(text.data(), text.size()); }

ReflectedParameter ToTools(const halyard::ReflectedParameter& given) {
  ReflectedParameter parameter;
  parameter.kind = given.value.kind;
  parameter.kind_is_guess = given.is_guess;
  parameter.name = Text(given.name);
  parameter.element_type = given.element_type;
  if (given.value.kind == HAL_PARAMETER_KIND_CONSTANT) {
    parameter.size = given.value.size;
    if (given.is_place_fixed) parameter.offset = given.value.offset;
    return parameter;
  }
  if (given.is_place_fixed) {
    parameter.set = given.value.set;
    parameter.binding = given.value.binding;
  }
  if (given.is_access_known) parameter.access = given.value.access;
  return parameter;
}

ReflectedKernel ToTools(const halyard::ReflectedKernel& given, bool is_spirv) {
  ReflectedKernel kernel;
  kernel.name = Text(given.name);
  if (given.is_workgroup_size_known) kernel.workgroup_size = given.workgroup_size;
  if (given.max_workgroup_volume > 0) kernel.max_workgroup_volume = given.max_workgroup_volume;
  if (given.subgroup_size > 0) kernel.subgroup_size = given.subgroup_size;
  kernel.is_workgroup_size_exact = given.is_workgroup_size_exact;
  kernel.fixed_sides = given.fixed_sides;
  kernel.cluster_size = given.cluster_size;
  kernel.uses_dynamic_local_memory = given.uses_dynamic_local_memory;
  kernel.is_cooperative = given.is_cooperative;
  kernel.local_memory_size = given.local_memory_size;
  kernel.obstacle = Text(given.obstacle);
  kernel.parameters_are_ordered = !is_spirv;
  kernel.parameters_are_complete = !is_spirv;  // compilers leave out what a kernel does not use
  if (is_spirv) kernel.constants_size = given.constants_size;
  for (const halyard::ReflectedParameter& parameter : given.parameters) {
    kernel.parameters.push_back(ToTools(parameter));
  }
  return kernel;
}

void TakeConstants(const ReflectedImage& told, ImageReflection* image) {
  for (const halyard::ReflectedConstant& constant : told.constants) {
    image->constants.push_back(
        {constant.id, Text(constant.name), constant.type, constant.size, constant.default_value});
  }
}

bool IsSamePlace(const ReflectedParameter& left, const ReflectedParameter& right) {
  return left.kind == right.kind && left.set == right.set && left.binding == right.binding &&
         left.offset == right.offset;
}

// What the library's own reader tells of a kernel and SPIRV-Cross does not.
void AddDetails(const ReflectedKernel& told, ReflectedKernel* kernel) {
  kernel->is_workgroup_size_exact = told.is_workgroup_size_exact;
  kernel->fixed_sides = told.fixed_sides;
  kernel->uses_dynamic_local_memory = told.uses_dynamic_local_memory;
  for (ReflectedParameter& parameter : kernel->parameters) {
    const auto same = std::ranges::find_if(
        told.parameters, [&](const ReflectedParameter& other) { return IsSamePlace(parameter, other); });
    if (same == told.parameters.end()) continue;
    parameter.element_type = same->element_type;
    if (!same->name.empty()) parameter.name = same->name;
  }
}

ImageReflection ToTools(const std::string& path, const std::string& format, const ReflectedImage& told) {
  ImageReflection result = {path, format, Text(told.target), Text(told.producer), {}, told.isa_version, {}};
  TakeConstants(told, &result);
  for (const halyard::ReflectedKernel& kernel : told.kernels) {
    result.kernels.push_back(ToTools(kernel, format == "spirv"));
  }
  return result;
}

// SPIRV-Cross looks at what functions do, and refuses less: uniform buffers.
ImageReflection ReflectByCompiler(const std::string& path, std::span<const std::byte> image) {
  ImageReflection result = {path, "spirv", "", "SPIR-V", ReflectSpirv(path, image), 0, {}};
  ReflectedImage told;
  if (Reflect("spirv", image, &told) != HAL_STATUS_OK) return result;
  TakeConstants(told, &result);
  for (const halyard::ReflectedKernel& given : told.kernels) {
    const auto kernel = std::ranges::find(result.kernels, Text(given.name), &ReflectedKernel::name);
    if (kernel != result.kernels.end()) AddDetails(ToTools(given, /*is_spirv=*/true), &*kernel);
  }
  return result;
}

// Devices take what the library's own reader takes, whatever the validator says of it.
ImageReflection ReflectSpirvImage(const std::string& path, std::span<const std::byte> image) {
  try {
    return ReflectByCompiler(path, image);
  } catch (const InvalidSpirv& invalid) {
    ReflectedImage told;
    const hal_status_t status = Reflect("spirv", image, &told);
    if (status == HAL_STATUS_INCOMPATIBLE) Fail(ExitCode::kInput, "'", path, "': ", LastErrorMessage());
    if (status != HAL_STATUS_OK) throw;
    ImageReflection result = ToTools(path, "spirv", told);
    result.notes.push_back(
        Concat("'", path, "' is packed as it is, although SPIRV-Tools' validator refuses it: ", invalid.complaint()));
    return result;
  }
}

}  // namespace

std::optional<ImageReflection> ReflectImage(const std::string& path, const std::string& format,
                                            std::span<const std::byte> image) {
  if (format == "spirv" && CanReadSpirv()) return ReflectSpirvImage(path, image);
  if (!CanReflect(format)) return std::nullopt;
  ReflectedImage reflected;
  const hal_status_t status = Reflect(format, image, &reflected);
  if (status == HAL_STATUS_NOT_FOUND) return std::nullopt;
  if (status != HAL_STATUS_OK) Fail(ExitCode::kInput, "'", path, "': ", LastErrorMessage());
  return ToTools(path, format, reflected);
}

}  // namespace halyard::tools
