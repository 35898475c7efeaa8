// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_variant.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "function/tensor_map_checks.h"
#include "image/reflection/reflected_image.h"
#include "pack/image_reflection.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr uint32_t kPointerSize = 8;

const ReflectedKernel& FindKernel(const ImageReflection& image, const TritonKernel& kernel) {
  std::vector<std::string_view> names;
  for (const ReflectedKernel& candidate : image.kernels) {
    if (std::string_view(candidate.name) == kernel.metadata.name) return candidate;
    names.emplace_back(candidate.name);
  }
  Fail(ExitCode::kInput, "'", image.origin, "' has no kernel '", kernel.metadata.name, "', which '", kernel.file,
       "' names; ", SuggestionText(kernel.metadata.name, names));
}

std::vector<uint32_t> SizesOf(const ReflectedKernel& told) {
  std::vector<uint32_t> sizes;
  for (const ReflectedParameter& parameter : told.parameters) {
    sizes.push_back(parameter.value.kind == HAL_PARAMETER_KIND_CONSTANT ? parameter.value.size : kPointerSize);
  }
  return sizes;
}

[[noreturn]] void FailContradiction(const TritonKernel& kernel, const std::string& image, const char* what,
                                    const std::string& in_metadata, const std::string& in_image) {
  Fail(ExitCode::kInput, "'", kernel.file, "' says ", what, " ", in_metadata, ", but '", image, "' ", in_image);
}

// What the image is compiled for wins over no metadata: a launch that differs would fail or go wrong.
void CheckImage(const TritonKernel& kernel, const std::string& path, const ReflectedKernel& told) {
  const TritonMetadata& metadata = kernel.metadata;
  const auto text = [](const auto& x, const auto& y, const auto& z) { return Concat(x, " x ", y, " x ", z); };
  if (told.is_workgroup_size_exact) {
    const hal_dim3_t& size = told.workgroup_size;
    if (size.x != metadata.workgroup_size || size.y != 1 || size.z != 1) {
      FailContradiction(kernel, path, "workgroups of", Concat(metadata.workgroup_size, " x 1 x 1"),
                        Concat("is compiled for ", text(size.x, size.y, size.z)));
    }
  }
  if (told.max_workgroup_volume > 0 && told.max_workgroup_volume < metadata.workgroup_size) {
    FailContradiction(kernel, path, "workgroups of", Concat(metadata.workgroup_size, " x 1 x 1"),
                      Concat("is compiled for at most ", told.max_workgroup_volume, " work-items"));
  }
  const std::array<uint32_t, 3>& cluster = metadata.cluster_size;
  const hal_dim3_t& own = told.cluster_size;
  if (own.x > 0 && (own.x != cluster[0] || own.y != cluster[1] || own.z != cluster[2])) {
    FailContradiction(kernel, path, "clusters of", text(cluster[0], cluster[1], cluster[2]),
                      Concat("is compiled for ", text(own.x, own.y, own.z)));
  }
}

// What the image tells, and what its metadata says. Triton's launcher gives dynamic memory, so no dispatch has to.
LaunchFacts LaunchOf(const TritonMetadata& metadata, const ReflectedKernel& told, std::string_view format) {
  LaunchFacts launch = LaunchFactsOf(told, format);
  launch.flags &= ~HAL_EXPORT_NEEDS_LOCAL_MEMORY;
  launch.flags |= HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  if (metadata.is_cooperative) launch.flags |= HAL_EXPORT_COOPERATIVE;
  if (metadata.is_programmatic) launch.flags |= HAL_EXPORT_PROGRAMMATIC_LAUNCH;
  if (metadata.WorkgroupsPerProgram() > 1) {
    launch.cluster_size = {metadata.cluster_size[0], metadata.cluster_size[1], metadata.cluster_size[2]};
  }
  launch.subgroup_size = metadata.subgroup_size;
  // What an image declares, it has without a launch that gives it.
  if (told.local_memory_size < metadata.local_memory_size)
    launch.dynamic_local_memory_size = metadata.local_memory_size;
  return launch;
}

// Whether the sizes (32 bits each) and the strides (64 bits each) of a tensor stand behind its map.
bool HasShapeBehind(std::span<const TritonParameter> behind, size_t rank) {
  if (behind.size() < 2 * rank) return false;
  for (size_t i = 0; i < 2 * rank; ++i) {
    if (behind[i].kind != TritonParameterKind::kNumber || behind[i].element != (i < rank ? "i32" : "i64")) return false;
  }
  return true;
}

// Why no dispatch can give a map; empty if one can.
const char* ObstacleOf(const TritonTensorMap& map, std::span<const TritonParameter> from) {
  if (map.is_im2col) return "in the form im2col, which no dispatch can give";
  if (map.is_fp4_padded || TensorElementSize(map.element_type) != map.element_size) {
    return "of elements that are no whole bytes, which no dispatch can give";
  }
  if (map.box.size() != from.front().block.size() || !HasShapeBehind(from.subspan(1), map.box.size())) {
    return "without the sizes and strides of its tensor behind it, which a dispatch needs";
  }
  return "";
}

std::string ObstacleOf(std::span<const TritonParameter> parameters, const std::vector<TritonTensorMap>& maps) {
  size_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != TritonParameterKind::kTensorMap) continue;
    const std::string_view obstacle = ObstacleOf(maps[next++], parameters.subspan(i));
    if (obstacle.empty()) continue;
    return Concat("parameter '", parameters[i].name, "' is a tensor map (CUtensorMap) ", obstacle,
                  "; make the descriptor in the kernel (tl.make_tensor_descriptor)");
  }
  return {};
}

hal_tensor_map_t TensorMapOf(const TritonTensorMap& map, std::span<const hal_parameter_t> behind) {
  hal_tensor_map_t result = {};
  result.data_type = map.element_type;
  result.swizzle = map.swizzle;
  result.l2_promotion = HAL_TENSOR_L2_PROMOTION_128_BYTES;  // as Triton's launcher has it
  result.rank = static_cast<uint32_t>(map.box.size());
  std::ranges::copy(map.box, result.box);
  for (uint32_t i = 0; i < result.rank; ++i) {
    result.sizes[i] = {behind[i].offset, behind[i].size, 0};
    result.strides[i] = {behind[result.rank + i].offset, behind[result.rank + i].size, 0};
  }
  return result;
}

hal_parameter_t ScratchOf(const TritonScratch& scratch) {
  hal_parameter_t parameter = {};
  parameter.kind = HAL_PARAMETER_KIND_NULL;
  if (scratch.size == 0) return parameter;
  parameter.kind = HAL_PARAMETER_KIND_SCRATCH;
  parameter.size = static_cast<uint32_t>(scratch.size);
  parameter.offset = scratch.alignment;
  return parameter;
}

hal_element_type_t ElementOf(const TritonParameter& parameter) {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  // Triton has types without a counterpart, as pointers to pointers.
  return hal_element_type_parse(ToC(parameter.element), &type) == HAL_STATUS_OK ? type : HAL_ELEMENT_TYPE_NONE;
}

}  // namespace

TritonVariant ReadTritonVariant(const TritonKernel& kernel, const TritonImage& image) {
  TritonVariant variant;
  variant.bytes = ReadFile(image.path);
  const std::optional<ImageReflection> told = ReflectImage(image.path, image.format, variant.bytes);
  if (!told) Fail(ExitCode::kInput, "'", image.path, "' does not tell what it has");
  const ReflectedKernel& own = FindKernel(*told, kernel);
  CheckImage(kernel, image.path, own);
  variant.format = image.format;
  variant.target = told->target.empty() ? kernel.metadata.architecture : std::string(told->target);
  variant.isa_version = told->isa_version;
  variant.symbol = kernel.metadata.name;
  variant.workgroup_size = hal_dim3(kernel.metadata.workgroup_size, 1, 1);
  variant.local_memory_size = own.local_memory_size;
  variant.launch = LaunchOf(kernel.metadata, own, image.format);
  variant.parameters = TritonParameters(kernel, SizesOf(own));
  variant.tensor_maps = kernel.metadata.tensor_maps;
  variant.obstacle = ObstacleOf(variant.parameters, variant.tensor_maps);
  variant.global_scratch = kernel.metadata.global_scratch;
  variant.profile_scratch = kernel.metadata.profile_scratch;
  return variant;
}

HostVector<hal_parameter_t> ContainerParametersOf(const TritonVariant& variant) {
  HostVector<hal_parameter_t> parameters;
  uint32_t bindings = 0;
  uint64_t end = 0;
  for (const TritonParameter& parameter : variant.parameters) {
    switch (parameter.kind) {
      case TritonParameterKind::kPointer:
        parameters.push_back(hal_parameter_binding(bindings++, HAL_BINDING_ACCESS_READ_WRITE));
        break;
      case TritonParameterKind::kGlobalScratch:
        parameters.push_back(ScratchOf(variant.global_scratch));
        break;
      case TritonParameterKind::kProfileScratch:
        parameters.push_back(ScratchOf(variant.profile_scratch));
        break;
      case TritonParameterKind::kTensorMap:
        parameters.push_back(hal_parameter_binding(bindings++, HAL_BINDING_ACCESS_READ_WRITE));
        parameters.back().kind = HAL_PARAMETER_KIND_TENSOR_MAP;
        break;
      case TritonParameterKind::kNumber: {
        const uint64_t offset = PlaceOfConstant(end, parameter.size);
        parameters.push_back(hal_parameter_constant(static_cast<uint32_t>(offset), parameter.size));
        end = offset + parameter.size;
        break;
      }
    }
  }
  return parameters;
}

HostVector<hal_tensor_map_t> ContainerTensorMapsOf(const TritonVariant& variant,
                                                   const HostVector<hal_parameter_t>& parameters) {
  HostVector<hal_tensor_map_t> maps;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != HAL_PARAMETER_KIND_TENSOR_MAP) continue;
    maps.push_back(TensorMapOf(variant.tensor_maps[maps.size()], std::span(parameters).subspan(i + 1)));
  }
  return maps;
}

HostVector<hal_parameter_info_t> ParameterInfosOf(const TritonVariant& variant) {
  HostVector<hal_parameter_info_t> infos;
  for (const TritonParameter& parameter : variant.parameters) {
    infos.push_back({ToC(parameter.name), ElementOf(parameter), 0});
  }
  return infos;
}

uint32_t ConstantsSizeOf(const HostVector<hal_parameter_t>& parameters) {
  uint32_t size = 0;
  for (const hal_parameter_t& parameter : parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) size = std::max(size, parameter.offset + parameter.size);
  }
  return size;
}

}  // namespace halyard::tools
