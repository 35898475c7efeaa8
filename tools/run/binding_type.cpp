// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "binding_type.h"

#include <algorithm>

#include "function/value_type.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {
namespace {

// An address for arrays of which only type and shape matter.
alignas(64) char g_placeholder[64];

// A result may lie in memory as it likes, since it is copied out.
hal_value_type_t WithoutLayout(hal_value_type_t type) {
  type.strides = nullptr;
  type.offset = 0;
  return type;
}

hal_status_t CheckMemref(const ArraySpec& spec, const hal_value_type_t& type) {
  const hal_shape_t shape = {spec.type, static_cast<uint32_t>(spec.shape.size()), spec.shape.data(), nullptr};
  hal_memref_t memref;
  const hal_status_t status = hal_memref_initialize(&shape, g_placeholder, spec.ByteCount(), &memref);
  return status == HAL_STATUS_OK ? hal_memref_check(&memref, &type) : status;
}

hal_status_t CheckType(const ArraySpec& spec, const KernelBinding& binding) {
  if (binding.type->kind != HAL_VALUE_KIND_SCALAR) {
    return CheckMemref(spec, binding.is_result ? WithoutLayout(*binding.type) : *binding.type);
  }
  const hal_value_type_t rank_0 = {HAL_VALUE_KIND_RANKED, binding.type->element_type, 0, {}, {}, {}, 0, {}, {}};
  return CheckMemref(spec, rank_0);
}

// Integers of the same size hold what NumPy has no type for.
bool HoldsTypeOf(hal_element_type_t given, hal_element_type_t type) {
  if (type != HAL_ELEMENT_TYPE_BF16 && type != HAL_ELEMENT_TYPE_INDEX && !IsSmallFloat(type)) return false;
  return IsInteger(given) && ElementBits(given) == 8 * ElementSize(type);
}

}  // namespace

std::optional<ArraySpec> StaticSpec(const hal_value_type_t& type) {
  if (type.kind == HAL_VALUE_KIND_SCALAR) return ArraySpec{type.element_type, {}};
  if (type.kind != HAL_VALUE_KIND_RANKED) return std::nullopt;
  ArraySpec spec = {type.element_type, {type.sizes, type.sizes + type.rank}};
  if (std::ranges::find(spec.shape, HAL_DYNAMIC) != spec.shape.end()) return std::nullopt;
  return spec;
}

void AdoptElementType(hal_element_type_t type, NpyArray* array) {
  if (HoldsTypeOf(array->type, type)) array->type = type;
}

void CheckElements(const Kernel& kernel, size_t binding, const ArraySpec& spec, std::string_view source) {
  const hal_element_type_t type = kernel.bindings[binding].element_type;
  const bool is_alike = IsInteger(spec.type) && IsInteger(type) && ElementBits(spec.type) == ElementBits(type);
  if (type == HAL_ELEMENT_TYPE_NONE || spec.type == type || is_alike || HoldsTypeOf(spec.type, type)) return;
  Fail(ExitCode::kInput, "'", kernel.name, "': ", BindingText(kernel, binding), " takes ", ElementTypeText(type),
       ", but '", source, "' is ", ArraySpecText(spec.type, spec.shape));
}

void CheckArray(const Kernel& kernel, size_t binding, const ArraySpec& spec, std::string_view source) {
  const KernelBinding& bound = kernel.bindings[binding];
  ArraySpec adopted = spec;
  if (HoldsTypeOf(spec.type, bound.type->element_type)) adopted.type = bound.type->element_type;
  const hal_status_t status = CheckType(adopted, bound);
  if (status == HAL_STATUS_OK) return;
  Fail(ExitCode::kInput, "'", kernel.name, "': ", BindingText(kernel, binding), " is ", ValueTypeText(*bound.type),
       ", but '", source, "' is ", ArraySpecText(spec.type, spec.shape),
       status == HAL_STATUS_INCOMPATIBLE ? ", whose elements lie densely" : "");
}

}  // namespace halyard::tools
