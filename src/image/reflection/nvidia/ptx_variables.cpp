// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_variables.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace halyard {
namespace {

constexpr uint64_t kLargestVariable = uint64_t{1} << 32;  // so that products do not overflow

struct PtxType {
  std::string_view name;
  uint32_t size;  // bytes
};

constexpr std::array kTypes = {
    PtxType{".b8", 1},      PtxType{".b16", 2},       PtxType{".b32", 4}, PtxType{".b64", 8}, PtxType{".b128", 16},
    PtxType{".u8", 1},      PtxType{".u16", 2},       PtxType{".u32", 4}, PtxType{".u64", 8}, PtxType{".s8", 1},
    PtxType{".s16", 2},     PtxType{".s32", 4},       PtxType{".s64", 8}, PtxType{".f16", 2}, PtxType{".f16x2", 4},
    PtxType{".bf16", 2},    PtxType{".bf16x2", 4},    PtxType{".f32", 4}, PtxType{".f64", 8}, PtxType{".texref", 8},
    PtxType{".surfref", 8}, PtxType{".samplerref", 8}};

constexpr std::array<std::string_view, 5> kSpaces = {".const", ".global", ".local", ".shared", ".param"};

uint32_t VectorWidth(std::string_view word) {
  if (word == ".v2") return 2;
  if (word == ".v4") return 4;
  return word == ".v8" ? 8 : 0;
}

Status ReadAlignment(PtxTokens* tokens, uint32_t* out_alignment) {
  HAL_TRY(tokens->TakeNumber("the number of .align", out_alignment));
  const uint32_t alignment = *out_alignment;
  if (alignment != 0 && (alignment & (alignment - 1)) == 0) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: .align %u is no power of two", tokens->TakenLine(), alignment);
}

// ".ptr .global .align 4", all but the first optional.
Status ReadPointer(PtxTokens* tokens, PtxVariable* variable) {
  variable->is_pointer = true;
  if (std::find(kSpaces.begin(), kSpaces.end(), tokens->Current().text) != kSpaces.end()) {
    variable->space = tokens->Current().text;
    tokens->Advance();
  }
  uint32_t pointee_alignment = 0;
  return tokens->Accept(".align") ? ReadAlignment(tokens, &pointee_alignment) : kOk;
}

// What stands before the name: ".align 8 .v2 .f32", ".u64 .ptr .global".
Status ReadAttributes(PtxTokens* tokens, PtxVariable* variable) {
  while (tokens->Current().kind == PtxTokenKind::kWord && tokens->Current().text.starts_with('.')) {
    const std::string_view word = tokens->Current().text;
    tokens->Advance();
    Status status = kOk;
    if (word == ".align") {
      status = ReadAlignment(tokens, &variable->alignment);
    } else if (word == ".ptr") {
      status = ReadPointer(tokens, variable);
    } else if (!variable->type.empty()) {
      status = Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: '%.*s' follows the type of a variable, which is '%.*s'",
                    tokens->TakenLine(), HALYARD_SV(word), HALYARD_SV(variable->type));
    } else if (const uint32_t width = VectorWidth(word); width != 0) {
      variable->size = width;  // times the size of the type, below
    } else if (const auto* const type =
                   std::find_if(kTypes.begin(), kTypes.end(), [&](const PtxType& known) { return known.name == word; });
               type != kTypes.end()) {
      variable->type = word;
      variable->size = std::max<uint64_t>(variable->size, 1) * type->size;
    } else {
      status = Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: '%.*s' is no type of a variable", tokens->TakenLine(),
                    HALYARD_SV(word));
    }
    if (status != kOk) return status;
  }
  return kOk;
}

// "[16]", "[2][8]", "[]" (of unknown size: 0).
Status ReadDimensions(PtxTokens* tokens, PtxVariable* variable) {
  while (tokens->Accept("[")) {
    variable->is_array = true;
    uint32_t count = 0;
    if (!tokens->IsAt("]")) HAL_TRY(tokens->TakeNumber("the length of an array", &count));
    HAL_TRY(tokens->Expect("]"));
    variable->size *= count;
    if (variable->size <= kLargestVariable) continue;
    return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: '%.*s' has more than 4 GiB", tokens->TakenLine(),
                HALYARD_SV(variable->name));
  }
  return kOk;
}

}  // namespace

bool PtxTokens::Accept(std::string_view text) {
  if (!IsAt(text)) return false;
  Advance();
  return true;
}

Status PtxTokens::Expect(std::string_view text) {
  if (Accept(text)) return kOk;
  const HostString what = "'" + HostString(text) + "'";
  return Unexpected(what.c_str());
}

Status PtxTokens::TakeWord(const char* what, std::string_view* out_word) {
  if (current_.kind != PtxTokenKind::kWord) return Unexpected(what);
  *out_word = current_.text;
  Advance();
  return kOk;
}

Status PtxTokens::TakeNumber(const char* what, uint32_t* out_number) {
  if (current_.kind != PtxTokenKind::kNumber) return Unexpected(what);
  std::string_view digits = current_.text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  if (digits.ends_with('U')) digits.remove_suffix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out_number, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return Unexpected(what);
  Advance();
  return kOk;
}

Status PtxTokens::Unexpected(const char* what) const {
  if (current_.kind == PtxTokenKind::kBad) {
    return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: %.*s", current_.line, HALYARD_SV(current_.text));
  }
  constexpr size_t kMost = 64;
  return Fail(HAL_STATUS_DATA_LOSS, "PTX, line %u: expected %s, found '%.*s'", current_.line, what,
              HALYARD_SV(current_.text.substr(0, kMost)));
}

Status ReadPtxVariable(PtxTokens* tokens, PtxVariable* out_variable) {
  PtxVariable& variable = *out_variable;
  HAL_TRY(ReadAttributes(tokens, &variable));
  if (variable.type.empty()) return tokens->Unexpected("the type of a variable");
  variable.alignment = std::max(variable.alignment, static_cast<uint32_t>(std::min<uint64_t>(variable.size, 16)));
  HAL_TRY(tokens->TakeWord("the name of a variable", &variable.name));
  return ReadDimensions(tokens, &variable);
}

}  // namespace halyard
