// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partial_contents.h"

#include "support/entry_points.h"

namespace halyard::testing {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// A tensor of two dimensions, whose sizes are constants and whose rows have 64 elements.
hal_tensor_map_t HalfMap() {
  hal_tensor_map_t map = {};
  map.data_type = HAL_TENSOR_DATA_TYPE_FLOAT16;
  map.swizzle = HAL_TENSOR_SWIZZLE_128_BYTES;
  map.l2_promotion = HAL_TENSOR_L2_PROMOTION_128_BYTES;
  map.fill = HAL_TENSOR_FILL_NAN;
  map.rank = 2;
  map.box[0] = 16;
  map.box[1] = 64;
  map.sizes[0] = {0, 4, 0};
  map.sizes[1] = {8, 8, 0};
  map.strides[0] = {0, 0, 64};
  map.strides[1] = {0, 0, 1};
  return map;
}

ContainerExport AddExport() {
  ContainerExport info;
  info.name = "add";
  info.workgroup_size = {0, 1, 1};
  info.constants_size = 32;
  hal_parameter_t scratch = hal_parameter_constant(128, 4096);
  scratch.kind = HAL_PARAMETER_KIND_SCRATCH;
  hal_parameter_t null = hal_parameter_constant(0, 0);
  null.kind = HAL_PARAMETER_KIND_NULL;
  hal_parameter_t address = hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE);
  address.kind = HAL_PARAMETER_KIND_BINDING_ADDRESS;
  address.offset = 16;
  hal_parameter_t map = hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE);
  map.kind = HAL_PARAMETER_KIND_TENSOR_MAP;
  info.parameters = {
      hal_parameter_binding(0, HAL_BINDING_ACCESS_READ), hal_parameter_constant(0, 32), address, scratch, null, map};
  info.tensor_maps = {HalfMap()};
  info.infos = {{HAL_STRING_LITERAL("x_ptr"), HAL_ELEMENT_TYPE_F32, 0},
                {HAL_STRING_LITERAL("view"), HAL_ELEMENT_TYPE_NONE, 0},
                {HAL_STRING_LITERAL(""), HAL_ELEMENT_TYPE_NONE, HAL_PARAMETER_GUESSED},
                {HAL_STRING_LITERAL(""), HAL_ELEMENT_TYPE_NONE, 0},
                {HAL_STRING_LITERAL(""), HAL_ELEMENT_TYPE_NONE, 0},
                {HAL_STRING_LITERAL("out"), HAL_ELEMENT_TYPE_F16, 0}};
  return info;
}

}  // namespace

ContainerContents PartialContents() {
  ContainerContents contents;
  contents.exports.push_back(AddExport());
  contents.exports.emplace_back().name = "softmax";
  contents.variants.resize(4);
  contents.variants[0] = {"cubin", "sm_90", EntryPointsOf({"add_0d1d", "softmax_kernel"}), Bytes(kDeviceImage)};
  LaunchFacts& launch = contents.variants[0].entry_points[0].launch;
  launch.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE | HAL_EXPORT_COOPERATIVE;
  launch.workgroup_size = {128, 1, 1};
  launch.cluster_size = {2, 1, 1};
  launch.dynamic_local_memory_size = 98304;
  launch.subgroup_size = 32;
  launch.register_count = 40;
  contents.variants[0].entry_points[1].launch.fixed_sides = {0, 1, 1};
  contents.variants[1] = {"ptx", "sm_90", EntryPointsOf({""}), Bytes(kHostImage), 94};
  contents.variants[2] = {"ptx", "sm_90", EntryPointsOf({""}), Bytes(kDeviceImage), 80};
  contents.variants[3] = {"hsaco", "gfx942", EntryPointsOf({""}), Bytes(kDeviceImage)};
  contents.variants[3].entry_points[0].ordinal = 1;
  contents.variants[2].entry_points[0].parameters = {hal_parameter_constant(0, 32),
                                                     hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE),
                                                     hal_parameter_binding(0, HAL_BINDING_ACCESS_READ)};
  return contents;
}

}  // namespace halyard::testing
