// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/executable/export_table.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <tuple>
#include <utility>

#include "driver_kit/device/limit_checks.h"
#include "driver_kit/executable/pipeline_layout.h"
#include "function/fixed_sides.h"
#include "function/parameter_checks.h"
#include "function/subgroup_sizes.h"
#include "function/tensor_map_checks.h"

namespace halyard {
namespace {

/// A binding of an export, by the two numbers that it is named with.
struct Binding {
  uint32_t set;
  uint32_t binding;
  hal_binding_access_t access;

  bool SameNumbers(const Binding& other) const { return set == other.set && binding == other.binding; }
  bool operator<(const Binding& other) const { return std::tie(set, binding) < std::tie(other.set, other.binding); }
};

std::span<const hal_parameter_t> Parameters(const hal_export_info_t& info) {
  return {info.parameters, info.parameters ? info.parameter_count : 0};
}

std::span<const hal_tensor_map_t> TensorMaps(const hal_export_info_t& info) {
  return {info.tensor_maps, info.tensor_map_count};
}

/// What several parameters do with one binding.
hal_binding_access_t Both(hal_binding_access_t a, hal_binding_access_t b) {
  return a == b ? a : HAL_BINDING_ACCESS_READ_WRITE;
}

/// The bindings that the parameters name, in flat order, each once.
HostVector<Binding> BindingsOf(std::span<const hal_parameter_t> parameters) {
  HostVector<Binding> all;
  for (const hal_parameter_t& parameter : parameters) {
    if (NamesBinding(parameter)) all.push_back({parameter.set, parameter.binding, parameter.access});
  }
  std::sort(all.begin(), all.end());
  HostVector<Binding> bindings;
  for (const Binding& binding : all) {
    if (bindings.empty() || !bindings.back().SameNumbers(binding)) {
      bindings.push_back(binding);
    } else {
      bindings.back().access = Both(bindings.back().access, binding.access);
    }
  }
  return bindings;
}

/// The bindings of a layout, in flat order.
HostVector<Binding> BindingsOf(const PipelineLayout& layout) {
  HostVector<Binding> bindings;
  for (size_t set = 0; set < layout.SetCount(); ++set) {
    for (const hal_descriptor_binding_t& binding : layout.SetBindings(set)) {
      bindings.push_back({static_cast<uint32_t>(set), binding.binding, binding.access});
    }
  }
  return bindings;
}

Status CheckName(std::string_view name) {
  if (name.empty()) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "its name is empty");
  if (name.find('\0') == std::string_view::npos) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT, "its name holds a zero byte");
}

Status CheckConstant(const hal_export_info_t& info, uint32_t index) {
  const hal_parameter_t& parameter = info.parameters[index];
  if (parameter.size == 0) return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter %u is a constant of 0 bytes", index);
  const uint64_t end = uint64_t{parameter.offset} + parameter.size;
  if (end <= info.constants_size) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "parameter %u takes constant bytes [%u, %" PRIu64 "), but constants_size is %u", index, parameter.offset,
              end, info.constants_size);
}

Status CheckOther(const hal_export_info_t& info, uint32_t index) {
  const Status status = CheckOtherParameter(info.parameters[index], info.constants_size, HAL_STATUS_INVALID_ARGUMENT);
  if (status == kOk) return kOk;
  char prefix[32];
  std::snprintf(prefix, sizeof(prefix), "parameter %u: ", index);
  return Annotate(status, prefix);
}

Status CheckBinding(const hal_device_limits_t& limits, const hal_export_info_t& info, uint32_t index) {
  const hal_parameter_t& parameter = info.parameters[index];
  const uint32_t most = std::min(limits.max_descriptor_sets, kMaxDescriptorSets);
  if (parameter.set >= most) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "parameter %u is in set %u; the device takes at most %u sets", index,
                parameter.set, most);
  }
  if (static_cast<uint32_t>(parameter.access) > HAL_BINDING_ACCESS_WRITE) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter %u has the unknown access %u", index,
                static_cast<unsigned>(parameter.access));
  }
  if (parameter.kind != HAL_PARAMETER_KIND_BINDING) return CheckOther(info, index);
  if (parameter.offset == 0 && parameter.size == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "parameter %u is a binding, but its offset is %u and its size %u; both are 0", index, parameter.offset,
              parameter.size);
}

Status CheckParameter(const hal_device_limits_t& limits, const hal_export_info_t& info, uint32_t index) {
  const hal_parameter_t& parameter = info.parameters[index];
  if (NamesBinding(parameter)) return CheckBinding(limits, info, index);
  if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) return CheckConstant(info, index);
  return CheckOther(info, index);
}

Status CheckUnique(std::span<const hal_parameter_t> parameters) {
  HostVector<Binding> bindings;
  for (const hal_parameter_t& parameter : parameters) {
    if (parameter.kind != HAL_PARAMETER_KIND_BINDING) continue;
    bindings.push_back({parameter.set, parameter.binding, parameter.access});
  }
  std::sort(bindings.begin(), bindings.end());
  const auto twice = std::adjacent_find(bindings.begin(), bindings.end(),
                                        [](const Binding& a, const Binding& b) { return a.SameNumbers(b); });
  if (twice == bindings.end()) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "binding %u of set %u is in two parameters", twice->binding, twice->set);
}

Status CheckParameters(const hal_device_limits_t& limits, const hal_export_info_t& info) {
  if (info.parameter_count > 0 && !info.parameters) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter_count is %u, but parameters is NULL", info.parameter_count);
  }
  if (info.tensor_map_count > 0 && !info.tensor_maps) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "tensor_map_count is %u, but tensor_maps is NULL", info.tensor_map_count);
  }
  for (uint32_t i = 0; i < info.parameter_count; ++i) HAL_TRY(CheckParameter(limits, info, i));
  HAL_TRY(CheckUnique(Parameters(info)));
  HAL_TRY(CheckAddressPlaces(Parameters(info), HAL_STATUS_INVALID_ARGUMENT));
  HAL_TRY(CheckTensorMaps(TensorMaps(info), Parameters(info), info.constants_size, HAL_STATUS_INVALID_ARGUMENT));
  return CheckLimit("the number of bindings", BindingsOf(Parameters(info)).size(), limits.max_bindings);
}

/// A layout may promise more access than the kernel makes use of, not less.
Status CheckAccess(const Binding& declared, const Binding& parameter) {
  if (declared.access == HAL_BINDING_ACCESS_READ_WRITE || declared.access == parameter.access) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "binding %u of set %u has access %u in the parameters, but %u in its layout",
              parameter.binding, parameter.set, static_cast<unsigned>(parameter.access),
              static_cast<unsigned>(declared.access));
}

Status CheckSameBindings(const HostVector<Binding>& declared, const HostVector<Binding>& parameters) {
  if (declared.size() != parameters.size()) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "its parameters have %zu bindings, but its layout %zu", parameters.size(),
                declared.size());
  }
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!declared[i].SameNumbers(parameters[i])) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT,
                  "binding %zu is number %u of set %u in the parameters, but number %u of set %u in its layout", i,
                  parameters[i].binding, parameters[i].set, declared[i].binding, declared[i].set);
    }
    HAL_TRY(CheckAccess(declared[i], parameters[i]));
  }
  return kOk;
}

Status CheckLayout(const hal_device_limits_t& limits, const hal_export_info_t& info) {
  if (!info.layout) return kOk;
  const PipelineLayout& layout = PipelineLayout::From(info.layout);
  if (layout.ConstantsSize() != info.constants_size) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "constants_size is %u, but its layout has %u bytes of constants",
                info.constants_size, layout.ConstantsSize());
  }
  // The layout may have been made for another device.
  HAL_TRY(CheckLimit("the number of sets", layout.SetCount(), limits.max_descriptor_sets));
  HAL_TRY(CheckLimit("the number of bindings", layout.BindingCount(), limits.max_bindings));
  if (info.parameter_count == 0) return kOk;  // they are taken from the layout
  return CheckSameBindings(BindingsOf(layout), BindingsOf(Parameters(info)));
}

/// An export with a signature needs no parameters; those that are given must be what follows from it.
Status CheckSignatureOf(const hal_export_info_t& info) {
  if (!info.signature) return kOk;
  if (Status status = CheckSignature(*info.signature, HAL_STATUS_INVALID_ARGUMENT); status != kOk) {
    return Annotate(status, "signature.");
  }
  if (info.parameter_count == 0 && info.constants_size == 0) return kOk;
  return CheckParametersFollow(*info.signature, Parameters(info), info.constants_size, HAL_STATUS_INVALID_ARGUMENT);
}

/// What a signature adds to an export that says no more.
void TakeFromSignature(const hal_export_info_t& given, HostVector<hal_parameter_t>* parameters,
                       uint32_t* constants_size) {
  if (given.signature && given.parameter_count == 0) *parameters = ParametersOf(*given.signature, constants_size);
}

/// What holds for each launch.
Status CheckLaunch(const hal_device_limits_t& limits, const hal_export_info_t& info) {
  const hal_dim3_t& cluster = info.cluster_size;
  if (cluster.x > 0 && (cluster.y == 0 || cluster.z == 0)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cluster_size is (%u, %u, %u), which has a 0", cluster.x, cluster.y,
                cluster.z);
  }
  if ((info.flags & ~kKnownExportFlags) != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "flags has the unknown bits 0x%" PRIx64, info.flags & ~kKnownExportFlags);
  }
  const hal_dim3_t &size = info.workgroup_size, &fixed = info.fixed_sides;
  if (size.x > 0 && !HasFixedSides(size, fixed)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "workgroup_size is (%u, %u, %u), but fixed_sides (%u, %u, %u)", size.x,
                size.y, size.z, fixed.x, fixed.y, fixed.z);
  }
  HAL_TRY(CheckSubgroupBounds(info.subgroup_size, info.min_subgroup_size, info.max_subgroup_size,
                              HAL_STATUS_INVALID_ARGUMENT));
  HAL_TRY(CheckLimit("local_memory_size", info.local_memory_size, limits.max_local_memory));
  return CheckLimit("local_memory_size and dynamic_local_memory_size together",
                    uint64_t{info.local_memory_size} + info.dynamic_local_memory_size, limits.max_local_memory);
}

Status CheckExportItself(const hal_device_limits_t& limits, const hal_export_info_t& info) {
  HAL_TRY(CheckName(View(info.name)));
  // With 0 in x each dispatch gives the size and is checked then.
  if (info.workgroup_size.x > 0) HAL_TRY(CheckWorkgroupSize(limits, info.workgroup_size));
  HAL_TRY(CheckLaunch(limits, info));
  HAL_TRY(CheckLimit("constants_size", info.constants_size, limits.max_constants_size));
  HAL_TRY(CheckParameters(limits, info));
  return CheckLayout(limits, info);
}

Status CheckExport(const hal_device_limits_t& limits, const hal_export_info_t& info) {
  HAL_TRY(CheckSignatureOf(info));
  hal_export_info_t whole = info;
  HostVector<hal_parameter_t> parameters;
  TakeFromSignature(info, &parameters, &whole.constants_size);
  if (!parameters.empty()) {
    whole.parameters = parameters.data();
    whole.parameter_count = static_cast<uint32_t>(parameters.size());
  }
  return CheckExportItself(limits, whole);
}

/// Says which export a failure is about.
Status AnnotateExport(Status status, size_t ordinal, std::string_view name) {
  if (status == kOk) return status;
  const Failure failure(status);
  return Fail(failure.code(), "export %zu (\"%.*s\"): %s", ordinal, HALYARD_SV(name), failure.message().data());
}

Status CheckUniqueNames(std::span<const hal_export_info_t> exports) {
  HostVector<std::pair<std::string_view, size_t>> names;
  names.reserve(exports.size());
  for (const hal_export_info_t& info : exports) names.emplace_back(View(info.name), names.size());
  std::sort(names.begin(), names.end());
  const auto twice =
      std::adjacent_find(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == names.end()) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "exports %zu and %zu have the same name \"%.*s\"", twice->second,
              std::next(twice)->second, HALYARD_SV(twice->first));
}

HostVector<hal_parameter_t> ParametersFromLayout(const PipelineLayout& layout) {
  HostVector<hal_parameter_t> parameters;
  for (const Binding& binding : BindingsOf(layout)) {
    parameters.push_back({HAL_PARAMETER_KIND_BINDING, 0, 0, binding.set, binding.binding, binding.access});
  }
  if (layout.ConstantsSize() > 0) parameters.push_back(hal_parameter_constant(0, layout.ConstantsSize()));
  return parameters;
}

}  // namespace

Ref<hal_pipeline_layout_t> LayoutFromParameters(std::span<const hal_parameter_t> parameters, uint32_t constants_size) {
  const HostVector<Binding> bindings = BindingsOf(parameters);
  const size_t set_count = bindings.empty() ? 0 : size_t{bindings.back().set} + 1;
  HostVector<Ref<hal_descriptor_set_layout_t>> owners(set_count);
  HostVector<hal_descriptor_set_layout_t*> sets(set_count, nullptr);
  for (auto first = bindings.begin(); first != bindings.end();) {
    const auto last = std::find_if(first, bindings.end(), [&](const Binding& b) { return b.set != first->set; });
    HostVector<hal_descriptor_binding_t> members;
    for (auto it = first; it != last; ++it) members.push_back({it->binding, it->access});
    owners[first->set] = DescriptorSetLayout::Create(members);
    sets[first->set] = owners[first->set].get();
    first = last;
  }
  return PipelineLayout::Create(sets, constants_size);
}

namespace {

/// For each binding of the flat list, whether some parameter may write to it.
HostVector<bool> FindWrites(std::span<const hal_parameter_t> parameters) {
  HostVector<bool> writes;
  for (const Binding& binding : BindingsOf(parameters)) writes.push_back(binding.access != HAL_BINDING_ACCESS_READ);
  return writes;
}

HostVector<uint32_t> FlatBindings(std::span<const hal_parameter_t> parameters) {
  const HostVector<Binding> bindings = BindingsOf(parameters);
  HostVector<uint32_t> flat(parameters.size(), ExportTable::kNoBinding);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!NamesBinding(parameters[i])) continue;
    const Binding wanted = {parameters[i].set, parameters[i].binding, parameters[i].access};
    const auto found = std::lower_bound(bindings.begin(), bindings.end(), wanted);
    flat[i] = static_cast<uint32_t>(found - bindings.begin());
  }
  return flat;
}

/// The names are in one text, so that they stay where they are.
HostVector<hal_parameter_info_t> CopyInfos(std::span<const hal_parameter_info_t> given, HostVector<char>* out_names) {
  HostVector<hal_parameter_info_t> infos(given.begin(), given.end());
  size_t size = 0;
  for (const hal_parameter_info_t& info : given) size += View(info.name).size();
  out_names->reserve(size);
  for (hal_parameter_info_t& info : infos) {
    const std::string_view name = View(info.name);
    info.name = {out_names->data() + out_names->size(), name.size()};
    out_names->insert(out_names->end(), name.begin(), name.end());
  }
  return infos;
}

}  // namespace

Status CheckExports(const hal_device_t* device, std::span<const hal_export_info_t> exports) {
  for (size_t i = 0; i < exports.size(); ++i) {
    const Status status = CheckExport(*device->info->limits, exports[i]);
    if (status != kOk) return AnnotateExport(status, i, View(exports[i].name));
  }
  return CheckUniqueNames(exports);
}

namespace {

const char* WordOf(hal_parameter_kind_t kind) {
  switch (kind) {
    case HAL_PARAMETER_KIND_NULL:
      return "a null pointer";
    case HAL_PARAMETER_KIND_SCRATCH:
      return "scratch memory";
    case HAL_PARAMETER_KIND_BINDING_ADDRESS:
      return "the address of a binding among its constants";
    case HAL_PARAMETER_KIND_TENSOR_MAP:
      return "a tensor map";
    default:
      return nullptr;
  }
}

Status CheckPlain(const hal_export_info_t& info, bool takes_addresses) {
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    if (takes_addresses && info.parameters[i].kind == HAL_PARAMETER_KIND_BINDING_ADDRESS) continue;
    if (const char* const word = WordOf(info.parameters[i].kind)) {
      return Fail(HAL_STATUS_UNIMPLEMENTED, "parameter %u is %s, which the device cannot pass", i, word);
    }
  }
  if (info.cluster_size.x > 0) return FailWith(HAL_STATUS_UNIMPLEMENTED, "it runs in clusters, which the device lacks");
  if ((info.flags & HAL_EXPORT_COOPERATIVE) == 0) return kOk;
  return FailWith(HAL_STATUS_UNIMPLEMENTED,
                  "it is cooperative: the device does not promise that all workgroups run at "
                  "once");
}

}  // namespace

Status CheckPlainExports(std::span<const hal_export_info_t> exports, bool takes_addresses) {
  for (size_t i = 0; i < exports.size(); ++i) {
    const Status status = CheckPlain(exports[i], takes_addresses);
    if (status != kOk) return AnnotateExport(status, i, View(exports[i].name));
  }
  return kOk;
}

Status ExportTable::Assign(hal_device_t* device, std::span<const hal_export_info_t> exports) {
  HAL_TRY(CheckExports(device, exports));
  HostVector<Entry> entries;
  entries.reserve(exports.size());
  for (const hal_export_info_t& given : exports) entries.push_back(MakeEntry(given));
  // Only now do the entries stay where they are, so that infos may point into them.
  HostVector<hal_export_info_t> infos;
  infos.reserve(exports.size());
  Index ordinals;
  ordinals.reserve(exports.size());
  for (size_t i = 0; i < exports.size(); ++i) {
    infos.push_back(MakeInfo(exports[i], entries[i]));
    ordinals.emplace(entries[i].name, static_cast<uint32_t>(i));
  }
  entries_ = std::move(entries);
  infos_ = std::move(infos);
  ordinals_ = std::move(ordinals);
  return kOk;
}

Status ExportTable::Find(std::string_view name, uint32_t* out_ordinal) const noexcept {
  const auto found = ordinals_.find(name);
  if (found == ordinals_.end()) return FailWith(HAL_STATUS_NOT_FOUND, "");
  *out_ordinal = found->second;
  return kOk;
}

std::string_view ExportTable::Symbol(uint32_t ordinal) const noexcept {
  const Entry& entry = entries_[ordinal];
  return entry.symbol.empty() ? entry.name : entry.symbol;
}

ExportTable::Entry ExportTable::MakeEntry(const hal_export_info_t& given) {
  Entry entry;
  entry.name = View(given.name);
  entry.symbol = View(given.symbol);
  const auto parameters = Parameters(given);
  uint32_t constants_size = given.constants_size;
  if (given.signature) entry.signature = OwnedSignature(*given.signature);
  if (parameters.empty() && given.signature) {
    TakeFromSignature(given, &entry.parameters, &constants_size);
  } else if (parameters.empty() && given.layout) {
    entry.parameters = ParametersFromLayout(PipelineLayout::From(given.layout));
  } else {
    entry.parameters.assign(parameters.begin(), parameters.end());
  }
  entry.parameter_bindings = FlatBindings(entry.parameters);
  entry.writes = FindWrites(entry.parameters);
  if (given.parameter_infos && given.parameter_count == entry.parameters.size()) {
    entry.parameter_infos = CopyInfos({given.parameter_infos, given.parameter_count}, &entry.parameter_names);
  }
  const std::span<const hal_tensor_map_t> maps = TensorMaps(given);
  entry.tensor_maps.assign(maps.begin(), maps.end());
  entry.layout = given.layout ? Ref<hal_pipeline_layout_t>::Retaining(given.layout)
                              : LayoutFromParameters(entry.parameters, constants_size);
  return entry;
}

hal_export_info_t ExportTable::MakeInfo(const hal_export_info_t& given, const Entry& entry) {
  hal_export_info_t info = given;
  info.struct_size = sizeof(info);
  info.name = ToC(entry.name);
  info.symbol = ToC(entry.symbol);
  info.parameter_count = static_cast<uint32_t>(entry.parameters.size());
  info.parameters = entry.parameters.empty() ? nullptr : entry.parameters.data();
  info.parameter_infos = entry.parameter_infos.empty() ? nullptr : entry.parameter_infos.data();
  info.tensor_maps = entry.tensor_maps.empty() ? nullptr : entry.tensor_maps.data();
  info.tensor_map_count = static_cast<uint32_t>(entry.tensor_maps.size());
  info.layout = entry.layout.get();
  info.signature = entry.signature.Get();
  if (info.signature) info.constants_size = PipelineLayout::From(info.layout).ConstantsSize();
  info.binding_count = static_cast<uint32_t>(PipelineLayout::From(info.layout).BindingCount());
  return info;
}

}  // namespace halyard
