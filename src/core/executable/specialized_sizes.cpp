// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/specialized_sizes.h"

#include <algorithm>
#include <iterator>

#include "function/fixed_sides.h"

namespace halyard {
namespace {

bool IsSame(const hal_dim3_t& a, const hal_dim3_t& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

bool IsOne(const hal_dim3_t& size) { return IsSame(size, {1, 1, 1}); }

// The constant of a list that is at the place of one of the image and has its size.
hal_parameter_t* FindConstant(const hal_parameter_t& wanted, HostVector<hal_parameter_t>* parameters) {
  const auto found = std::find_if(parameters->begin(), parameters->end(), [&](const hal_parameter_t& parameter) {
    return parameter.kind == HAL_PARAMETER_KIND_CONSTANT && parameter.offset == wanted.offset &&
           parameter.size == wanted.size;
  });
  return found == parameters->end() ? nullptr : &*found;
}

Status FailSide(const hal_export_info_t& info, const hal_specialization_t& given, char axis) {
  const hal_dim3_t& size = info.workgroup_size;
  if (size.x == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "export \"%.*s\": specialisation constant %u is the side of its workgroups in %c, and cannot be %llu",
                HALYARD_SV(View(info.name)), given.id, axis, static_cast<unsigned long long>(given.value));
  }
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "export \"%.*s\": specialisation constant %u gives its workgroups %llu in %c, but its image is made for "
              "workgroups of (%u, %u, %u)",
              HALYARD_SV(View(info.name)), given.id, static_cast<unsigned long long>(given.value), axis, size.x, size.y,
              size.z);
}

}  // namespace

void ForgetDefaultSize(const ReflectedKernel& by_default, hal_export_info_t* info) {
  if (by_default.is_workgroup_size_exact && IsSame(info->workgroup_size, by_default.workgroup_size)) {
    info->workgroup_size = {1, 1, 1};
  }
}

Status TakeWorkgroupSize(const ReflectedKernel& told, hal_export_info_t* info) {
  const hal_dim3_t &own = info->workgroup_size, &size = told.workgroup_size;
  if (!told.is_workgroup_size_exact) {
    info->fixed_sides = told.fixed_sides;
    if (IsAnyFixed(told.fixed_sides)) info->flags |= HAL_EXPORT_EXACT_WORKGROUP_SIZE;
    if (IsOne(own) && !HasFixedSides(own, told.fixed_sides)) info->workgroup_size = {0, 1, 1};
    return kOk;
  }
  if (own.x == 0 && IsOne(size)) return kOk;
  if (own.x > 0 && !IsOne(own) && !IsSame(own, size)) {
    return Fail(
        HAL_STATUS_INVALID_ARGUMENT,
        "export \"%.*s\": workgroup_size is (%u, %u, %u), but its image, with the specialisation constants that "
        "are given, runs in workgroups of (%u, %u, %u) alone",
        HALYARD_SV(View(info->name)), own.x, own.y, own.z, size.x, size.y, size.z);
  }
  info->workgroup_size = size;
  info->fixed_sides = {0, 0, 0};
  info->flags |= HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  return kOk;
}

Status TakeGivenSides(const hal_dim3_t& constants, std::span<const hal_specialization_t> given,
                      hal_export_info_t* info) {
  const uint32_t numbers[] = {constants.x, constants.y, constants.z};
  hal_dim3_t &size = info->workgroup_size, &fixed = info->fixed_sides;
  uint32_t* const fixed_sides[] = {&fixed.x, &fixed.y, &fixed.z};
  bool is_any = false;
  for (size_t axis = 0; axis < std::size(numbers); ++axis) {
    for (const hal_specialization_t& one : given) {
      if (numbers[axis] == 0 || one.id != numbers[axis] - 1) continue;
      const uint32_t sides[] = {size.x, size.y, size.z};
      const bool is_possible = one.value > 0 && one.value <= UINT32_MAX;
      if (!is_possible || (size.x > 0 && sides[axis] != one.value)) return FailSide(*info, one, "xyz"[axis]);
      *fixed_sides[axis] = static_cast<uint32_t>(one.value);
      is_any = true;
    }
  }
  if (!is_any || size.x > 0) return kOk;  // where the size is known it is the same
  info->flags |= HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  if (fixed.x == 0 || fixed.y == 0 || fixed.z == 0) return kOk;
  size = fixed;
  fixed = {0, 0, 0};
  return kOk;
}

Status TakeSubgroupSize(const ReflectedKernel& told, hal_export_info_t* info) {
  const uint32_t size = told.subgroup_size;
  if (size == 0 || info->subgroup_size == size) return kOk;
  const bool is_in_range =
      size >= info->min_subgroup_size && (info->max_subgroup_size == 0 || size <= info->max_subgroup_size);
  if (info->subgroup_size > 0 || !is_in_range) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "export \"%.*s\": subgroup_size is %u (%u to %u), but its image is made for subgroups of %u",
                HALYARD_SV(View(info->name)), info->subgroup_size, info->min_subgroup_size, info->max_subgroup_size,
                size);
  }
  info->subgroup_size = size;
  return kOk;
}

void TakeMemorySizes(const ReflectedKernel& by_default, const ReflectedKernel& told, hal_export_info_t* info,
                     HostVector<hal_parameter_t>* parameters) {
  const bool is_own = info->local_memory_size == by_default.local_memory_size;
  info->local_memory_size = is_own ? told.local_memory_size : std::max(info->local_memory_size, told.local_memory_size);
  if (info->signature || info->layout) return;  // these say the constants
  if (info->constants_size == by_default.constants_size) info->constants_size = told.constants_size;
  if (info->parameter_count == 0 || by_default.parameters.size() != told.parameters.size()) return;
  parameters->assign(info->parameters, info->parameters + info->parameter_count);
  for (size_t i = 0; i < told.parameters.size(); ++i) {
    const hal_parameter_t& value = told.parameters[i].value;
    if (value.kind != HAL_PARAMETER_KIND_CONSTANT) continue;
    if (hal_parameter_t* const own = FindConstant(by_default.parameters[i].value, parameters)) own->size = value.size;
  }
  info->parameters = parameters->data();
}

}  // namespace halyard
