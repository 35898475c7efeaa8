// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/container_contents.h"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <utility>

#include "base/text/text_checks.h"
#include "function/fixed_sides.h"
#include "function/parameter_checks.h"
#include "function/subgroup_sizes.h"
#include "function/tensor_map_checks.h"

namespace halyard {
namespace {

using Bad = hal_status_t;  // what a failed check answers

Status CheckWorkgroup(Bad bad, const hal_dim3_t& size) {
  if (size.x == 0 && size.y == 1 && size.z == 1) return kOk;  // the dispatch says
  if (size.x == 0 && size.y == 0 && size.z == 0) return kOk;
  if (size.x > 0 && size.y > 0 && size.z > 0) return kOk;
  return Fail(bad,
              "workgroup_size: (%u, %u, %u) has a 0; only x may be 0, with y and z at most 1, if the dispatch says",
              size.x, size.y, size.z);
}

Status CheckMost(Bad bad, const char* field, uint32_t amount, uint32_t most) {
  if (amount <= most) return kOk;
  return Fail(bad, "%s: %u bytes; at most %u are possible", field, amount, most);
}

Status CheckPlaceOfBinding(Bad bad, const hal_parameter_t& parameter) {
  if (parameter.set >= ContainerLimits::kSets) {
    return Fail(bad, "set: %u; at most %u sets are possible", parameter.set, ContainerLimits::kSets);
  }
  if (static_cast<uint32_t>(parameter.access) <= HAL_BINDING_ACCESS_WRITE) return kOk;
  return Fail(bad, "access: %u is unknown", static_cast<unsigned>(parameter.access));
}

Status CheckBinding(Bad bad, const hal_parameter_t& parameter) {
  if (parameter.offset != 0 || parameter.size != 0) {
    return Fail(bad, "offset: a binding has offset 0 and size 0, not %u and %u", parameter.offset, parameter.size);
  }
  return CheckPlaceOfBinding(bad, parameter);
}

Status CheckConstant(Bad bad, const hal_parameter_t& parameter, uint32_t constants_size) {
  if (parameter.set != 0 || parameter.binding != 0) {
    return Fail(bad, "set: a constant has set 0 and binding 0, not %u and %u", parameter.set, parameter.binding);
  }
  if (parameter.size == 0) return FailWith(bad, "size: a constant of 0 bytes");
  if (parameter.offset <= constants_size && parameter.size <= constants_size - parameter.offset) return kOk;
  return Fail(bad, "offset: %u + size %u exceeds constants_size, which is %u", parameter.offset, parameter.size,
              constants_size);
}

Status CheckParameter(Bad bad, const hal_parameter_t& parameter, uint32_t constants_size) {
  switch (parameter.kind) {
    case HAL_PARAMETER_KIND_BINDING:
      return CheckBinding(bad, parameter);
    case HAL_PARAMETER_KIND_CONSTANT:
      return CheckConstant(bad, parameter, constants_size);
    case HAL_PARAMETER_KIND_BINDING_ADDRESS:
    case HAL_PARAMETER_KIND_TENSOR_MAP:
      HAL_TRY(CheckPlaceOfBinding(bad, parameter));
      [[fallthrough]];
    default:
      return CheckOtherParameter(parameter, constants_size, bad);
  }
}

/// The index of an element that equals an earlier one, and that one's; equal indices if there is none.
template <class Key>
std::pair<size_t, size_t> FindTwice(HostVector<std::pair<Key, size_t>> keys) {
  std::sort(keys.begin(), keys.end());
  const auto twice =
      std::adjacent_find(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == keys.end()) return {0, 0};
  return {std::next(twice)->second, twice->second};
}

Status CheckBindingsUnique(Bad bad, const HostVector<hal_parameter_t>& parameters) {
  using Numbers = std::pair<uint32_t, uint32_t>;
  HostVector<std::pair<Numbers, size_t>> bindings;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != HAL_PARAMETER_KIND_BINDING) continue;
    bindings.emplace_back(Numbers(parameters[i].set, parameters[i].binding), i);
  }
  const auto [second, first] = FindTwice(std::move(bindings));
  if (second == first) return kOk;
  return Fail(bad, "parameters[%zu]: binding %u of set %u is parameters[%zu] already", second,
              parameters[second].binding, parameters[second].set, first);
}

Status CheckSignatureOf(Bad bad, const ContainerExport& info) {
  const hal_function_signature_t* const signature = info.signature.Get();
  if (!signature) return kOk;
  if (Status status = CheckSignature(*signature, bad); status != kOk) return Annotate(status, "signature.");
  return CheckParametersFollow(*signature, info.parameters, info.constants_size, bad);
}

Status CheckParameters(Bad bad, const HostVector<hal_parameter_t>& parameters, const HostVector<hal_tensor_map_t>& maps,
                       uint32_t constants_size) {
  HAL_TRY(CheckCount(bad, "parameters", parameters.size(), 0, ContainerLimits::kParameters));
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Status status = CheckParameter(bad, parameters[i], constants_size);
    if (status != kOk) return InElement(status, "parameters", i);
  }
  HAL_TRY(CheckBindingsUnique(bad, parameters));
  HAL_TRY(CheckTensorMaps(maps, parameters, constants_size, bad));
  return CheckAddressPlaces(parameters, bad);
}

Status CheckInfos(Bad bad, const ContainerExport& info) {
  if (info.infos.empty()) return kOk;
  if (info.infos.size() != info.parameters.size()) {
    return Fail(bad, "infos: there are %zu for %zu parameters", info.infos.size(), info.parameters.size());
  }
  for (size_t i = 0; i < info.infos.size(); ++i) {
    if (info.infos[i].name.size == 0) continue;
    const Status status = CheckText(bad, "name", View(info.infos[i].name), ContainerLimits::kNameSize);
    if (status != kOk) return InElement(status, "parameters", i);
  }
  return kOk;
}

Status CheckExport(Bad bad, const ContainerExport& info) {
  HAL_TRY(CheckText(bad, "name", info.name, ContainerLimits::kNameSize));
  HAL_TRY(CheckWorkgroup(bad, info.workgroup_size));
  HAL_TRY(CheckMost(bad, "local_memory_size", info.local_memory_size, ContainerLimits::kLocalMemorySize));
  HAL_TRY(CheckMost(bad, "constants_size", info.constants_size, ContainerLimits::kConstantsSize));
  HAL_TRY(CheckParameters(bad, info.parameters, info.tensor_maps, info.constants_size));
  HAL_TRY(CheckInfos(bad, info));
  return CheckSignatureOf(bad, info);
}

Status CheckNamesUnique(Bad bad, const HostVector<ContainerExport>& exports) {
  HostVector<std::pair<std::string_view, size_t>> names;
  names.reserve(exports.size());
  for (const ContainerExport& info : exports) names.emplace_back(info.name, names.size());
  const auto [second, first] = FindTwice(std::move(names));
  if (second == first) return kOk;
  return Fail(bad, "exports[%zu].name: '%.*s' is the name of exports[%zu] already", second,
              HALYARD_SV(exports[second].name), first);
}

bool IsAbsent(const hal_dim3_t& size) { return size.x == 0 && size.y == 0 && size.z == 0; }

Status CheckCluster(Bad bad, const hal_dim3_t& size) {
  if (IsAbsent(size) || (size.x > 0 && size.y > 0 && size.z > 0)) return kOk;
  return Fail(bad, "cluster_size: (%u, %u, %u) has a 0", size.x, size.y, size.z);
}

Status CheckFixedSides(Bad bad, const LaunchFacts& launch, const ContainerExport& info) {
  const hal_dim3_t& fixed = launch.fixed_sides;
  const hal_dim3_t& size = IsGiven(launch.workgroup_size) ? launch.workgroup_size : info.workgroup_size;
  if (size.x == 0 || HasFixedSides(size, fixed)) return kOk;
  return Fail(bad, "fixed_sides: (%u, %u, %u), but workgroups have (%u, %u, %u) work-items", fixed.x, fixed.y, fixed.z,
              size.x, size.y, size.z);
}

Status CheckLaunch(Bad bad, const LaunchFacts& launch, const ContainerExport& info) {
  if (const hal_export_flags_t unknown = launch.flags & ~kKnownExportFlags; unknown != 0) {
    return Fail(bad, "flags: 0x%llx is unknown", static_cast<unsigned long long>(unknown));
  }
  if (!IsAbsent(launch.workgroup_size)) HAL_TRY(CheckWorkgroup(bad, launch.workgroup_size));
  HAL_TRY(CheckCluster(bad, launch.cluster_size));
  HAL_TRY(CheckFixedSides(bad, launch, info));
  HAL_TRY(CheckSubgroupBounds(launch.subgroup_size, launch.min_subgroup_size, launch.max_subgroup_size, bad));
  return CheckMost(bad, "dynamic_local_memory_size", launch.dynamic_local_memory_size,
                   ContainerLimits::kLocalMemorySize);
}

/// The numbers of the bindings that parameters name, each once.
HostVector<std::pair<uint32_t, uint32_t>> BindingNumbers(const HostVector<hal_parameter_t>& parameters) {
  HostVector<std::pair<uint32_t, uint32_t>> numbers;
  for (const hal_parameter_t& parameter : parameters) {
    if (NamesBinding(parameter)) numbers.emplace_back(parameter.set, parameter.binding);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// A dispatch is the same on every device, so an image may take bindings and constants in another way, but no others.
Status CheckOwnParameters(Bad bad, const ContainerEntryPoint& entry_point, const ContainerExport& info) {
  if (entry_point.parameters.empty()) return CheckTensorMaps(entry_point.tensor_maps, {}, 0, bad);
  if (info.signature.Get()) return FailWith(bad, "parameters: the export has a signature, from which they follow");
  HAL_TRY(CheckParameters(bad, entry_point.parameters, entry_point.tensor_maps, info.constants_size));
  if (BindingNumbers(entry_point.parameters) == BindingNumbers(info.parameters)) return kOk;
  return FailWith(bad, "parameters: they have other bindings than those of the export");
}

Status CheckEntryPoint(Bad bad, const ContainerEntryPoint& entry_point, const HostVector<ContainerExport>& exports) {
  if (entry_point.ordinal >= exports.size()) {
    return Fail(bad, "export: %u, of %zu exports", entry_point.ordinal, exports.size());
  }
  if (!entry_point.symbol.empty()) HAL_TRY(CheckText(bad, "symbol", entry_point.symbol, ContainerLimits::kNameSize));
  const ContainerExport& info = exports[entry_point.ordinal];
  if (Status status = CheckLaunch(bad, entry_point.launch, info); status != kOk) return Annotate(status, "launch.");
  return CheckOwnParameters(bad, entry_point, info);
}

Status CheckEntryPoints(Bad bad, const HostVector<ContainerEntryPoint>& entry_points,
                        const HostVector<ContainerExport>& exports) {
  HAL_TRY(CheckCount(bad, "entry_points", entry_points.size(), 1, exports.size()));
  for (size_t i = 0; i < entry_points.size(); ++i) {
    const Status status = CheckEntryPoint(bad, entry_points[i], exports);
    if (status != kOk) return InElement(status, "entry_points", i);
    if (i == 0 || entry_points[i - 1].ordinal < entry_points[i].ordinal) continue;
    return Fail(bad, "entry_points[%zu]: of exports[%u], behind one of exports[%u]; they must be in rising order", i,
                entry_points[i].ordinal, entry_points[i - 1].ordinal);
  }
  return kOk;
}

Status CheckVariant(Bad bad, const ContainerVariant& variant, const HostVector<ContainerExport>& exports) {
  HAL_TRY(CheckToken(bad, "format", variant.format, ContainerLimits::kTokenSize));
  if (variant.format == HAL_EXECUTABLE_FORMAT_CONTAINER) {
    return FailWith(bad, "format: 'halx' is the format of whole files, not of an image in one");
  }
  if (!variant.target.empty()) HAL_TRY(CheckToken(bad, "target", variant.target, ContainerLimits::kTokenSize));
  if (variant.image.empty()) return FailWith(bad, "image: is empty");
  return CheckEntryPoints(bad, variant.entry_points, exports);
}

/// An export has one entry point for each kind of device.
Status CheckVariantsUnique(Bad bad, const ContainerContents& contents) {
  using Key = std::tuple<uint32_t, std::string_view, std::string_view, uint32_t>;
  const auto& variants = contents.variants;
  HostVector<std::pair<Key, size_t>> keys;
  for (size_t i = 0; i < variants.size(); ++i) {
    for (const ContainerEntryPoint& entry_point : variants[i].entry_points) {
      keys.emplace_back(Key(entry_point.ordinal, variants[i].format, variants[i].target, variants[i].isa_version), i);
    }
  }
  const auto [second, first] = FindTwice(std::move(keys));
  if (second == first) return kOk;
  return Fail(bad, "variants[%zu]: format '%.*s' for target '%.*s' is variants[%zu] already", second,
              HALYARD_SV(variants[second].format), HALYARD_SV(variants[second].target), first);
}

Status CheckAllEntryPoints(Bad bad, const ContainerContents& contents) {
  size_t count = 0;
  HostVector<bool> found(contents.exports.size());
  for (const ContainerVariant& variant : contents.variants) {
    count += variant.entry_points.size();
    for (const ContainerEntryPoint& entry_point : variant.entry_points) found[entry_point.ordinal] = true;
  }
  HAL_TRY(CheckCount(bad, "entry points of all variants", count, 1, ContainerLimits::kEntryPoints));
  const auto missing = std::find(found.begin(), found.end(), false);
  if (missing == found.end()) return kOk;
  const auto ordinal = static_cast<size_t>(missing - found.begin());
  return Fail(bad, "exports[%zu]: '%.*s' is in none of the variants", ordinal,
              HALYARD_SV(contents.exports[ordinal].name));
}

}  // namespace

Status CheckCount(hal_status_t failure, const char* list, size_t count, size_t least, size_t most) {
  if (count >= least && count <= most) return kOk;
  return Fail(failure, "%s: there are %zu; at least %zu and at most %zu are possible", list, count, least, most);
}

Status InElement(Status status, const char* list, size_t index) {
  if (status == kOk) return status;
  char prefix[64];
  std::snprintf(prefix, sizeof(prefix), "%s[%zu].", list, index);
  return Annotate(status, prefix);
}

const ContainerEntryPoint* ContainerVariant::Find(uint32_t ordinal) const {
  const auto found = std::lower_bound(entry_points.begin(), entry_points.end(), ordinal,
                                      [](const ContainerEntryPoint& one, uint32_t o) { return one.ordinal < o; });
  return found != entry_points.end() && found->ordinal == ordinal ? &*found : nullptr;
}

Status CheckContents(const ContainerContents& contents, hal_status_t failure) {
  const auto& [exports, variants] = contents;
  HAL_TRY(CheckCount(failure, "exports", exports.size(), 1, ContainerLimits::kExports));
  for (size_t i = 0; i < exports.size(); ++i) {
    if (Status status = CheckExport(failure, exports[i]); status != kOk) return InElement(status, "exports", i);
  }
  HAL_TRY(CheckNamesUnique(failure, exports));
  HAL_TRY(CheckCount(failure, "variants", variants.size(), 1, ContainerLimits::kVariants));
  for (size_t i = 0; i < variants.size(); ++i) {
    const Status status = CheckVariant(failure, variants[i], exports);
    if (status != kOk) return InElement(status, "variants", i);
  }
  HAL_TRY(CheckAllEntryPoints(failure, contents));
  return CheckVariantsUnique(failure, contents);
}

}  // namespace halyard
