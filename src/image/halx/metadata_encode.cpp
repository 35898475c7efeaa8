// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>

#include "executable_generated.h"
#include "function/c_types.h"
#include "function/fixed_sides.h"
#include "function/parameter_checks.h"
#include "image/halx/file_layout.h"
#include "image/halx/metadata.h"
#include "image/halx/metadata_signature.h"

namespace halyard {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Lets a builder take its memory where the library takes all of its own.
class BuilderAllocator final : public flatbuffers::Allocator {
 public:
  uint8_t* allocate(size_t size) override { return static_cast<uint8_t*>(HostAllocate(size, kAlignment)); }
  void deallocate(uint8_t* memory, size_t size) override { HostFree(memory, size, kAlignment); }

 private:
  static constexpr size_t kAlignment = alignof(std::max_align_t);
};

/// Texts that may be absent.
Offset<flatbuffers::String> EncodeText(FlatBufferBuilder& builder, std::string_view text) {
  return text.empty() ? Offset<flatbuffers::String>() : builder.CreateString(text.data(), text.size());
}

/// Makes a vector of tables, one for each element.
template <class Table, class List, class Encode>
Offset<flatbuffers::Vector<Offset<Table>>> EncodeList(FlatBufferBuilder& builder, const List& list, Encode&& encode) {
  HostVector<Offset<Table>> tables;
  tables.reserve(list.size());
  for (const auto& element : list) tables.push_back(encode(element));
  return builder.CreateVector(tables.data(), tables.size());
}

Offset<schemas::TensorMap> EncodeTensorMap(FlatBufferBuilder& builder, const hal_tensor_map_t& map) {
  const auto encode = [](const hal_tensor_number_t& number) {
    return schemas::TensorNumber(number.offset, number.size, number.value);
  };
  std::array<schemas::TensorNumber, HAL_TENSOR_MAP_MAX_RANK> sizes;
  std::array<schemas::TensorNumber, HAL_TENSOR_MAP_MAX_RANK> strides;
  std::transform(map.sizes, map.sizes + map.rank, sizes.begin(), encode);
  std::transform(map.strides, map.strides + map.rank, strides.begin(), encode);
  const auto box = builder.CreateVector(map.box, map.rank);
  const auto size_list = builder.CreateVectorOfStructs(sizes.data(), map.rank);
  const auto stride_list = builder.CreateVectorOfStructs(strides.data(), map.rank);
  return schemas::CreateTensorMap(builder, map.data_type, map.swizzle, map.l2_promotion, map.fill, box, size_list,
                                  stride_list);
}

/// @param map  NULL if the parameter is none
Offset<schemas::Parameter> EncodeParameter(FlatBufferBuilder& builder, const hal_parameter_t& parameter,
                                           const hal_parameter_info_t* info, const hal_tensor_map_t* map) {
  const auto name = EncodeText(builder, info ? View(info->name) : std::string_view());
  const auto tensor_map = map ? EncodeTensorMap(builder, *map) : Offset<schemas::TensorMap>();
  return schemas::CreateParameter(
      builder, static_cast<schemas::ParameterKind>(parameter.kind), parameter.offset, parameter.size, parameter.set,
      parameter.binding, static_cast<schemas::Access>(NamesBinding(parameter) ? parameter.access : 0), name,
      info ? info->element_type : 0, info && (info->flags & HAL_PARAMETER_GUESSED) != 0, tensor_map);
}

Offset<flatbuffers::Vector<Offset<schemas::Parameter>>> EncodeParameters(FlatBufferBuilder& builder,
                                                                         const HostVector<hal_parameter_t>& parameters,
                                                                         const HostVector<hal_parameter_info_t>& infos,
                                                                         const HostVector<hal_tensor_map_t>& maps) {
  size_t index = 0;
  size_t next_map = 0;
  return EncodeList<schemas::Parameter>(builder, parameters, [&](const hal_parameter_t& parameter) {
    const size_t i = index++;
    const bool is_map = parameter.kind == HAL_PARAMETER_KIND_TENSOR_MAP;
    return EncodeParameter(builder, parameter, infos.empty() ? nullptr : &infos[i],
                           is_map ? &maps[next_map++] : nullptr);
  });
}

schemas::Dim3 EncodeSize(const hal_dim3_t& size) { return {size.x, size.y, size.z}; }

Offset<schemas::Export> EncodeExport(FlatBufferBuilder& builder, const ContainerExport& info) {
  const auto name = EncodeText(builder, info.name);
  const auto parameters = EncodeParameters(builder, info.parameters, info.infos, info.tensor_maps);
  const schemas::Dim3 size = EncodeSize(info.workgroup_size);
  const auto signature = EncodeSignature(builder, info.signature.Get());
  return schemas::CreateExport(builder, name, &size, info.local_memory_size, info.constants_size, parameters,
                               signature);
}

/// Whether a launch has to heed something that older readers do not know. They may ignore flags that only let a device
/// tell of mistakes earlier, or let it begin earlier.
bool HasRules(const LaunchFacts& launch) {
  return (launch.flags & HAL_EXPORT_COOPERATIVE) != 0 || IsGiven(launch.workgroup_size) || launch.cluster_size.x > 0 ||
         launch.dynamic_local_memory_size > 0;
}

bool HasSubgroupRange(const LaunchFacts& launch) {
  return launch.min_subgroup_size > 0 || launch.max_subgroup_size > 0;
}

Offset<schemas::Launch> EncodeLaunch(FlatBufferBuilder& builder, const LaunchFacts& launch) {
  const bool has_numbers = launch.subgroup_size > 0 || launch.register_count > 0 || IsAnyFixed(launch.fixed_sides) ||
                           HasSubgroupRange(launch) || launch.max_workgroup_volume > 0 ||
                           IsAnyFixed(launch.side_constants);
  if (launch.flags == 0 && !HasRules(launch) && !has_numbers) return {};
  const schemas::Dim3 workgroup = EncodeSize(launch.workgroup_size);
  const schemas::Dim3 cluster = EncodeSize(launch.cluster_size);
  const schemas::Dim3 fixed = EncodeSize(launch.fixed_sides);
  const schemas::Dim3 constants = EncodeSize(launch.side_constants);
  return schemas::CreateLaunch(
      builder, static_cast<uint32_t>(launch.flags), IsGiven(launch.workgroup_size) ? &workgroup : nullptr,
      launch.cluster_size.x > 0 ? &cluster : nullptr, launch.dynamic_local_memory_size, launch.subgroup_size,
      launch.register_count, IsAnyFixed(launch.fixed_sides) ? &fixed : nullptr, launch.min_subgroup_size,
      launch.max_subgroup_size, launch.max_workgroup_volume, IsAnyFixed(launch.side_constants) ? &constants : nullptr);
}

Offset<schemas::EntryPoint> EncodeEntryPoint(FlatBufferBuilder& builder, const ContainerEntryPoint& entry_point,
                                             std::string_view name) {
  const bool as_exported = entry_point.symbol == name;
  const auto symbol = EncodeText(builder, as_exported ? std::string_view() : entry_point.symbol);
  const auto launch = EncodeLaunch(builder, entry_point.launch);
  const auto parameters = entry_point.parameters.empty()
                              ? Offset<flatbuffers::Vector<Offset<schemas::Parameter>>>()
                              : EncodeParameters(builder, entry_point.parameters, {}, entry_point.tensor_maps);
  return schemas::CreateEntryPoint(builder, symbol, launch, parameters);
}

/// Which exports a variant has; absent if all.
Offset<flatbuffers::Vector<uint32_t>> EncodeOrdinals(FlatBufferBuilder& builder, const ContainerVariant& variant,
                                                     size_t export_count) {
  if (variant.entry_points.size() == export_count) return {};
  HostVector<uint32_t> ordinals;
  ordinals.reserve(variant.entry_points.size());
  for (const ContainerEntryPoint& entry_point : variant.entry_points) ordinals.push_back(entry_point.ordinal);
  return builder.CreateVector(ordinals.data(), ordinals.size());
}

Offset<schemas::Variant> EncodeVariant(FlatBufferBuilder& builder, const ContainerContents& contents, size_t index,
                                       const ImagePlace& place) {
  const ContainerVariant& variant = contents.variants[index];
  const auto format = EncodeText(builder, variant.format);
  const auto target = EncodeText(builder, variant.target);
  const auto image = schemas::CreateImage(builder, place.offset, place.size, place.hash_low, place.hash_high);
  const auto entry_points =
      EncodeList<schemas::EntryPoint>(builder, variant.entry_points, [&](const ContainerEntryPoint& entry_point) {
        return EncodeEntryPoint(builder, entry_point, contents.exports[entry_point.ordinal].name);
      });
  const auto ordinals = EncodeOrdinals(builder, variant, contents.exports.size());
  return schemas::CreateVariant(builder, format, target, image, entry_points, ordinals, variant.isa_version);
}

bool HasOtherKinds(const HostVector<hal_parameter_t>& parameters) {
  return std::any_of(parameters.begin(), parameters.end(), [](const hal_parameter_t& parameter) {
    return parameter.kind != HAL_PARAMETER_KIND_BINDING && parameter.kind != HAL_PARAMETER_KIND_CONSTANT;
  });
}

/// Whether a reader of version 2 would do something wrong with a variant.
bool IsNew(const ContainerVariant& variant, size_t export_count) {
  return variant.entry_points.size() != export_count ||
         std::any_of(variant.entry_points.begin(), variant.entry_points.end(),
                     [](const ContainerEntryPoint& one) { return HasRules(one.launch) || !one.parameters.empty(); });
}

/// Whether a reader that knows no versions of instruction sets would take two variants for the same.
bool DifferByIsaAlone(const HostVector<ContainerVariant>& variants) {
  using Device = std::pair<std::string_view, std::string_view>;
  HostVector<Device> devices;
  for (const ContainerVariant& variant : variants) devices.emplace_back(variant.format, variant.target);
  std::sort(devices.begin(), devices.end());
  return std::adjacent_find(devices.begin(), devices.end()) != devices.end();
}

bool NeedsPartialImages(const ContainerContents& contents) {
  const size_t count = contents.exports.size();
  return std::any_of(contents.exports.begin(), contents.exports.end(),
                     [](const ContainerExport& info) { return HasOtherKinds(info.parameters); }) ||
         std::any_of(contents.variants.begin(), contents.variants.end(),
                     [&](const ContainerVariant& variant) { return IsNew(variant, count); }) ||
         DifferByIsaAlone(contents.variants);
}

/// The least that a reader must know so as not to do something wrong. One that ignores a signature would call the
/// function as a kernel.
uint32_t LeastVersion(const ContainerExport& info) {
  const hal_function_signature_t* const signature = info.signature.Get();
  if (!signature) return kVersionWithoutSignatures;
  return IsC(signature->convention) ? kVersionWithCFunctions : kVersionWithSignatures;
}

/// Whether older readers would run a kernel in subgroups that it is not made for. What is compiled for a machine has
/// its size.
bool NeedsSubgroups(const ContainerVariant& variant) {
  const bool is_for_any = variant.format == "spirv" || variant.format == "msl" || variant.format == "metallib";
  return std::any_of(variant.entry_points.begin(), variant.entry_points.end(), [&](const ContainerEntryPoint& one) {
    return HasSubgroupRange(one.launch) || (is_for_any && one.launch.subgroup_size > 0);
  });
}

uint32_t LeastVersion(const ContainerContents& contents) {
  if (std::any_of(contents.variants.begin(), contents.variants.end(), NeedsSubgroups)) return kVersionWithSubgroups;
  if (NeedsPartialImages(contents)) return kVersionWithPartialImages;
  uint32_t version = kVersionWithoutSignatures;
  for (const ContainerExport& info : contents.exports) version = std::max(version, LeastVersion(info));
  return version;
}

/// A lower bound of the metadata's size, to refuse absurd contents before they are built.
size_t LeastSize(const ContainerContents& contents) {
  constexpr size_t kTable = 8;  // the offset to it and that to its vtable
  size_t size = 0;
  for (const ContainerExport& info : contents.exports) {
    size += kTable + info.name.size() + kTable * info.parameters.size();
    if (const auto* signature = info.signature.Get()) {
      size += kTable * (size_t{signature->argument_count} + signature->result_count);
    }
  }
  for (const ContainerVariant& variant : contents.variants) {
    size += kTable + variant.format.size() + kTable * variant.entry_points.size();
  }
  return size;
}

Status CheckSize(size_t size) {
  if (size <= ContainerLimits::kMetadataSize) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "metadata: at least %zu bytes (names, parameters, symbols); at most %zu are "
              "possible",
              size, ContainerLimits::kMetadataSize);
}

}  // namespace

Status EncodeMetadata(const ContainerContents& contents, std::span<const ImagePlace> places, uint64_t file_size,
                      HostVector<std::byte>* out) {
  HAL_TRY(CheckSize(LeastSize(contents)));
  BuilderAllocator allocator;
  FlatBufferBuilder builder(1024, &allocator, /*own_allocator=*/false, kMetadataAlignment);
  const auto exports = EncodeList<schemas::Export>(
      builder, contents.exports, [&](const ContainerExport& info) { return EncodeExport(builder, info); });
  size_t index = 0;
  const auto variants = EncodeList<schemas::Variant>(builder, contents.variants, [&](const ContainerVariant&) {
    const size_t i = index++;
    return EncodeVariant(builder, contents, i, places[i]);
  });
  schemas::FinishSizePrefixedExecutableBuffer(
      builder, schemas::CreateExecutable(builder, LeastVersion(contents), file_size, exports, variants));
  HAL_TRY(CheckSize(builder.GetSize() - kSizePrefixSize));
  const auto* bytes = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  out->assign(bytes, bytes + builder.GetSize());
  return kOk;
}

}  // namespace halyard
