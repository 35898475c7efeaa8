// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflect/msl_pieces.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "support/failure.h"

namespace halyard::tools {
namespace {

bool IsWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether a declaration is complete with this line, outside all braces.
bool EndsPiece(std::string_view line) {
  constexpr std::array<std::string_view, 6> kWholeLines = {"constant ", "#include", "#pragma", "#endif", "using ", "}"};
  return std::ranges::any_of(kWholeLines, [&](std::string_view begin) { return line.starts_with(begin); });
}

// The word that ends before `end`.
std::string_view WordBefore(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && IsWordPart(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// "constant uint name_tmp [[function_constant(3)]];". One number may be the size of a workgroup, which is unsigned, and
// a constant of another type: then there are two, which Metal gives the same value.
std::string NameFunctionConstants(std::string text) {
  constexpr std::string_view kAttribute = " [[function_constant(";
  for (size_t at = text.find(kAttribute); at != std::string::npos; at = text.find(kAttribute, at + 1)) {
    const size_t number = at + kAttribute.size();
    const std::string name(WordBefore(text, at));
    const std::string_view type = WordBefore(text, at - std::min(at, name.size() + 1));
    std::string common = "function_constant_" + text.substr(number, text.find(')', number) - number);
    if (type != "uint") common = Concat(common, "_", type);
    if (name.empty() || name == common) continue;
    text = ReplaceWord(text, name, common);
    at = 0;
  }
  return text;
}

}  // namespace

std::vector<std::string_view> SplitMsl(std::string_view source) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  int depth = 0;
  bool in_condition = false;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size() - 1) + 1;
    const std::string_view line = source.substr(at, end - at);
    depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
    if (line.starts_with("#if")) in_condition = true;
    if (line.starts_with("#endif")) in_condition = false;
    at = end;
    const bool is_blank = line == "\n" && at - begin == 1;
    if (is_blank) begin = at;
    if (is_blank || depth > 0 || in_condition || !EndsPiece(line)) continue;
    pieces.push_back(source.substr(begin, at - begin));
    begin = at;
  }
  if (begin < source.size()) pieces.push_back(source.substr(begin));
  return pieces;
}

std::string ReplaceWord(std::string_view text, std::string_view word, std::string_view replacement) {
  std::string result;
  size_t begin = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    const size_t end = at + word.size();
    if ((at > 0 && IsWordPart(text[at - 1])) || (end < text.size() && IsWordPart(text[end]))) continue;
    result.append(text.substr(begin, at - begin)).append(replacement);
    begin = end;
  }
  return result.append(text.substr(begin));
}

std::string MakeNamesUnique(std::string text, const std::string& kernel) {
  text = ReplaceWord(text, "gl_WorkGroupSize", kernel + "_WorkGroupSize");
  for (int set = 0; set < 8; ++set) {
    text = ReplaceWord(text, Concat("spvDescriptorSetBuffer", set), Concat(kernel, "_set", set));
  }
  return NameFunctionConstants(std::move(text));
}

std::string UseWorkgroupSize(std::string text) {
  constexpr std::string_view kDeclaration = "unsupported-built-in-type gl_WorkGroupSize [[unsupported-built-in]]";
  const size_t at = text.find(kDeclaration);
  if (at == std::string::npos) return text;
  return text.replace(at, kDeclaration.size(), "uint3 gl_WorkGroupSize [[threads_per_threadgroup]]");
}

std::string MendBoolVectors(std::string text) {
  constexpr std::string_view kWrong = "((threadgroup bool*)&";
  constexpr std::string_view kRight = "((threadgroup short*)&";
  for (size_t at = text.find(kWrong); at != std::string::npos; at = text.find(kWrong, at)) {
    text.replace(at, kWrong.size(), kRight);
  }
  return text;
}

bool UseDynamicMemory(std::string_view name, std::string* text) {
  constexpr std::string_view kKernel = "kernel void ";
  const std::string declared = Concat(" ", name, "[1];\n");
  const size_t end = text->find(declared);
  const size_t begin = text->rfind('\n', end) + 1;
  const size_t signature = text->find(kKernel);
  if (end == std::string::npos || signature > begin) return ReplaceWord(*text, name, "") == *text;
  const size_t type = text->find_first_not_of(' ', begin);
  const std::string argument = Concat(text->substr(type, end - type), "* ", name, " [[threadgroup(0)]]");
  text->erase(begin, end + declared.size() - begin);
  const size_t arguments = text->find('(', signature) + 1;
  text->insert(arguments, (*text)[arguments] == ')' ? argument : argument + ", ");
  return true;
}

void MslJoiner::Add(std::string_view source) {
  for (const std::string_view piece : SplitMsl(source)) {
    if (!seen_.emplace(piece).second) continue;
    // SPIRV-Cross has functions and structs stand apart.
    if (piece.ends_with("}\n") || piece.ends_with("};\n")) text_ += '\n';
    text_ += piece;
  }
}

}  // namespace halyard::tools
