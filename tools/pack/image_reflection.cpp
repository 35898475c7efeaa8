// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_reflection.h"

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

}  // namespace

std::optional<ImageReflection> ReflectImage(const std::string& path, const std::string& format,
                                            std::span<const std::byte> image) {
  if (format == "spirv" && CanReadSpirv())
    return ImageReflection{path, format, "", "SPIR-V", ReflectSpirv(path, image)};
  if (!CanReflect(format)) return std::nullopt;
  ReflectedImage reflected;
  const hal_status_t status = Reflect(format, image, &reflected);
  if (status == HAL_STATUS_NOT_FOUND) return std::nullopt;
  if (status != HAL_STATUS_OK) Fail(ExitCode::kInput, "'", path, "': ", LastErrorMessage());
  ImageReflection result = {path, format, Text(reflected.target), Text(reflected.producer), {}};
  for (const halyard::ReflectedKernel& kernel : reflected.kernels) {
    result.kernels.push_back(ToTools(kernel, format == "spirv"));
  }
  return result;
}

}  // namespace halyard::tools
