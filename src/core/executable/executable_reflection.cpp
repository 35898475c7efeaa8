// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_reflection.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include "base/log.h"
#include "core/executable/specialized_sizes.h"
#include "image/reflection/reflection.h"

namespace halyard {
namespace {

HostString Subject(hal_string_view_t path) {
  HostString subject;
  if (path.size > 0) subject.append("'").append(View(path)).append("': ");
  return subject;
}

/// An image that tells nothing is not malformed: its caller has to say what it exports.
Status AskForList(Status status) {
  if (status.code() != HAL_STATUS_NOT_FOUND) return status;
  const Failure told(status);
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s; give the list in params->exports", told.message().data());
}

HostString ObstacleText(const ReflectedKernel& kernel) {
  return "kernel '" + kernel.name + "' cannot be called: " + kernel.obstacle;
}

std::span<const hal_specialization_t> SpecializationsOf(const hal_executable_params_t& params) {
  return {params.specializations, params.specializations ? params.specialization_count : 0};
}

Bytes ImageOf(const hal_executable_params_t& params) {
  return {static_cast<const std::byte*>(params.data), params.data_size};
}

std::string_view SymbolOf(const hal_export_info_t& info) {
  return View(info.symbol.size > 0 ? info.symbol : info.name);
}

/// What the caller has to say or to write before a kernel can follow the addresses that it finds.
void LogAddresses(const ReflectedKernel& kernel) {
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ReflectedParameter& parameter = kernel.parameters[i];
    if (parameter.addresses.empty()) continue;
    char text[160];
    std::snprintf(text, sizeof(text), "parameter %zu, a constant of %u bytes, in ", i, parameter.value.size);
    Log(HAL_LOG_LEVEL_WARNING,
        "kernel '" + kernel.name + "' follows addresses that it finds in " + text + AddressesText(parameter.addresses) +
            "; an export list with HAL_PARAMETER_KIND_BINDING_ADDRESS gives it those of bindings");
  }
  constexpr size_t kMostNamed = 8;
  const std::span<const AddressesInVariable> variables = kernel.addresses_in_variables;
  if (variables.size() > kMostNamed) {
    char more[64];
    std::snprintf(more, sizeof(more), "' follows addresses in %zu variables; these are some", variables.size());
    Log(HAL_LOG_LEVEL_WARNING, "kernel '" + kernel.name + more);
  }
  for (const AddressesInVariable& one : variables.first(std::min(variables.size(), kMostNamed))) {
    Log(HAL_LOG_LEVEL_WARNING, "kernel '" + kernel.name + "' follows addresses that it finds in the variable '" +
                                   one.variable + "', in " + AddressesText(one.offsets) +
                                   "; hal_executable_find_global() gives the variable, for the caller to write them");
  }
}

}  // namespace

Status ExecutableReflection::Resolve(hal_executable_params_t* params) {
  if (params->export_count > 0 || !CanReflect(View(params->format))) return kOk;
  const HostString subject = Subject(params->path);
  HAL_TRY(Load(params));
  const Status status = Reflect(View(params->format), ImageOf(*params), &image_, SpecializationsOf(*params));
  if (status != kOk) return Annotate(AskForList(status), subject);
  exports_ = ExportsOf(image_, View(params->format));
  return Annotate(TakeExports(params), subject);
}

Status ExecutableReflection::Complete(hal_executable_params_t* params, std::span<hal_export_info_t> exports) {
  if (View(params->format) != "spirv" || !exports_.list.empty()) return kOk;
  const std::span<const hal_specialization_t> specializations = SpecializationsOf(*params);
  if (!Succeeds(Load(params)) || !Succeeds(Reflect("spirv", ImageOf(*params), &image_))) return kOk;
  ReflectedImage by_default;
  if (!specializations.empty()) {
    by_default = std::move(image_);
    HAL_TRY(Reflect("spirv", ImageOf(*params), &image_, specializations));
  }
  HostMap<std::string_view, size_t> indices;  // of kernels, the same with all values
  for (const ReflectedKernel& kernel : image_.kernels) indices.emplace(kernel.name, indices.size());
  for (hal_export_info_t& info : exports) {
    const auto found = indices.find(SymbolOf(info));
    if (found == indices.end()) continue;
    const ReflectedKernel& told = image_.kernels[found->second];
    if (!specializations.empty()) ForgetDefaultSize(by_default.kernels[found->second], &info);
    HAL_TRY(TakeWorkgroupSize(told, &info));
    HAL_TRY(TakeSubgroupSize(told, &info));
    if (specializations.empty()) continue;
    TakeMemorySizes(by_default.kernels[found->second], told, &info, &parameters_.emplace_back());
  }
  return kOk;
}

Status ExecutableReflection::Load(hal_executable_params_t* params) {
  if (params->data) return kOk;
  const HostString path(View(params->path));
  HAL_TRY(ReadFile(path.c_str(), &file_));
  params->data = file_.data();
  params->data_size = file_.size();
  params->path = {nullptr, 0};
  return kOk;
}

Status ExecutableReflection::TakeExports(hal_executable_params_t* params) {
  HostString obstacles;
  for (const ReflectedKernel& kernel : image_.kernels) {
    if (kernel.obstacle.empty()) LogAddresses(kernel);
    if (kernel.obstacle.empty()) continue;
    obstacles += "; " + ObstacleText(kernel);
    Log(HAL_LOG_LEVEL_WARNING, ObstacleText(kernel));
  }
  if (exports_.list.empty()) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the image has no kernel to call%s", obstacles.c_str());
  }
  params->exports = exports_.list.data();
  params->export_count = exports_.list.size();
  return kOk;
}

}  // namespace halyard
