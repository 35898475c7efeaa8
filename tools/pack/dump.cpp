// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dump.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>

#include "function/fixed_sides.h"
#include "reflection_text.h"
#include "size_text.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"
#include "support/kernels/tensor_map_description.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kLabelWidth = 18;

std::string Line(std::string_view label, std::string_view text) {
  // A label that is too long keeps a blank behind it.
  return Concat("  ", Padded(label, kLabelWidth), label.size() < kLabelWidth ? "" : " ", text, "\n");
}

std::string Plural(size_t count, std::string_view noun) { return Concat(count, " ", noun, count == 1 ? "" : "s"); }

std::string HashText(const ImagePlace& place) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%016" PRIx64 "%016" PRIx64, place.hash_high, place.hash_low);
  return text.data();
}

std::string WorkgroupText(const hal_dim3_t& size) {
  return size.x == 0 ? "given by each dispatch" : Concat(size.x, " x ", size.y, " x ", size.z);
}

std::string BindingText(const hal_parameter_t& parameter) {
  return Concat("binding ", parameter.binding, " of set ", parameter.set, ", ", AccessText(parameter.access));
}

/// @param next_map  of the tensor maps of its list; moved on if the parameter is one
std::string ParameterText(const hal_parameter_t& parameter, const hal_tensor_map_t** next_map) {
  switch (parameter.kind) {
    case HAL_PARAMETER_KIND_CONSTANT:
      return Concat("constant, ", BytesText(parameter.size), " at ", parameter.offset);
    case HAL_PARAMETER_KIND_NULL:
      return "null pointer";
    case HAL_PARAMETER_KIND_SCRATCH:
      return Concat("scratch, ", BytesText(parameter.size), " for each workgroup, aligned to ", parameter.offset);
    case HAL_PARAMETER_KIND_BINDING_ADDRESS:
      return Concat("address in constant ", parameter.offset, ": ", BindingText(parameter));
    case HAL_PARAMETER_KIND_TENSOR_MAP:
      return Concat("tensor map of ", BindingText(parameter), ": ", TensorMapText(*(*next_map)++));
    default:
      return BindingText(parameter);
  }
}

// "n: i32", ": f32", "n"; nothing if nothing is known.
std::string InfoText(const hal_parameter_info_t& info) {
  std::string text = Text(info.name);
  if (info.element_type != HAL_ELEMENT_TYPE_NONE) text += ": " + ElementTypeText(info.element_type);
  if ((info.flags & HAL_PARAMETER_GUESSED) != 0) text += text.empty() ? "(guessed)" : " (guessed)";
  return text;
}

std::string ExportText(const ContainerExport& description, size_t ordinal) {
  std::string text = Concat("export ", ordinal, ": ", description.name, "\n");
  if (const hal_function_signature_t* const signature = description.signature.Get()) {
    text += Line("function", FunctionTypeText(*signature));
    text += Line("called through", ConventionText(signature->convention));
  }
  text += Line("workgroup size", WorkgroupText(description.workgroup_size));
  text += Line("workgroup memory", BytesText(description.local_memory_size));
  text += Line("constants", BytesText(description.constants_size));
  const hal_tensor_map_t* next_map = description.tensor_maps.data();
  for (size_t i = 0; i < description.parameters.size(); ++i) {
    const std::string known = description.infos.empty() ? "" : InfoText(description.infos[i]);
    text += Line(Concat("parameter ", i),
                 Concat(ParameterText(description.parameters[i], &next_map), known.empty() ? "" : "; ", known));
  }
  return text;
}

// The name of an export in a variant's image.
std::string_view SymbolOf(const ContainerContents& contents, const ContainerEntryPoint& entry_point) {
  return entry_point.symbol.empty() ? contents.exports[entry_point.ordinal].name : entry_point.symbol;
}

struct FlagWord {
  hal_export_flags_t flag;
  const char* word;
};
constexpr std::array kFlagWords = {FlagWord{HAL_EXPORT_EXACT_WORKGROUP_SIZE, "exact workgroup size"},
                                   FlagWord{HAL_EXPORT_COOPERATIVE, "cooperative"},
                                   FlagWord{HAL_EXPORT_PROGRAMMATIC_LAUNCH, "programmatic launch"},
                                   FlagWord{HAL_EXPORT_NEEDS_LOCAL_MEMORY, "needs dynamic workgroup memory"}};

// Which side of a workgroup is which specialisation constant.
std::map<char, uint32_t> SideConstants(const LaunchFacts& launch) {
  std::map<char, uint32_t> constants;
  const std::array numbers = {launch.side_constants.x, launch.side_constants.y, launch.side_constants.z};
  for (size_t axis = 0; axis < numbers.size(); ++axis) {
    if (numbers[axis] > 0) constants["xyz"[axis]] = numbers[axis] - 1;
  }
  return constants;
}

// "256 x 1 x 1; clusters of 2 x 1 x 1; 48 KiB of dynamic workgroup memory; cooperative".
std::string LaunchText(const LaunchFacts& launch) {
  std::vector<std::string> words;
  if (IsGiven(launch.workgroup_size)) words.push_back(Concat("workgroup size ", WorkgroupText(launch.workgroup_size)));
  if (IsAnyFixed(launch.fixed_sides)) words.push_back(Concat("workgroups with ", SidesText(launch.fixed_sides)));
  for (const auto& [axis, number] : SideConstants(launch)) {
    words.push_back(Concat("specialisation constant ", number, " is the side in ", axis));
  }
  if (launch.max_workgroup_volume > 0) {
    words.push_back(Concat("workgroups of at most ", launch.max_workgroup_volume, " work-items"));
  }
  if (launch.cluster_size.x > 0) words.push_back(Concat("clusters of ", WorkgroupText(launch.cluster_size)));
  if (launch.dynamic_local_memory_size > 0) {
    words.push_back(BytesText(launch.dynamic_local_memory_size) + " of dynamic workgroup memory");
  }
  const SubgroupBounds subgroups = SubgroupsOf(launch);
  if (subgroups.IsGiven()) words.push_back("subgroups of " + SubgroupText(subgroups));
  if (launch.register_count > 0) words.push_back(Concat(launch.register_count, " registers"));
  for (const FlagWord& one : kFlagWords) {
    if ((launch.flags & one.flag) != 0) words.emplace_back(one.word);
  }
  return JoinText(words, "; ");
}

std::string EntryPointText(const Container& container, const ContainerEntryPoint& entry_point) {
  const uint32_t ordinal = entry_point.ordinal;
  std::string text = Line(Concat("symbol of ", ordinal), SymbolOf(container.contents(), entry_point));
  const std::string launch = LaunchText(entry_point.launch);
  if (!launch.empty()) text += Line(Concat("launch of ", ordinal), launch);
  const hal_tensor_map_t* next_map = entry_point.tensor_maps.data();
  for (size_t i = 0; i < entry_point.parameters.size(); ++i) {
    text += Line(Concat("parameter ", i, " of ", ordinal), ParameterText(entry_point.parameters[i], &next_map));
  }
  return text;
}

std::string VariantText(const Container& container, size_t index) {
  const ContainerVariant& variant = container.contents().variants[index];
  const ImagePlace& place = container.Place(index);
  std::string text = Concat("variant ", index, ": ", variant.format, " for ",
                            variant.target.empty() ? "any device" : variant.target, "\n");
  text += Line("image", Concat(BytesText(place.size), " at ", place.offset));
  text += Line("XXH3-128", HashText(place));
  if (variant.isa_version > 0) {
    text += Line("instruction set", Concat("version ", variant.isa_version / 10, ".", variant.isa_version % 10));
  }
  for (const ContainerEntryPoint& entry_point : variant.entry_points) text += EntryPointText(container, entry_point);
  for (const auto& [label, told] : ReflectionLines(variant)) text += Line(label, told);
  return text;
}

Json ExportJson(const ContainerExport& description) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = View(description.name);
  info.workgroup_size = description.workgroup_size;
  info.local_memory_size = description.local_memory_size;
  info.constants_size = description.constants_size;
  info.parameter_count = static_cast<uint32_t>(description.parameters.size());
  info.parameters = description.parameters.data();
  info.tensor_maps = description.tensor_maps.data();
  info.tensor_map_count = static_cast<uint32_t>(description.tensor_maps.size());
  info.signature = description.signature.Get();
  if (!description.infos.empty()) info.parameter_infos = description.infos.data();
  return ToJson(info);
}

Json LaunchJson(const LaunchFacts& launch) {
  Json flags = Json::array();
  for (const FlagWord& one : kFlagWords) {
    if ((launch.flags & one.flag) != 0) flags.push_back(one.word);
  }
  Json result = {{"flags", flags},
                 {"dynamic_local_memory_size", launch.dynamic_local_memory_size},
                 {"subgroup_size", launch.subgroup_size},
                 {"register_count", launch.register_count}};
  if (launch.min_subgroup_size > 0) result["min_subgroup_size"] = launch.min_subgroup_size;
  if (launch.max_subgroup_size > 0) result["max_subgroup_size"] = launch.max_subgroup_size;
  if (IsGiven(launch.workgroup_size)) result["workgroup_size"] = SizeJson(launch.workgroup_size);
  if (IsAnyFixed(launch.fixed_sides)) result["fixed_sides"] = SizeJson(launch.fixed_sides);
  for (const auto& [axis, number] : SideConstants(launch)) result["side_constants"][std::string(1, axis)] = number;
  if (launch.max_workgroup_volume > 0) result["max_workgroup_volume"] = launch.max_workgroup_volume;
  if (launch.cluster_size.x > 0) result["cluster_size"] = SizeJson(launch.cluster_size);
  return result;
}

Json EntryPointJson(const ContainerContents& contents, const ContainerEntryPoint& entry_point) {
  Json result = {{"export", entry_point.ordinal},
                 {"symbol", std::string(SymbolOf(contents, entry_point))},
                 {"launch", LaunchJson(entry_point.launch)}};
  if (!entry_point.parameters.empty()) {
    result["parameters"] = ToJson(entry_point.parameters, entry_point.tensor_maps);
  }
  return result;
}

Json VariantJson(const Container& container, size_t index) {
  const ContainerVariant& variant = container.contents().variants[index];
  const ImagePlace& place = container.Place(index);
  Json symbols = Json::array();
  Json entry_points = Json::array();
  for (const ContainerEntryPoint& entry_point : variant.entry_points) {
    symbols.push_back(std::string(SymbolOf(container.contents(), entry_point)));
    entry_points.push_back(EntryPointJson(container.contents(), entry_point));
  }
  return {{"format", std::string(variant.format)},
          {"target", std::string(variant.target)},
          {"offset", place.offset},
          {"size", place.size},
          {"xxh3_128", HashText(place)},
          {"isa_version", variant.isa_version},
          {"symbols", symbols},
          {"entry_points", entry_points},
          {"reflection", ReflectionJson(variant)}};
}

uint64_t FileEnd(const Container& container) {
  uint64_t end = 0;
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    end = std::max(end, container.Place(i).offset + container.Place(i).size);
  }
  return end;
}

}  // namespace

Container OpenContainer(const std::string& path) {
  Container container;
  Check(Publish(container.Open(path.c_str())), ExitCode::kInput, "read the executable file");
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    Check(Publish(container.CheckImage(i)), ExitCode::kInput, "read '" + path + "'");
  }
  return container;
}

Container ParseContainer(std::span<const std::byte> bytes) {
  Container container;
  Check(Publish(container.Parse(bytes)), ExitCode::kInternal, "read back what was written");
  return container;
}

std::string SummaryText(const std::string& path, const Container& container) {
  const ContainerContents& contents = container.contents();
  return Concat(path, ": ", Plural(contents.exports.size(), "export"), ", ",
                Plural(contents.variants.size(), "variant"), ", ", BytesText(FileEnd(container)), ", format version ",
                container.version(), "\n");
}

std::string DumpText(const std::string& path, const Container& container) {
  std::string text = SummaryText(path, container);
  for (size_t i = 0; i < container.contents().exports.size(); ++i) {
    text += "\n" + ExportText(container.contents().exports[i], i);
  }
  for (size_t i = 0; i < container.contents().variants.size(); ++i) text += "\n" + VariantText(container, i);
  return text;
}

Json DumpJson(const std::string& path, const Container& container) {
  Json exports = Json::array();
  for (const ContainerExport& description : container.contents().exports) exports.push_back(ExportJson(description));
  Json variants = Json::array();
  for (size_t i = 0; i < container.contents().variants.size(); ++i) variants.push_back(VariantJson(container, i));
  return {{"file", path}, {"version", container.version()}, {"exports", exports}, {"variants", variants}};
}

}  // namespace halyard::tools
