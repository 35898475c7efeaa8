// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_container.h"

#include <algorithm>
#include <numeric>

#include "base/text/suggestions.h"
#include "core/executable/specialized_sizes.h"
#include "core/executable/variant_ranking.h"
#include "image/halx/variant_choice.h"

namespace halyard {
namespace {

/// The file that a failure is about, if it has a name.
HostString Subject(const hal_executable_params_t& params) {
  HostString subject;
  if (params.path.size > 0) subject.append("'").append(View(params.path)).append("': ");
  return subject;
}

Status CheckGiven(const hal_executable_params_t& params) {
  if (params.export_count == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "params->exports has %zu elements, but an executable file tells its exports "
              "itself; give none",
              params.export_count);
}

Status CheckNoRelease(const hal_executable_params_t& params) {
  if (!params.release) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                  "params->release is for the formats of the host, 'host-…': an executable file may become several "
                  "executables");
}

Status CheckNoNames(const hal_executable_params_t& params) {
  if (params.name_count == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "params->names has %zu elements, which is for executable files; the exports of an image of format "
              "'%.*s' are those that params->exports lists",
              params.name_count, HALYARD_SV(View(params.format)));
}

}  // namespace

Status ExecutableContainer::Resolve(hal_device_t* device, const hal_executable_params_t& params) {
  const std::string_view format = View(params.format);
  if (!format.empty() && format != HAL_EXECUTABLE_FORMAT_CONTAINER) return CheckNoNames(params);
  HAL_TRY(CheckNoRelease(params));
  const HostString subject = Subject(params);
  if (Status status = Load(params); status != kOk) return Annotate(status, subject);
  if (Status status = CheckGiven(params); status != kOk) return Annotate(status, subject);
  return Annotate(MakeParts(device, params), subject);
}

Status ExecutableContainer::Load(const hal_executable_params_t& params) {
  std::span<const std::byte> file(static_cast<const std::byte*>(params.data), params.data_size);
  if (!params.data) {
    const HostString path(View(params.path));
    HAL_TRY(mapping_.Open(path.c_str()));
    file = mapping_.bytes();
  }
  if (params.format.size == 0 && !LooksLikeContainer(file)) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "params->format is empty, which is for executable files (.halx), and this is none; name the format "
                    "of the image");
  }
  return container_.Parse(file);
}

Status ExecutableContainer::FindExports(const hal_executable_params_t& params,
                                        HostVector<uint32_t>* out_ordinals) const {
  if (params.name_count > 0) {
    if (!params.names) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->names is NULL");
    return FindNamed({params.names, params.name_count}, out_ordinals);
  }
  out_ordinals->resize(container_.contents().exports.size());
  std::iota(out_ordinals->begin(), out_ordinals->end(), 0u);
  return kOk;
}

Status ExecutableContainer::FindNamed(std::span<const hal_string_view_t> names,
                                      HostVector<uint32_t>* out_ordinals) const {
  HostMap<std::string_view, uint32_t> unused;
  HostVector<std::string_view> known;
  for (const ContainerExport& info : container_.contents().exports) {
    unused.emplace(info.name, static_cast<uint32_t>(known.size()));
    known.push_back(info.name);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = View(names[i]);
    const auto found = unused.find(name);
    if (found != unused.end()) {
      out_ordinals->push_back(found->second);
      unused.erase(found);
    } else if (std::find(known.begin(), known.end(), name) != known.end()) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->names[%zu]: '%.*s' is there twice", i, HALYARD_SV(name));
    } else {
      return Fail(HAL_STATUS_NOT_FOUND, "params->names[%zu]: no export '%.*s'; %s", i, HALYARD_SV(name),
                  SuggestionText(name, known).c_str());
    }
  }
  return kOk;
}

Status ExecutableContainer::MakeParts(hal_device_t* device, const hal_executable_params_t& params) {
  const ContainerContents& contents = container_.contents();
  HostVector<uint32_t> wanted;
  HAL_TRY(FindExports(params, &wanted));
  HostVector<size_t> chosen;
  HAL_TRY(ChooseVariants(contents, DeviceRanker(device), wanted, &chosen));
  HostMap<size_t, size_t> part_of;  // by variant
  const std::span given(params.specializations, params.specializations ? params.specialization_count : 0);
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    const auto [place, added] = part_of.try_emplace(chosen[i], parts_.size());
    if (added) parts_.emplace_back().variant = chosen[i];
    Part& part = parts_[place->second];
    part.ordinals.push_back(i);
    const ContainerEntryPoint& entry_point = *contents.variants[chosen[i]].Find(wanted[i]);
    hal_export_info_t& info = part.exports.emplace_back(MakeExport(wanted[i], entry_point));
    HAL_TRY(TakeGivenSides(entry_point.launch.side_constants, given, &info));
  }
  for (Part& part : parts_) HAL_TRY(Complete(params, &part));
  return kOk;
}

hal_export_info_t ExecutableContainer::MakeExport(uint32_t ordinal, const ContainerEntryPoint& entry_point) const {
  const ContainerExport& given = container_.contents().exports[ordinal];
  const bool has_own = !entry_point.parameters.empty();
  const HostVector<hal_parameter_t>& parameters = has_own ? entry_point.parameters : given.parameters;
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = ToC(given.name);
  info.symbol = ToC(entry_point.symbol);
  info.workgroup_size = given.workgroup_size;
  info.local_memory_size = given.local_memory_size;
  info.constants_size = given.constants_size;
  info.parameter_count = static_cast<uint32_t>(parameters.size());
  info.parameters = parameters.empty() ? nullptr : parameters.data();
  info.signature = given.signature.Get();
  ApplyLaunch(entry_point.launch, &info);
  const HostVector<hal_tensor_map_t>& maps = has_own ? entry_point.tensor_maps : given.tensor_maps;
  info.tensor_maps = maps.empty() ? nullptr : maps.data();
  info.tensor_map_count = static_cast<uint32_t>(maps.size());
  if (!has_own && !given.infos.empty()) info.parameter_infos = given.infos.data();
  return info;
}

Status ExecutableContainer::Complete(const hal_executable_params_t& params, Part* part) const {
  if (!params.unvalidated) HAL_TRY(container_.CheckImage(part->variant));
  const ContainerVariant& variant = container_.contents().variants[part->variant];
  part->params = params;
  part->params.format = ToC(variant.format);
  part->params.data = variant.image.data();
  part->params.data_size = variant.image.size();
  part->params.path = {nullptr, 0};
  part->params.exports = part->exports.data();
  part->params.export_count = part->exports.size();
  part->params.names = nullptr;
  part->params.name_count = 0;
  return kOk;
}

}  // namespace halyard
