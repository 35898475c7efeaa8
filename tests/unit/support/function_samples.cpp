// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function_samples.h"

#include "support/entry_points.h"

namespace halyard::testing {
namespace {

constexpr char kImage[] = "an image for the host";

hal_value_type_t ValueOf(hal_value_kind_t kind, hal_element_type_t element_type) {
  hal_value_type_t type = {};
  type.kind = kind;
  type.element_type = element_type;
  return type;
}

hal_value_type_t RankedOf(hal_element_type_t element_type, std::span<const int64_t> sizes) {
  hal_value_type_t type = ValueOf(HAL_VALUE_KIND_RANKED, element_type);
  type.rank = static_cast<uint32_t>(sizes.size());
  type.sizes = sizes.data();
  return type;
}

constexpr int64_t kStaticSizes[] = {4, 3};
constexpr int64_t kDynamicSizes[] = {HAL_DYNAMIC, 3, HAL_DYNAMIC};
constexpr int64_t kStrides[] = {6, 2};

}  // namespace

ContainerExport FunctionExport(std::string_view name, hal_calling_convention_t convention,
                               std::span<const hal_value_type_t> arguments, std::span<const hal_value_type_t> results) {
  hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
  signature.convention = convention;
  signature.argument_count = static_cast<uint32_t>(arguments.size());
  signature.arguments = arguments.data();
  signature.result_count = static_cast<uint32_t>(results.size());
  signature.results = results.data();
  ContainerExport info = {name, {1, 1, 1}, 0, 0, {}};
  info.parameters = ParametersOf(signature, &info.constants_size);
  info.signature = OwnedSignature(signature);
  return info;
}

ContainerContents FunctionContents() {
  hal_value_type_t strided = RankedOf(HAL_ELEMENT_TYPE_F16, kStaticSizes);
  strided.strides = kStrides;
  strided.offset = HAL_DYNAMIC;
  strided.access = HAL_BINDING_ACCESS_READ;
  hal_value_type_t place = ValueOf(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_INDEX);
  place.role = HAL_ARGUMENT_ROLE_WORKGROUP_ID_Y;
  hal_value_type_t owned = RankedOf(HAL_ELEMENT_TYPE_COMPLEX_F32, kDynamicSizes);
  owned.ownership = HAL_RESULT_OWNERSHIP_CALLER;
  hal_value_type_t borrowed = ValueOf(HAL_VALUE_KIND_UNRANKED, HAL_ELEMENT_TYPE_BF16);
  borrowed.ownership = HAL_RESULT_OWNERSHIP_BORROWED;
  const hal_value_type_t arguments[] = {strided, place, RankedOf(HAL_ELEMENT_TYPE_F32, kDynamicSizes),
                                        ValueOf(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_I1),
                                        ValueOf(HAL_VALUE_KIND_UNRANKED, HAL_ELEMENT_TYPE_I8)};
  const hal_value_type_t results[] = {owned, ValueOf(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_F64), borrowed};
  const hal_value_type_t bare = RankedOf(HAL_ELEMENT_TYPE_UI8, kStaticSizes);
  ContainerContents contents;
  contents.exports.push_back(FunctionExport("f", HAL_CALLING_CONVENTION_EXPANDED, arguments, results));
  contents.exports.push_back(FunctionExport("g", HAL_CALLING_CONVENTION_BARE_POINTER, {&bare, 1}, {&bare, 1}));
  contents.exports.push_back(FunctionExport("h", HAL_CALLING_CONVENTION_WRAPPER, {}, {}));
  contents.variants.push_back(
      {"host-shared-object", "x86_64", EntryPointsOf({"", "", "_mlir_ciface_h"}), std::as_bytes(std::span(kImage))});
  return contents;
}

ContainerContents CFunctionContents() {
  hal_value_type_t source = ValueOf(HAL_VALUE_KIND_POINTER, HAL_ELEMENT_TYPE_F32);
  source.access = HAL_BINDING_ACCESS_READ;
  hal_value_type_t size = ValueOf(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_UI32);
  size.role = HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_Z;
  hal_value_type_t none = ValueOf(HAL_VALUE_KIND_POINTER, HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 8));
  none.role = HAL_ARGUMENT_ROLE_NULL;
  hal_value_type_t buffer = RankedOf(HAL_ELEMENT_TYPE_UI8, kDynamicSizes);
  buffer.kind = HAL_VALUE_KIND_HALIDE_BUFFER;
  buffer.access = HAL_BINDING_ACCESS_WRITE;
  const hal_value_type_t arguments[] = {source, size, none, buffer,
                                        ValueOf(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_I64)};
  const hal_value_type_t result = ValueOf(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_F64);
  ContainerContents contents;
  contents.exports.push_back(FunctionExport("f", HAL_CALLING_CONVENTION_C_STATUS, arguments, {}));
  contents.exports.push_back(FunctionExport("g", HAL_CALLING_CONVENTION_C, {&source, 1}, {&result, 1}));
  contents.variants.push_back(
      {"host-shared-object", "x86_64", EntryPointsOf({"", "g_f32"}), std::as_bytes(std::span(kImage))});
  return contents;
}

}  // namespace halyard::testing
