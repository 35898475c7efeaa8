// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/container_contents.h"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <utility>

#include "base/text/text_checks.h"

namespace halyard {
namespace {

using Bad = hal_status_t;  // what a failed check answers

/// Puts `exports[2].` before the message of a failure.
Status InElement(Status status, const char* list, size_t index) {
  if (status == kOk) return status;
  char prefix[64];
  std::snprintf(prefix, sizeof(prefix), "%s[%zu].", list, index);
  return Annotate(status, prefix);
}

Status CheckCount(Bad bad, const char* list, size_t count, size_t least, size_t most) {
  if (count >= least && count <= most) return kOk;
  return Fail(bad, "%s: there are %zu; at least %zu and at most %zu are possible", list, count, least, most);
}

Status CheckWorkgroup(Bad bad, const hal_dim3_t& size) {
  if (size.x == 0 && size.y <= 1 && size.z <= 1) return kOk;  // the dispatch says
  if (size.x > 0 && size.y > 0 && size.z > 0) return kOk;
  return Fail(bad,
              "workgroup_size: (%u, %u, %u) has a 0; only x may be 0, with y and z at most 1, if the dispatch says",
              size.x, size.y, size.z);
}

Status CheckMost(Bad bad, const char* field, uint32_t amount, uint32_t most) {
  if (amount <= most) return kOk;
  return Fail(bad, "%s: %u bytes; at most %u are possible", field, amount, most);
}

Status CheckBinding(Bad bad, const hal_parameter_t& parameter) {
  if (parameter.offset != 0 || parameter.size != 0) {
    return Fail(bad, "offset: a binding has offset 0 and size 0, not %u and %u", parameter.offset, parameter.size);
  }
  if (parameter.set >= ContainerLimits::kSets) {
    return Fail(bad, "set: %u; at most %u sets are possible", parameter.set, ContainerLimits::kSets);
  }
  if (static_cast<uint32_t>(parameter.access) <= HAL_BINDING_ACCESS_WRITE) return kOk;
  return Fail(bad, "access: %u is unknown", static_cast<unsigned>(parameter.access));
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
    default:
      return Fail(bad, "kind: %u is unknown", static_cast<unsigned>(parameter.kind));
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

Status CheckExport(Bad bad, const ContainerExport& info) {
  HAL_TRY(CheckText(bad, "name", info.name, ContainerLimits::kNameSize));
  HAL_TRY(CheckWorkgroup(bad, info.workgroup_size));
  HAL_TRY(CheckMost(bad, "local_memory_size", info.local_memory_size, ContainerLimits::kLocalMemorySize));
  HAL_TRY(CheckMost(bad, "constants_size", info.constants_size, ContainerLimits::kConstantsSize));
  HAL_TRY(CheckCount(bad, "parameters", info.parameters.size(), 0, ContainerLimits::kParameters));
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const Status status = CheckParameter(bad, info.parameters[i], info.constants_size);
    if (status != kOk) return InElement(status, "parameters", i);
  }
  HAL_TRY(CheckBindingsUnique(bad, info.parameters));
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

Status CheckSymbols(Bad bad, const HostVector<std::string_view>& symbols, size_t export_count) {
  if (symbols.size() != export_count) {
    return Fail(bad, "symbols: there are %zu for %zu exports", symbols.size(), export_count);
  }
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].empty()) continue;
    if (CheckText(bad, "", symbols[i], ContainerLimits::kNameSize) == kOk) continue;
    char prefix[48];
    std::snprintf(prefix, sizeof(prefix), "symbols[%zu]", i);
    return Annotate(bad, prefix);
  }
  return kOk;
}

Status CheckVariant(Bad bad, const ContainerVariant& variant, size_t export_count) {
  HAL_TRY(CheckToken(bad, "format", variant.format, ContainerLimits::kTokenSize));
  if (variant.format == HAL_EXECUTABLE_FORMAT_CONTAINER) {
    return FailWith(bad, "format: 'halx' is the format of whole files, not of an image in one");
  }
  if (!variant.target.empty()) {
    HAL_TRY(CheckToken(bad, "target", variant.target, ContainerLimits::kTokenSize));
  }
  if (variant.image.empty()) return FailWith(bad, "image: is empty");
  return CheckSymbols(bad, variant.symbols, export_count);
}

Status CheckVariantsUnique(Bad bad, const HostVector<ContainerVariant>& variants) {
  using Device = std::pair<std::string_view, std::string_view>;
  HostVector<std::pair<Device, size_t>> devices;
  devices.reserve(variants.size());
  for (const ContainerVariant& variant : variants) {
    devices.emplace_back(Device(variant.format, variant.target), devices.size());
  }
  const auto [second, first] = FindTwice(std::move(devices));
  if (second == first) return kOk;
  return Fail(bad, "variants[%zu]: format '%.*s' for target '%.*s' is variants[%zu] already", second,
              HALYARD_SV(variants[second].format), HALYARD_SV(variants[second].target), first);
}

}  // namespace

Status CheckContents(const ContainerContents& contents, hal_status_t failure) {
  const auto& [exports, variants] = contents;
  HAL_TRY(CheckCount(failure, "exports", exports.size(), 1, ContainerLimits::kExports));
  for (size_t i = 0; i < exports.size(); ++i) {
    if (Status status = CheckExport(failure, exports[i]); status != kOk) return InElement(status, "exports", i);
  }
  HAL_TRY(CheckNamesUnique(failure, exports));
  HAL_TRY(CheckCount(failure, "variants", variants.size(), 1, ContainerLimits::kVariants));
  for (size_t i = 0; i < variants.size(); ++i) {
    const Status status = CheckVariant(failure, variants[i], exports.size());
    if (status != kOk) return InElement(status, "variants", i);
  }
  return CheckVariantsUnique(failure, variants);
}

}  // namespace halyard
