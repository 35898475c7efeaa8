// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialization.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "image/halx/container.h"
#include "image/reflection/spirv_reflection.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/image_format.h"
#include "support/input_file.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

using Constants = std::map<uint32_t, SpirvConstant>;

// Several images of one file have the same constants, if any.
void AddConstants(std::span<const std::byte> module, Constants* constants) {
  SpirvImage image;
  if (ReadSpirv(module, &image) != HAL_STATUS_OK) return;  // loading it says why
  for (const SpirvConstant& constant : image.constants) constants->try_emplace(constant.id, constant);
}

Constants ReadConstants(const std::string& path, const std::string& format) {
  Constants constants;
  if (format == "spirv") AddConstants(ReadFile(path), &constants);
  if (format != kContainerFormat) return constants;
  Container container;
  if (container.Open(path.c_str()) != HAL_STATUS_OK) Fail(ExitCode::kInput, LastErrorMessage());
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
  Fail(ExitCode::kUsage, "--specialize=", argument.text, ": '", path, "' has no specialisation constant '",
       argument.constant, "'; ",
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
  Fail(ExitCode::kUsage, "--specialize=", argument.text, ": constants ", found->first, " and ", other->first,
       " are both called '", argument.constant, "'; name one by its number");
}

uint64_t ParseBits(const SpecializeArgument& argument, hal_element_type_t type) {
  uint64_t bits = 0;
  std::vector<std::byte> bytes;
  try {
    bytes = ParseElement(type, argument.value);
  } catch (const Failure& failure) {
    Fail(failure.code(), "--specialize=", argument.text, ": ", failure.what());
  }
  if (bytes.size() > sizeof(bits)) {
    Fail(ExitCode::kUsage, "--specialize=", argument.text, ": ", ElementTypeText(type),
         " has more than the 8 bytes that a specialisation constant has at most");
  }
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

hal_specialization_t Unknown(const SpecializeArgument& argument, const std::string& path) {
  const std::optional<uint32_t> id = ToId(argument.constant);
  if (!id || argument.type == HAL_ELEMENT_TYPE_NONE) {
    Fail(ExitCode::kUsage, "--specialize=", argument.text, ": '", path,
         "' does not tell its specialisation constants; write ID=VALUE:TYPE, as in 0=64:u32");
  }
  return {*id, static_cast<uint32_t>(ReaderFor(argument.type).size), ParseBits(argument, argument.type)};
}

hal_specialization_t Known(const SpecializeArgument& argument, const SpirvConstant& constant) {
  if (argument.type != HAL_ELEMENT_TYPE_NONE && argument.type != constant.type) {
    const bool is_bits = constant.type != HAL_ELEMENT_TYPE_I1 && ReaderFor(argument.type).size == constant.size;
    if (!is_bits) {
      Fail(ExitCode::kUsage, "--specialize=", argument.text, ": constant ", constant.id, " ('", NameOf(constant),
           "') is ", ElementTypeText(constant.type), ", not ", ElementTypeText(argument.type));
    }
  }
  const hal_element_type_t type = argument.type != HAL_ELEMENT_TYPE_NONE ? argument.type : constant.type;
  return {constant.id, constant.size, ParseBits(argument, type)};
}

}  // namespace

SpecializeArgument ParseSpecializeArgument(std::string_view text) {
  const size_t equals = text.find('=');
  SpecializeArgument argument;
  argument.text = text;
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

std::vector<hal_specialization_t> ResolveSpecializations(const std::vector<SpecializeArgument>& arguments,
                                                         const std::string& path, const std::string& format) {
  std::vector<hal_specialization_t> result;
  if (arguments.empty()) return result;
  const Constants constants = ReadConstants(path, format);
  for (const SpecializeArgument& argument : arguments) {
    const SpirvConstant* const constant = Find(argument, constants);
    if (!constant && !constants.empty()) FailUnknown(argument, constants, path);
    const hal_specialization_t value = constant ? Known(argument, *constant) : Unknown(argument, path);
    if (std::ranges::find(result, value.id, &hal_specialization_t::id) != result.end()) {
      Fail(ExitCode::kUsage, "--specialize=", argument.text, ": constant ", value.id, " is given twice");
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace halyard::tools
