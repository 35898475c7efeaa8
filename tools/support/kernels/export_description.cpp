// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernels/export_description.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "function/c_types.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/functions/c_description.h"
#include "support/kernels/tensor_map_description.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr std::array<std::string_view, 3> kAccessNames = {"read_write", "read", "write"};
constexpr std::array<std::string_view, 6> kKindNames = {"binding", "constant",        "null",
                                                        "scratch", "binding_address", "tensor_map"};
// What a description may say; MLIR's conventions come from the module.
constexpr std::array<std::string_view, 2> kConventions = {"workgroup", "c"};

uint32_t ReadUint(const JsonValue& object, std::string_view key, uint32_t otherwise) {
  return object.Has(key) ? object.At(key).Uint32() : otherwise;
}

hal_parameter_t ReadBinding(const JsonValue& object) {
  const auto access = object.Has("access") ? ReadAccess(object.At("access")) : HAL_BINDING_ACCESS_READ_WRITE;
  hal_parameter_t parameter = hal_parameter_binding(object.At("binding").Uint32(), access);
  parameter.set = ReadUint(object, "set", 0);
  return parameter;
}

hal_parameter_t ReadOfKind(const JsonValue& object, hal_parameter_kind_t kind) {
  switch (kind) {
    case HAL_PARAMETER_KIND_CONSTANT:
      object.AllowKeys({"kind", "name", "type", "offset", "size"});
      return hal_parameter_constant(object.At("offset").Uint32(), object.At("size").Uint32());
    case HAL_PARAMETER_KIND_NULL:
      object.AllowKeys({"kind", "name", "type"});
      return hal_parameter_constant(0, 0);
    case HAL_PARAMETER_KIND_SCRATCH:
      object.AllowKeys({"kind", "name", "type", "size", "alignment"});
      return hal_parameter_constant(ReadUint(object, "alignment", 256), object.At("size").Uint32());
    case HAL_PARAMETER_KIND_BINDING_ADDRESS: {
      object.AllowKeys({"kind", "name", "type", "set", "binding", "access", "offset"});
      hal_parameter_t parameter = ReadBinding(object);
      parameter.offset = object.At("offset").Uint32();
      return parameter;
    }
    case HAL_PARAMETER_KIND_TENSOR_MAP:
      object.AllowKeys({"kind", "name", "type", "set", "binding", "access", "data_type", "swizzle", "l2_promotion",
                        "fill", "box", "sizes", "strides"});
      return ReadBinding(object);
    default:
      object.AllowKeys({"kind", "name", "type", "set", "binding", "access"});
      return ReadBinding(object);
  }
}

hal_parameter_t ReadParameter(const JsonValue& object) {
  const auto kind = static_cast<hal_parameter_kind_t>(object.At("kind").Choice(kKindNames));
  hal_parameter_t parameter = ReadOfKind(object, kind);
  parameter.kind = kind;
  return parameter;
}

ParameterNote ReadNote(const JsonValue& object) {
  ParameterNote note;
  if (object.Has("name")) note.name = object.At("name").Text();
  if (!object.Has("type")) return note;
  note.element_type = ReadElementType(object.At("type"));
  return note;
}

// [x, y, z]; y and z may be left out.
hal_dim3_t ReadDim3(const JsonValue& value) {
  const std::vector<JsonValue> sizes = value.Array();
  if (sizes.empty() || sizes.size() > 3) value.Fail("must have one to three numbers");
  std::array<uint32_t, 3> dim = {1, 1, 1};
  for (size_t i = 0; i < sizes.size(); ++i) dim[i] = sizes[i].Uint32();
  return hal_dim3(dim[0], dim[1], dim[2]);
}

// The end of the last constant.
uint64_t ConstantsEnd(const std::vector<hal_parameter_t>& parameters) {
  uint64_t end = 0;
  for (const hal_parameter_t& parameter : parameters) {
    if (parameter.kind != HAL_PARAMETER_KIND_CONSTANT) continue;
    end = std::max(end, uint64_t{parameter.offset} + parameter.size);
  }
  return end;
}

uint32_t ReadConstantsSize(const JsonValue& object, const std::vector<hal_parameter_t>& parameters) {
  const uint64_t end = ConstantsEnd(parameters);
  if (end > UINT32_MAX) object.Fail("has constants past 4 GiB");
  if (!object.Has("constants_size")) return static_cast<uint32_t>(end);
  const uint32_t size = object.At("constants_size").Uint32();
  if (size < end) object.At("constants_size").Fail(Concat("is ", size, ", but a parameter ends at byte ", end));
  return size;
}

// A kernel, unless it is said to be a C function.
void ReadConvention(const JsonValue& object, ExportDescription* out) {
  const size_t convention = object.Has("convention") ? object.At("convention").Choice(kConventions) : 0;
  out->says_kernel = convention == 0 && object.Has("convention");
  if (convention == 1) {
    out->signature = std::make_shared<MlirSignature>(ReadCSignature(object));
    return;
  }
  for (const std::string_view key : {"arguments", "result"}) {
    if (object.Has(key)) object.At(key).Fail("belongs to an export whose \"convention\" is \"c\"");
  }
}

// 32, or "16-64".
SubgroupBounds ReadSubgroups(const JsonValue& value) {
  const std::string text = value.IsText() ? value.Text() : std::to_string(value.Uint32());
  const std::optional<SubgroupBounds> bounds = ParseSubgroupBounds(text);
  if (!bounds) value.Fail(Concat("is ", text, "; expected a power of two, such as 32, or a range, such as \"16-64\""));
  return *bounds;
}

ExportDescription ReadExport(const JsonValue& object) {
  object.AllowKeys({"name", "symbol", "symbols", "workgroup_size", "local_memory_size", "constants_size", "parameters",
                    "subgroup_size", "convention", "arguments", "result"});
  ExportDescription result;
  result.name = object.At("name").Text();
  if (result.name.empty()) object.At("name").Fail("is empty");
  if (object.Has("symbol")) result.symbol = object.At("symbol").Text();
  if (object.Has("symbols")) {
    for (const auto& [format, symbol] : object.At("symbols").Members()) result.symbols[format] = symbol.Text();
  }
  if (object.Has("workgroup_size")) result.workgroup_size = ReadDim3(object.At("workgroup_size"));
  if (object.Has("subgroup_size")) result.subgroups = ReadSubgroups(object.At("subgroup_size"));
  result.local_memory_size = ReadUint(object, "local_memory_size", 0);
  if (object.Has("parameters")) {
    for (const JsonValue& parameter : object.At("parameters").Array()) {
      result.parameters.push_back(ReadParameter(parameter));
      const bool is_map = result.parameters.back().kind == HAL_PARAMETER_KIND_TENSOR_MAP;
      if (is_map) result.tensor_maps.push_back(ReadTensorMap(parameter));
      result.notes.push_back(ReadNote(parameter));
    }
  }
  result.constants_size = ReadConstantsSize(object, result.parameters);
  result.says_workgroup_size = object.Has("workgroup_size");
  result.says_local_memory_size = object.Has("local_memory_size");
  result.says_parameters = object.Has("parameters") || object.Has("constants_size");
  ReadConvention(object, &result);
  return result;
}

std::vector<ExportDescription> ReadDocument(const JsonValue& document) {
  document.AllowKeys({"exports", "specialization_constants"});
  std::vector<ExportDescription> exports;
  if (document.Has("specialization_constants") && !document.Has("exports")) return exports;
  std::set<std::string> names;
  for (const JsonValue& object : document.At("exports").Array()) {
    exports.push_back(ReadExport(object));
    if (!names.insert(exports.back().name).second) {
      object.Fail(Concat("has the name '", exports.back().name, "' of another export"));
    }
  }
  if (exports.empty()) document.At("exports").Fail("is empty");
  return exports;
}

constexpr std::array<std::string_view, 5> kConventionNames = {"wrapper", "expanded", "bare_pointer", "c", "c"};

Json TypesJson(const hal_value_type_t* types, uint32_t count) {
  Json texts = Json::array();
  for (uint32_t i = 0; i < count; ++i) texts.push_back(ValueTypeText(types[i]));
  return texts;
}

Json SignatureJson(const hal_function_signature_t& signature) {
  return {{"convention", ConventionText(signature.convention)},
          {"arguments", TypesJson(signature.arguments, signature.argument_count)},
          {"results", TypesJson(signature.results, signature.result_count)}};
}

// The keys that a parameter has beyond its kind, name and type.
Json KindJson(const hal_parameter_t& parameter) {
  switch (parameter.kind) {
    case HAL_PARAMETER_KIND_CONSTANT:
      return {{"offset", parameter.offset}, {"size", parameter.size}};
    case HAL_PARAMETER_KIND_NULL:
      return Json::object();
    case HAL_PARAMETER_KIND_SCRATCH:
      return {{"size", parameter.size}, {"alignment", parameter.offset}};
    default:
      break;
  }
  Json result = {{"set", parameter.set}, {"binding", parameter.binding}, {"access", AccessText(parameter.access)}};
  if (parameter.kind == HAL_PARAMETER_KIND_BINDING_ADDRESS) result["offset"] = parameter.offset;
  return result;
}

// "name" and "type", where they are known.
void AddInfo(const hal_parameter_info_t& info, Json* parameter) {
  if (info.name.size > 0) (*parameter)["name"] = Text(info.name);
  if (info.element_type != HAL_ELEMENT_TYPE_NONE) (*parameter)["type"] = ElementTypeText(info.element_type);
}

}  // namespace

const char* ConventionText(hal_calling_convention_t convention) {
  return static_cast<size_t>(convention) < kConventionNames.size() ? kConventionNames[convention].data() : "unknown";
}

std::string ValueTypeText(const hal_value_type_t& type) {
  size_t length = 0;
  if (hal_value_type_format(&type, nullptr, 0, &length) == HAL_STATUS_INVALID_ARGUMENT) return "unknown";
  std::string text(length + 1, '\0');
  if (hal_value_type_format(&type, text.data(), text.size(), nullptr) != HAL_STATUS_OK) return "unknown";
  text.pop_back();
  return text;
}

std::string FunctionTypeText(const hal_function_signature_t& signature) {
  std::vector<std::string> arguments;
  std::vector<std::string> results;
  for (uint32_t i = 0; i < signature.argument_count; ++i) arguments.push_back(ValueTypeText(signature.arguments[i]));
  for (uint32_t i = 0; i < signature.result_count; ++i) results.push_back(ValueTypeText(signature.results[i]));
  if (signature.convention == HAL_CALLING_CONVENTION_C_STATUS) results.emplace_back("status");
  return Concat("(", JoinText(arguments), ") -> (", JoinText(results), ")");
}

const std::string& ExportDescription::SymbolIn(const std::string& format) const {
  const auto special = symbols.find(format);
  if (special != symbols.end()) return special->second;
  return symbol.empty() ? name : symbol;
}

DescriptionFile ReadDescriptionFile(const std::string& path) {
  if (path.empty()) return {};
  return {path, ReadJsonFile(path)};
}

std::vector<ExportDescription> ReadExportDescriptions(const DescriptionFile& file) {
  if (file.path.empty()) return {};
  try {
    return ReadDocument(JsonValue(file.document, ""));
  } catch (const Failure& failure) {
    Fail(failure.code(), "'", file.path, "': ", failure.what());
  }
}

std::vector<ExportDescription> ReadExportDescriptions(const std::string& path) {
  return ReadExportDescriptions(ReadDescriptionFile(path));
}

std::vector<hal_export_info_t> ToExportInfos(const std::vector<ExportDescription>& exports, const std::string& format) {
  std::vector<hal_export_info_t> infos;
  for (const ExportDescription& description : exports) {
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = View(description.name);
    info.symbol = View(description.SymbolIn(format));
    info.workgroup_size = description.workgroup_size;
    info.local_memory_size = description.local_memory_size;
    info.constants_size = description.constants_size;
    SetSubgroups(description.subgroups, &info);
    info.parameter_count = static_cast<uint32_t>(description.parameters.size());
    info.parameters = description.parameters.data();
    info.tensor_maps = description.tensor_maps.data();
    info.tensor_map_count = static_cast<uint32_t>(description.tensor_maps.size());
    if (description.signature) info.signature = &description.signature->Get();
    infos.push_back(info);
  }
  return infos;
}

std::optional<SubgroupBounds> ParseSubgroupBounds(std::string_view text) {
  const auto parse = [](std::string_view part) -> std::optional<uint32_t> {
    if (part.empty()) return 0;
    const auto number = ParseUint(part);
    const bool is_size = number && *number > 0 && *number <= UINT32_MAX && (*number & (*number - 1)) == 0;
    return is_size ? std::optional(static_cast<uint32_t>(*number)) : std::nullopt;
  };
  const size_t dash = text.find('-');
  const auto least = parse(text.substr(0, dash));
  const auto most = dash == std::string_view::npos ? least : parse(text.substr(dash + 1));
  if (!least || !most || (*least == 0 && *most == 0) || (*most > 0 && *least > *most)) return std::nullopt;
  return SubgroupBounds{*least, *most};
}

std::string SubgroupText(const SubgroupBounds& bounds) {
  if (bounds.least == bounds.most) return Concat(bounds.least);
  if (bounds.most == 0) return Concat(bounds.least, " or more");
  return bounds.least == 0 ? Concat(bounds.most, " or less") : Concat(bounds.least, " to ", bounds.most);
}

hal_element_type_t ReadElementType(const JsonValue& value) {
  const std::string name = value.Text();
  try {
    return ParseElementType(name);
  } catch (const Failure& failure) {
    value.Fail(Concat("is '", name, "': ", failure.what()));
  }
}

hal_binding_access_t ReadAccess(const JsonValue& value) {
  return static_cast<hal_binding_access_t>(value.Choice(kAccessNames));
}

const char* AccessText(hal_binding_access_t access) {
  return static_cast<size_t>(access) < kAccessNames.size() ? kAccessNames[access].data() : "unknown";
}

Json ToJson(std::span<const hal_parameter_t> parameters, std::span<const hal_tensor_map_t> maps) {
  Json list = Json::array();
  size_t next_map = 0;
  for (const hal_parameter_t& parameter : parameters) {
    Json& one = list.emplace_back(Json{{"kind", kKindNames[parameter.kind]}});
    one.update(KindJson(parameter));
    if (parameter.kind == HAL_PARAMETER_KIND_TENSOR_MAP) one.update(ToJson(maps[next_map++]));
  }
  return list;
}

Json ToJson(const hal_export_info_t& info) {
  Json parameters = ToJson({info.parameters, info.parameter_count}, {info.tensor_maps, info.tensor_map_count});
  for (uint32_t i = 0; info.parameter_infos && i < info.parameter_count; ++i) {
    AddInfo(info.parameter_infos[i], &parameters[i]);
  }
  Json result = {{"name", Text(info.name)}};
  if (info.symbol.size && Text(info.symbol) != Text(info.name)) result["symbol"] = Text(info.symbol);
  result["workgroup_size"] = {info.workgroup_size.x, info.workgroup_size.y, info.workgroup_size.z};
  result["local_memory_size"] = info.local_memory_size;
  result["constants_size"] = info.constants_size;
  result["parameters"] = parameters;
  if (info.signature && IsC(info.signature->convention)) {
    AddCSignature(*info.signature, &result);
  } else if (info.signature) {
    result["signature"] = SignatureJson(*info.signature);
  }
  return result;
}

}  // namespace halyard::tools
