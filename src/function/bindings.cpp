// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/bindings.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "base/text/shape.h"
#include "function/c_types.h"
#include "function/function.h"

namespace halyard {
namespace {

/// An address for memory that is not known yet.
alignas(64) char g_placeholder[64];

bool IsStatic(const hal_value_type_t& type) {
  return std::none_of(type.sizes, type.sizes + type.rank, [](int64_t size) { return size == HAL_DYNAMIC; });
}

Status NeedsShape(const hal_value_type_t& type) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "the function takes %s, so the dispatch has to give the binding's shape in params->binding_shapes",
              TypeText(type).c_str());
}

/// Sizes of a binding that comes without a shape.
Status FillSizes(const hal_value_type_t& type, const BoundMemory& memory, std::span<int64_t> sizes) {
  if (type.kind != HAL_VALUE_KIND_POINTER) {
    if (!HasSizes(type.kind) || (type.strides && type.rank > 0)) return NeedsShape(type);
    if (IsStatic(type)) {
      std::copy_n(type.sizes, type.rank, sizes.begin());
      return kOk;
    }
    if (type.rank != 1) return NeedsShape(type);
  }
  sizes[0] = static_cast<int64_t>(std::min<uint64_t>(memory.length, INT64_MAX) / ElementSize(type.element_type));
  return kOk;
}

Status FillDimensions(const hal_value_type_t& type, const hal_shape_t* shape, const BoundMemory& memory,
                      const Descriptor& out) {
  if (shape) {
    std::copy_n(shape->sizes, shape->rank, out.Sizes().begin());
  } else
    HAL_TRY(FillSizes(type, memory, out.Sizes()));
  if (shape && shape->strides) {
    std::copy_n(shape->strides, shape->rank, out.Strides().begin());
  } else {
    FillDenseStrides(out.Sizes(), out.Strides());
  }
  return kOk;
}

Status CheckScalarResult(const hal_value_type_t& type, uint64_t length) {
  const uint32_t size = ElementSize(type.element_type);
  if (length >= size) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "the result is %s of %u bytes, but the binding has %" PRIu64,
              TypeText(type).c_str(), size, length);
}

bool IsWorkgroupId(hal_argument_role_t role) {
  return role >= HAL_ARGUMENT_ROLE_WORKGROUP_ID_X && role <= HAL_ARGUMENT_ROLE_WORKGROUP_ID_Z;
}

/// A result is copied to its binding, which may lie in memory as it likes.
hal_value_type_t InAnyLayout(hal_value_type_t type) {
  static constexpr auto kDynamic = [] {
    std::array<int64_t, HAL_MEMREF_MAX_RANK> strides{};
    strides.fill(HAL_DYNAMIC);
    return strides;
  }();
  type.strides = kDynamic.data();
  return type;
}

Status CheckOne(const hal_value_type_t& given_type, const hal_shape_t* shape, uint64_t length, bool is_result) {
  if (given_type.kind == HAL_VALUE_KIND_SCALAR) return CheckScalarResult(given_type, length);
  if (is_result && !shape) return kOk;  // it takes the shape that comes
  const hal_value_type_t type = is_result ? InAnyLayout(given_type) : given_type;
  WordStorage<64> words(Descriptor::WordCount(BindingRank(type, shape)));
  Descriptor descriptor;
  return DescribeBinding(type, shape, {g_placeholder, length}, reinterpret_cast<int64_t*>(words.data()), &descriptor);
}

}  // namespace

uint32_t BindingRank(const hal_value_type_t& type, const hal_shape_t* shape) {
  if (shape) return shape->rank;
  if (type.kind == HAL_VALUE_KIND_POINTER) return 1;
  return HasSizes(type.kind) ? type.rank : 0;
}

uint64_t ByteExtent(const Descriptor& descriptor, uint64_t* out_below) {
  const auto sizes = descriptor.Sizes();
  const hal_shape_t shape = {descriptor.element_type, descriptor.rank, sizes.data(), descriptor.Strides().data()};
  const std::optional<uint64_t> extent = ShapeExtent(shape);
  *out_below = extent ? ElementsBelowFirst(shape) * ElementSize(descriptor.element_type) : 0;
  return extent.value_or(UINT64_MAX);
}

Status DescribeBinding(const hal_value_type_t& type, const hal_shape_t* shape, const BoundMemory& memory,
                       int64_t* words, Descriptor* out) {
  const bool typed = shape && shape->element_type != HAL_ELEMENT_TYPE_NONE;
  *out = {typed ? shape->element_type : type.element_type, BindingRank(type, shape), words};
  words[0] = words[1] = static_cast<int64_t>(reinterpret_cast<intptr_t>(memory.data));
  words[2] = 0;
  HAL_TRY(FillDimensions(type, shape, memory, *out));
  HAL_TRY(CheckDescriptor(*out, type));
  uint64_t below = 0;
  const uint64_t extent = ByteExtent(*out, &below);
  if (extent <= memory.length) {
    words[1] += static_cast<int64_t>(below);  // with negative strides the first element is not the lowest
    return kOk;
  }
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s reaches over %" PRIu64 " bytes, but the binding has %" PRIu64,
              DescriptorText(*out).c_str(), extent, memory.length);
}

Status AnnotateBinding(Status status, std::string_view function, const char* list, size_t index, size_t binding) {
  if (status == kOk) return kOk;
  char position[64];
  std::snprintf(position, sizeof(position), "': %s %zu (binding %zu): ", list, index, binding);
  return Annotate(status, "'", function, position);
}

Status CheckFunctionDispatch(std::string_view name, const hal_function_signature_t& signature,
                             const hal_dispatch_params_t& params) {
  size_t binding = 0;
  const auto check = [&](const hal_value_type_t& type, const char* list, size_t index, bool is_result) {
    const hal_shape_t* const shape = params.binding_shapes ? &params.binding_shapes[binding] : nullptr;
    const uint64_t length = params.bindings.refs[binding].length;
    const Status status = CheckOne(type, shape, length, is_result);
    return AnnotateBinding(status, name, list, index, binding++);
  };
  for (uint32_t i = 0; i < signature.argument_count; ++i) {
    if (!IsBound(signature.arguments[i])) continue;
    HAL_TRY(check(signature.arguments[i], "argument", i, false));
  }
  for (uint32_t i = 0; i < signature.result_count; ++i) HAL_TRY(check(signature.results[i], "result", i, true));
  if (params.flags & HAL_DISPATCH_INDIRECT) return kOk;  // the counts are read when it runs
  return CheckFunctionGrid(name, signature, params.workgroup_count);
}

Status CheckFunctionGrid(std::string_view name, const hal_function_signature_t& signature, const hal_dim3_t& count) {
  const bool is_one = count.x == 1 && count.y == 1 && count.z == 1;
  if (is_one || count.x == 0 || count.y == 0 || count.z == 0) return kOk;
  std::array<bool, 3> ids{};
  for (const hal_value_type_t& type : ArgumentsOf(signature)) {
    if (IsWorkgroupId(type.role)) ids[type.role - HAL_ARGUMENT_ROLE_WORKGROUP_ID_X] = true;
  }
  const bool knows_its_place = ids[0] || ids[1] || ids[2];
  if (!knows_its_place || signature.result_count > 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%.*s' %s: dispatch it with 1 x 1 x 1 workgroups, not %u x %u x %u",
                HALYARD_SV(name), knows_its_place ? "returns results" : "takes no workgroup id", count.x, count.y,
                count.z);
  }
  if (!IsC(signature.convention)) return kOk;
  const std::array<uint32_t, 3> counts = {count.x, count.y, count.z};
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 1 || ids[i]) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "'%.*s' takes no workgroup id in %c, so %u x %u x %u workgroups would repeat its work %u times",
                HALYARD_SV(name), "xyz"[i], count.x, count.y, count.z, counts[i]);
  }
  return kOk;
}

}  // namespace halyard
