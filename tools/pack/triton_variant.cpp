// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton_variant.h"

#include <algorithm>

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
    if (candidate.name == kernel.metadata.name) return candidate;
    names.emplace_back(candidate.name);
  }
  Fail(ExitCode::kInput, "'", image.origin, "' has no kernel '", kernel.metadata.name, "', which '", kernel.file,
       "' names; ", SuggestionText(kernel.metadata.name, names));
}

std::vector<uint32_t> SizesOf(const ReflectedKernel& told) {
  std::vector<uint32_t> sizes;
  for (const ReflectedParameter& parameter : told.parameters) {
    sizes.push_back(parameter.kind == HAL_PARAMETER_KIND_CONSTANT ? parameter.size : kPointerSize);
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
  if (told.is_workgroup_size_exact && told.workgroup_size) {
    const hal_dim3_t& size = *told.workgroup_size;
    if (size.x != metadata.workgroup_size || size.y != 1 || size.z != 1) {
      FailContradiction(kernel, path, "workgroups of", Concat(metadata.workgroup_size, " x 1 x 1"),
                        Concat("is compiled for ", text(size.x, size.y, size.z)));
    }
  }
  if (told.max_workgroup_volume && *told.max_workgroup_volume < metadata.workgroup_size) {
    FailContradiction(kernel, path, "workgroups of", Concat(metadata.workgroup_size, " x 1 x 1"),
                      Concat("is compiled for at most ", *told.max_workgroup_volume, " work-items"));
  }
  const std::array<uint32_t, 3>& cluster = metadata.cluster_size;
  const hal_dim3_t& own = told.cluster_size;
  if (own.x > 0 && (own.x != cluster[0] || own.y != cluster[1] || own.z != cluster[2])) {
    FailContradiction(kernel, path, "clusters of", text(cluster[0], cluster[1], cluster[2]),
                      Concat("is compiled for ", text(own.x, own.y, own.z)));
  }
}

LaunchFacts LaunchOf(const TritonMetadata& metadata, uint32_t declared_memory) {
  LaunchFacts launch;
  launch.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  if (metadata.is_cooperative) launch.flags |= HAL_EXPORT_COOPERATIVE;
  if (metadata.is_programmatic) launch.flags |= HAL_EXPORT_PROGRAMMATIC_LAUNCH;
  if (metadata.WorkgroupsPerProgram() > 1) {
    launch.cluster_size = {metadata.cluster_size[0], metadata.cluster_size[1], metadata.cluster_size[2]};
  }
  launch.subgroup_size = metadata.subgroup_size;
  // What an image declares, it has without a launch that gives it.
  if (declared_memory < metadata.local_memory_size) launch.dynamic_local_memory_size = metadata.local_memory_size;
  return launch;
}

std::string ObstacleOf(const std::vector<TritonParameter>& parameters) {
  const auto found = std::ranges::find(parameters, TritonParameterKind::kTensorMap, &TritonParameter::kind);
  if (found == parameters.end()) return {};
  return Concat("parameter '", found->name,
                "' is a tensor map (CUtensorMap), which no dispatch can give yet; make the descriptor in the kernel"
                " (tl.make_tensor_descriptor)");
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
  variant.target = told->target.empty() ? kernel.metadata.architecture : told->target;
  variant.isa_version = told->isa_version;
  variant.symbol = kernel.metadata.name;
  variant.workgroup_size = hal_dim3(kernel.metadata.workgroup_size, 1, 1);
  variant.local_memory_size = own.local_memory_size.value_or(0);
  variant.launch = LaunchOf(kernel.metadata, variant.local_memory_size);
  variant.parameters = TritonParameters(kernel, SizesOf(own));
  variant.obstacle = ObstacleOf(variant.parameters);
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
      case TritonParameterKind::kNumber:
      case TritonParameterKind::kTensorMap: {
        const uint64_t offset = PlaceOfConstant(end, parameter.size);
        parameters.push_back(hal_parameter_constant(static_cast<uint32_t>(offset), parameter.size));
        end = offset + parameter.size;
        break;
      }
    }
  }
  return parameters;
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
