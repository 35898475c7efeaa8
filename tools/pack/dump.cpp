// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dump.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

#include "reflection_text.h"
#include "support/check.h"
#include "support/export_description.h"
#include "support/failure.h"
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

std::string ParameterText(const hal_parameter_t& parameter) {
  if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) {
    return Concat("constant, ", BytesText(parameter.size), " at ", parameter.offset);
  }
  return Concat("binding ", parameter.binding, " of set ", parameter.set, ", ", AccessText(parameter.access));
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
  for (size_t i = 0; i < description.parameters.size(); ++i) {
    text += Line(Concat("parameter ", i), ParameterText(description.parameters[i]));
  }
  return text;
}

// The name of an export in a variant's image.
std::string_view SymbolOf(const ContainerContents& contents, size_t variant, size_t ordinal) {
  const auto& symbols = contents.variants[variant].symbols;
  const bool is_own = ordinal < symbols.size() && !symbols[ordinal].empty();
  return is_own ? symbols[ordinal] : contents.exports[ordinal].name;
}

std::string VariantText(const Container& container, size_t index) {
  const ContainerVariant& variant = container.contents().variants[index];
  const ImagePlace& place = container.Place(index);
  std::string text = Concat("variant ", index, ": ", variant.format, " for ",
                            variant.target.empty() ? "any device" : variant.target, "\n");
  text += Line("image", Concat(BytesText(place.size), " at ", place.offset));
  text += Line("XXH3-128", HashText(place));
  for (size_t i = 0; i < container.contents().exports.size(); ++i) {
    text += Line(Concat("symbol of ", i), SymbolOf(container.contents(), index, i));
  }
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
  info.signature = description.signature.Get();
  return ToJson(info);
}

Json VariantJson(const Container& container, size_t index) {
  const ContainerVariant& variant = container.contents().variants[index];
  const ImagePlace& place = container.Place(index);
  Json symbols = Json::array();
  for (size_t i = 0; i < container.contents().exports.size(); ++i) {
    symbols.push_back(std::string(SymbolOf(container.contents(), index, i)));
  }
  return {{"format", std::string(variant.format)},
          {"target", std::string(variant.target)},
          {"offset", place.offset},
          {"size", place.size},
          {"xxh3_128", HashText(place)},
          {"symbols", symbols},
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
  Check(container.Open(path.c_str()), ExitCode::kInput, "read the executable file");
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    Check(container.CheckImage(i), ExitCode::kInput, "read '" + path + "'");
  }
  return container;
}

Container ParseContainer(std::span<const std::byte> bytes) {
  Container container;
  Check(container.Parse(bytes), ExitCode::kInternal, "read back what was written");
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
