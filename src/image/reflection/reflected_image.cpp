// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/reflected_image.h"

#include <algorithm>
#include <cstdio>

#include "base/round_up.h"
#include "base/text/text_checks.h"
#include "function/parameter_checks.h"

namespace halyard {
namespace {

uint32_t BindingCount(const ReflectedKernel& kernel) {
  return static_cast<uint32_t>(std::count_if(
      kernel.parameters.begin(), kernel.parameters.end(),
      [](const ReflectedParameter& parameter) { return parameter.value.kind == HAL_PARAMETER_KIND_BINDING; }));
}

hal_parameter_info_t InfoOf(const ReflectedParameter& parameter) {
  return {ToC(parameter.name), parameter.element_type,
          parameter.is_guess || !parameter.addresses.empty() ? HAL_PARAMETER_GUESSED : 0};
}

hal_export_info_t ExportOf(const ReflectedKernel& kernel, std::string_view format,
                           const HostVector<hal_parameter_t>& parameters,
                           const HostVector<hal_parameter_info_t>& infos) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = ToC(kernel.name);
  info.workgroup_size = kernel.workgroup_size;
  info.local_memory_size = kernel.local_memory_size;
  info.constants_size = kernel.constants_size;
  info.parameter_count = static_cast<uint32_t>(parameters.size());
  info.parameters = parameters.empty() ? nullptr : parameters.data();
  info.parameter_infos = infos.empty() ? nullptr : infos.data();
  ApplyLaunch(LaunchFactsOf(kernel, format), &info);
  return info;
}

}  // namespace

void AddBinding(ReflectedKernel* kernel, hal_binding_access_t access, bool is_access_known, bool is_guess) {
  ReflectedParameter parameter;
  parameter.value = hal_parameter_binding(BindingCount(*kernel), access);
  parameter.is_access_known = is_access_known;
  parameter.is_guess = is_guess;
  kernel->parameters.push_back(parameter);
}

uint64_t PlaceOfConstant(uint64_t end, uint64_t size) {
  const uint64_t alignment = std::min<uint64_t>(size & (~size + 1), 16);
  return RoundUp(end, alignment);
}

Status AddConstant(ReflectedKernel* kernel, uint64_t size, bool is_guess) {
  const size_t ordinal = kernel->parameters.size();
  if (size == 0) return Fail(HAL_STATUS_DATA_LOSS, "parameter %zu: its size is 0", ordinal);
  const uint64_t offset = PlaceOfConstant(kernel->constants_size, size);
  if (size > ContainerLimits::kConstantsSize || offset + size > ContainerLimits::kConstantsSize) {
    return Fail(HAL_STATUS_DATA_LOSS, "parameter %zu: its %llu bytes make more than %u bytes of constants", ordinal,
                static_cast<unsigned long long>(size), ContainerLimits::kConstantsSize);
  }
  ReflectedParameter parameter;
  parameter.value = hal_parameter_constant(static_cast<uint32_t>(offset), static_cast<uint32_t>(size));
  parameter.is_guess = is_guess;
  kernel->parameters.push_back(parameter);
  kernel->constants_size = static_cast<uint32_t>(offset + size);
  return kOk;
}

HostString AddressesText(std::span<const uint32_t> offsets) {
  constexpr size_t kMostNamed = 8;
  const size_t named = std::min(offsets.size(), kMostNamed);
  HostString text;
  char part[48];
  for (size_t i = 0; i < named; ++i) {
    const bool is_last = i > 0 && i + 1 == offsets.size();
    text += i == 0 ? "" : is_last ? " and " : ", ";
    std::snprintf(part, sizeof(part), i == 0 ? "bytes %u to %u" : "%u to %u", offsets[i],
                  offsets[i] + kAddressSize - 1);
    text += offsets[i] == kAnyOffset ? "bytes that it computes" : part;
  }
  if (named < offsets.size()) {
    std::snprintf(part, sizeof(part), " and %zu more places", offsets.size() - named);
    text += part;
  }
  return text;
}

HostString ToName(std::string_view text) {
  const bool is_name = Succeeds(CheckText(HAL_STATUS_DATA_LOSS, "a name", text, ContainerLimits::kNameSize));
  return is_name ? HostString(text) : HostString();
}

Status CheckKernelName(std::string_view name) {
  return CheckText(HAL_STATUS_DATA_LOSS, "the name of a kernel", name, ContainerLimits::kNameSize);
}

Status CheckKernelNames(const ReflectedImage& image) {
  HostVector<std::string_view> names;
  names.reserve(image.kernels.size());
  for (const ReflectedKernel& kernel : image.kernels) {
    HAL_TRY(CheckKernelName(kernel.name));
    names.emplace_back(kernel.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "there are two kernels '%.*s'", HALYARD_SV(*twice));
}

namespace {

// A number that has no successor is none that a side can have.
hal_dim3_t SideConstantsOf(const ReflectedKernel& kernel) {
  const auto side = [&](size_t axis) { return kernel.workgroup_size_ids[axis].value_or(UINT32_MAX) + 1; };
  return {side(0), side(1), side(2)};
}

}  // namespace

LaunchFacts LaunchFactsOf(const ReflectedKernel& kernel, std::string_view format) {
  LaunchFacts launch;
  if (format != "spirv") launch.side_constants = SideConstantsOf(kernel);
  const bool needs_memory = kernel.uses_dynamic_local_memory && format != "spirv";
  if (kernel.is_workgroup_size_exact) launch.flags |= HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  if (needs_memory) launch.flags |= HAL_EXPORT_NEEDS_LOCAL_MEMORY;
  if (kernel.is_cooperative) launch.flags |= HAL_EXPORT_COOPERATIVE;
  launch.cluster_size = kernel.cluster_size;
  launch.subgroup_size = kernel.subgroup_size;
  launch.fixed_sides = kernel.fixed_sides;
  launch.max_workgroup_volume = kernel.max_workgroup_volume;
  return launch;
}

ReflectedExports ExportsOf(const ReflectedImage& image, std::string_view format) {
  ReflectedExports exports;
  exports.parameters.reserve(image.kernels.size());  // so that the lists stay where they are
  exports.infos.reserve(image.kernels.size());
  for (const ReflectedKernel& kernel : image.kernels) {
    if (!kernel.obstacle.empty()) continue;
    HostVector<hal_parameter_t>& parameters = exports.parameters.emplace_back();
    HostVector<hal_parameter_info_t>& infos = exports.infos.emplace_back();
    for (const ReflectedParameter& parameter : kernel.parameters) {
      parameters.push_back(parameter.value);
      infos.push_back(InfoOf(parameter));
    }
    exports.list.push_back(ExportOf(kernel, format, parameters, infos));
  }
  return exports;
}

}  // namespace halyard
