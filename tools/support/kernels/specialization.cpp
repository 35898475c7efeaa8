// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kernels/specialization.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "image/halx/container.h"
#include "image/reflection/spirv/spirv_opcodes.h"
#include "image/reflection/spirv/spirv_reader.h"
#include "image/reflection/spirv/spirv_reflection.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/json.h"
#include "support/kernels/image_format.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

using Constants = std::map<uint32_t, SpirvConstant>;

// Several images of one file have the same constants, if any.
void AddConstants(std::span<const std::byte> module, Constants* constants) {
  SpirvImage image;
  if (!Succeeds(ReadSpirv(module, &image))) return;  // loading it says why
  for (const SpirvConstant& constant : image.constants) constants->try_emplace(constant.id, constant);
}

Constants ReadConstants(const std::string& path, const std::string& format) {
  Constants constants;
  if (format == "spirv") AddConstants(ReadFile(path), &constants);
  if (format != kContainerFormat) return constants;
  Container container;
  if (const halyard::Failure failure(container.Open(path.c_str())); failure) Fail(ExitCode::kInput, failure.message());
  for (const ContainerVariant& variant : container.contents().variants) {
    if (variant.format == "spirv") AddConstants(variant.image, &constants);
  }
  return constants;
}

std::string NameOf(const SpirvConstant& constant) {
  return constant.name.empty() ? std::to_string(constant.id) : std::string(std::string_view(constant.name));
}

std::string Describe(const Constants& constants) {
  std::vector<std::string> all;
  for (const auto& [id, constant] : constants) {
    const std::string name = constant.name.empty() ? "" : " '" + NameOf(constant) + "'";
    all.push_back(Concat(id, name, " (", ElementTypeText(constant.type), ")"));
  }
  return JoinText(all);
}

[[noreturn]] void FailUnknown(const SpecializeArgument& argument, const Constants& constants, const std::string& path) {
  std::vector<std::string> names;
  for (const auto& [id, constant] : constants) names.push_back(NameOf(constant));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const bool is_number = ParseUint(argument.constant).has_value();
  Fail(argument.code, argument.text, ": '", path, "' has no specialisation constant '", argument.constant, "'; ",
       is_number ? "known: " + Describe(constants) : SuggestionText(argument.constant, known));
}

std::optional<uint32_t> ToId(const std::string& text) {
  const std::optional<uint64_t> number = ParseUint(text);
  if (!number || *number > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

const SpirvConstant* Find(const SpecializeArgument& argument, const Constants& constants) {
  if (const std::optional<uint32_t> id = ToId(argument.constant)) {
    const auto found = constants.find(*id);
    return found == constants.end() ? nullptr : &found->second;
  }
  const auto is_it = [&](const auto& entry) { return std::string_view(entry.second.name) == argument.constant; };
  const auto found = std::ranges::find_if(constants, is_it);
  if (found == constants.end()) return nullptr;
  const auto other = std::find_if(std::next(found), constants.end(), is_it);
  if (other == constants.end()) return &found->second;
  Fail(argument.code, argument.text, ": constants ", found->first, " and ", other->first, " are both called '",
       argument.constant, "'; name one by its number");
}

struct Value {
  uint64_t bits = 0;
  uint32_t size = 0;  // bytes: 1, 2, 4 or 8
};

Value ParseValue(const SpecializeArgument& argument, hal_element_type_t type) {
  Value value;
  std::vector<std::byte> bytes;
  try {
    bytes = ParseElement(type, argument.value);
  } catch (const Failure& failure) {
    Fail(argument.code, argument.text, ": ", failure.what());
  }
  if (bytes.size() > sizeof(value.bits)) {
    Fail(argument.code, argument.text, ": ", ElementTypeText(type),
         " has more than the 8 bytes that a specialisation constant has at most");
  }
  std::memcpy(&value.bits, bytes.data(), bytes.size());
  value.size = static_cast<uint32_t>(bytes.size());
  return value;
}

hal_specialization_t Unknown(const SpecializeArgument& argument, const std::string& path) {
  const std::optional<uint32_t> id = ToId(argument.constant);
  if (!id || argument.type == HAL_ELEMENT_TYPE_NONE) {
    Fail(argument.code, argument.text, ": '", path,
         "' does not tell its specialisation constants; write ID=VALUE:TYPE, as in 0=64:u32");
  }
  const Value value = ParseValue(argument, argument.type);
  return {*id, value.size, value.bits};
}

hal_specialization_t Known(const SpecializeArgument& argument, const SpirvConstant& constant) {
  const hal_element_type_t type = argument.type != HAL_ELEMENT_TYPE_NONE ? argument.type : constant.type;
  const Value value = ParseValue(argument, type);
  const bool is_whole = ElementBits(type) == 8 * value.size;
  const bool is_bits = constant.type != HAL_ELEMENT_TYPE_I1 && is_whole && value.size == constant.size;
  if (type != constant.type && !is_bits) {
    Fail(argument.code, argument.text, ": constant ", constant.id, " ('", NameOf(constant), "') is ",
         ElementTypeText(constant.type), ", not ", ElementTypeText(type));
  }
  if (!argument.name.empty() && !constant.name.empty() && argument.name != std::string_view(constant.name)) {
    Fail(argument.code, argument.text, ": constant ", constant.id, " is called '", NameOf(constant), "', not '",
         argument.name, "'");
  }
  return {constant.id, constant.size, value.bits};
}

// What a description says of the constants of an image that does not tell them.
void AddDescribed(const std::vector<SpecializeArgument>& described, Constants* constants) {
  for (const SpecializeArgument& one : described) {
    const std::optional<uint32_t> id = ToId(one.constant);
    if (!id || one.type == HAL_ELEMENT_TYPE_NONE) continue;
    SpirvConstant constant;
    constant.id = *id;
    constant.size = ParseValue(one, one.type).size;
    constant.name = one.name;
    constant.type = one.type;
    constants->try_emplace(*id, constant);
  }
}

std::vector<hal_specialization_t> Resolve(const std::vector<SpecializeArgument>& arguments, const Constants& constants,
                                          const std::string& path) {
  std::vector<hal_specialization_t> result;
  for (const SpecializeArgument& argument : arguments) {
    const SpirvConstant* const constant = Find(argument, constants);
    if (!constant && !constants.empty()) FailUnknown(argument, constants, path);
    const hal_specialization_t value = constant ? Known(argument, *constant) : Unknown(argument, path);
    if (std::ranges::find(result, value.id, &hal_specialization_t::id) != result.end()) {
      Fail(argument.code, argument.text, ": constant ", value.id, " is given twice");
    }
    result.push_back(value);
  }
  return result;
}

SpecializeArgument ReadDescribed(const JsonValue& object) {
  object.AllowKeys({"id", "name", "type", "value"});
  SpecializeArgument result;
  result.code = ExitCode::kInput;
  if (object.Has("name")) result.name = object.At("name").Text();
  result.constant = object.Has("id") ? std::to_string(object.At("id").Uint32()) : result.name;
  if (result.constant.empty()) object.Fail("has neither \"id\" nor \"name\"");
  if (!object.Has("id") && ToId(result.name)) object.At("name").Fail("is a number, which is for \"id\"");
  if (object.Has("type")) result.type = ReadElementType(object.At("type"));
  result.value = object.At("value").Scalar();
  return result;
}

uint32_t WordAt(const std::vector<std::byte>& module, size_t word) {
  uint32_t value = 0;
  std::memcpy(&value, module.data() + word * sizeof(value), sizeof(value));
  return value;
}

void SetWord(std::vector<std::byte>* module, size_t word, uint32_t value) {
  std::memcpy(module->data() + word * sizeof(value), &value, sizeof(value));
}

// SPIR-V wants narrow numbers with the sign in the bits above.
uint64_t Widen(const SpirvConstant& constant, uint64_t bits) {
  if (ElementKind(constant.type) != HAL_NUMERIC_KIND_SIGNED || constant.size >= sizeof(bits)) return bits;
  const uint32_t unused = 64 - 8 * constant.size;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

// What has the number of a constant: several may, and a module that nothing has validated names them anywhere.
std::set<uint32_t> FindIds(SpirvReader& reader, uint32_t number) {
  std::set<uint32_t> ids;
  const halyard::Failure failure(reader.ForEach([&](const SpirvInstruction& instruction) {
    const bool is_decoration = instruction.opcode == spirv::kOpDecorate && instruction.size() >= 4;
    if (is_decoration && instruction[2] == spirv::kSpecId && instruction[3] == number) ids.insert(instruction[1]);
    return kOk;
  }));
  if (failure) Fail(ExitCode::kInput, failure.message());
  return ids;
}

void WriteDefault(const SpirvInstruction& instruction, const SpirvConstant& constant, uint64_t bits,
                  std::vector<std::byte>* module) {
  if (instruction.opcode != spirv::kOpSpecConstant) {
    const uint32_t opcode = bits != 0 ? spirv::kOpSpecConstantTrue : spirv::kOpSpecConstantFalse;
    SetWord(module, instruction.place, (WordAt(*module, instruction.place) & ~0xffffu) | opcode);
    return;
  }
  if (constant.size > sizeof(uint32_t) && instruction.size() < 5) {
    Fail(ExitCode::kInput, "specialisation constant ", constant.id,
         " has 8 bytes, and an instruction with its number, at word ", instruction.place, ", has 4");
  }
  const uint64_t wide = Widen(constant, bits);
  if (instruction.size() > 3) SetWord(module, instruction.place + 3, static_cast<uint32_t>(wide));
  if (instruction.size() > 4) SetWord(module, instruction.place + 4, static_cast<uint32_t>(wide >> 32));
}

void WriteDefaults(const SpirvConstant& constant, uint64_t bits, std::vector<std::byte>* module) {
  SpirvReader reader;
  if (const halyard::Failure unread(reader.Open(*module)); unread) Fail(ExitCode::kInput, unread.message());
  const std::set<uint32_t> ids = FindIds(reader, constant.id);
  const halyard::Failure failure(reader.ForEach([&](const SpirvInstruction& instruction) {
    const bool is_constant =
        instruction.opcode >= spirv::kOpSpecConstantTrue && instruction.opcode <= spirv::kOpSpecConstant;
    if (is_constant && instruction.size() > 2 && ids.contains(instruction[2])) {
      WriteDefault(instruction, constant, bits, module);
    }
    return kOk;
  }));
  if (failure) Fail(ExitCode::kInput, failure.message());
}

}  // namespace

SpecializeArgument ParseSpecializeArgument(std::string_view text) {
  const size_t equals = text.find('=');
  SpecializeArgument argument;
  argument.text = Concat("--specialize=", text);
  if (equals != std::string_view::npos) {
    argument.constant = text.substr(0, equals);
    std::string_view value = text.substr(equals + 1);
    const size_t colon = value.rfind(':');
    if (colon != std::string_view::npos) {
      argument.type = ParseElementType(value.substr(colon + 1));
      value = value.substr(0, colon);
    }
    argument.value = value;
  }
  if (!argument.constant.empty() && !argument.value.empty()) return argument;
  Fail(ExitCode::kUsage, "--specialize takes ID=VALUE, NAME=VALUE or ID=VALUE:TYPE, as in BLOCK=64, not '", text, "'");
}

std::vector<SpecializeArgument> ReadDescribedConstants(const DescriptionFile& file) {
  std::vector<SpecializeArgument> result;
  if (file.path.empty()) return result;
  try {
    const JsonValue root(file.document, "");
    if (!root.Has("specialization_constants")) return result;
    for (const JsonValue& constant : root.At("specialization_constants").Array()) {
      result.push_back(ReadDescribed(constant));
      result.back().text = Concat("'", file.path, "': specialization_constants[", result.size() - 1, "]");
    }
  } catch (const Failure& failure) {
    Fail(failure.code(), "'", file.path, "': ", failure.what());
  }
  return result;
}

std::vector<hal_specialization_t> ResolveSpecializations(const std::vector<SpecializeArgument>& described,
                                                         const std::vector<SpecializeArgument>& arguments,
                                                         const std::string& path, const std::string& format) {
  if (described.empty() && arguments.empty()) return {};
  Constants constants = ReadConstants(path, format);
  if (constants.empty()) AddDescribed(described, &constants);
  std::vector<hal_specialization_t> result = Resolve(arguments, constants, path);
  for (const hal_specialization_t& value : Resolve(described, constants, path)) {
    if (std::ranges::find(result, value.id, &hal_specialization_t::id) == result.end()) result.push_back(value);
  }
  return result;
}

bool SetDefault(const SpecializeArgument& argument, std::vector<std::byte>* module) {
  Constants constants;
  AddConstants(*module, &constants);
  const SpirvConstant* const constant = Find(argument, constants);
  if (!constant) return false;
  std::vector<std::byte> changed = *module;
  WriteDefaults(*constant, Known(argument, *constant).value, &changed);
  SpirvImage image;  // no size of a workgroup or length of an array is 0, for example
  if (const halyard::Failure failure(ReadSpirv(changed, &image)); failure) {
    Fail(argument.code, argument.text, ": ", failure.message());
  }
  *module = std::move(changed);
  return true;
}

}  // namespace halyard::tools
