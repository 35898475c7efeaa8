// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/translate.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "msl/messages.h"
#include "msl/outline.h"
#include "msl/tables.h"
#include "msl/tokens.h"

namespace halyard::msl_host {
namespace {

// "float3" and so on: types whose constructors take several values.
bool IsVectorType(std::string_view word) {
  constexpr std::string_view kElements[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                            "long", "ulong", "half",  "float",  "bool"};
  if (word.empty() || word.back() < '2' || word.back() > '4') return false;
  return std::ranges::find(kElements, word.substr(0, word.size() - 1)) != std::end(kElements);
}

// Whether a number has no suffix, and is not an integer.
bool IsPlainFloat(std::string_view number) {
  const bool is_hex = number.starts_with("0x") || number.starts_with("0X");
  const std::string_view marks = is_hex ? ".pP" : ".eE";
  const std::string_view suffixes = "fFhHlLuU";
  return number.find_first_of(marks) != std::string_view::npos &&
         suffixes.find(number.back()) == std::string_view::npos;
}

class Translator {
 public:
  explicit Translator(std::string_view text) : text_(text), tokens_(text), outline_(ReadOutline(tokens_)) {}

  Translation Translate() {
    RewriteTokens();
    RewriteConstants();
    for (FunctionDefinition& function : outline_.functions) {
      if (function.is_kernel) RewriteKernel(&function);
    }
    Translation result{ApplyEdits(), std::move(errors_)};
    if (result.errors.empty()) result.text += WriteTables(outline_);
    return result;
  }

 private:
  struct Edit {
    size_t begin = 0, end = 0;
    std::string text;
  };

  // Replaces a part of the text, of which the lines stay.
  void Replace(size_t begin, size_t end, std::string text) {
    text.append(static_cast<size_t>(std::ranges::count(text_.substr(begin, end - begin), '\n')), '\n');
    edits_.push_back({begin, end, std::move(text)});
  }

  void Refuse(size_t place, const std::string& message) {
    errors_ += PresumedPlace(text_, tokens_[place].begin) + ": error: " + message + "\n";
  }

  void RewriteTokens() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token == "double") Refuse(i, "'double' is not supported in Metal");
      if (token == "kernel") Replace(token.begin, token.end(), "static");
      if (token == "spvUnsafeArray" && tokens_[i - 1] == "struct") RemoveArrayType(i);
      if (token == "is_function_constant_defined" && tokens_[i + 1] == "(") {
        Replace(token.begin, tokens_[i + 2].begin, "(hal_msl_defined_");
      }
      if (BeginsAttributes(tokens_, i)) {
        const size_t close = tokens_.Closing(i);
        if (close < tokens_.size()) Replace(token.begin, tokens_[close].end(), "");
        i = close;
      }
      if (token.kind == TokenKind::kNumber) RewriteNumber(token);
      if (token.kind == TokenKind::kWord) RewriteConstructor(i);
    }
  }

  // SPIRV-Cross's own array type has a method for each address space; metal_host.h has it without.
  void RemoveArrayType(size_t name) {
    size_t begin = name - 1;
    while (begin > 0 && !(tokens_[begin] == "template")) --begin;
    const size_t end = tokens_.Find(name, tokens_.size(), ";");
    Replace(tokens_[begin].begin, tokens_[end].begin, "");
  }

  // Metal has no double: "1.0" is a float. "1.0h" is a half.
  void RewriteNumber(const Token& token) {
    if (IsPlainFloat(token.text)) edits_.push_back({token.end(), token.end(), "f"});
    const bool is_hex = token.text.starts_with("0x") || token.text.starts_with("0X");
    if (!is_hex && (token.text.ends_with('h') || token.text.ends_with('H'))) {
      Replace(token.end() - 1, token.end(), "f16");
    }
  }

  void RewriteConstructor(size_t i) {
    size_t behind = i + 1;
    if (tokens_[i] == "vec" && tokens_[behind] == "<") {
      behind = tokens_.BehindAngles(behind);
    } else if (!IsVectorType(tokens_[i].text)) {
      return;
    }
    // "float4 (&name)[2]" declares a reference.
    const bool declares = tokens_[behind + 1] == "&" || (i > 0 && tokens_[i - 1] == "operator");
    if (!(tokens_[behind] == "(") || declares) return;
    const bool is_qualified = i > 1 && tokens_[i - 1] == "::" && tokens_[i - 2] == "metal";
    const size_t begin = is_qualified ? i - 2 : i;
    Replace(tokens_[begin].begin, tokens_[behind - 1].end(), "hal_msl::make<" + tokens_.Text(begin, behind) + ">");
  }

  // Variables of this copy of the library: those of the pipeline, and those that are computed from them.
  void RewriteConstants() {
    for (const ConstantDeclaration& constant : outline_.constants) {
      if (!constant.late && !constant.function_constant) continue;
      const Token& begin = tokens_[constant.begin];
      const Token& end = tokens_[constant.end];
      Replace(begin.begin, begin.end(), "hal_msl_late");
      if (constant.function_constant) {
        edits_.push_back({end.end(), end.end(), " static bool hal_msl_defined_" + constant.name + ";"});
        continue;
      }
      const size_t value = tokens_[constant.value].begin;
      edits_.push_back({value, value,
                        "; static void hal_msl_initialise_" + constant.name + "() { const " + constant.type +
                            " hal_msl_value" + constant.dimensions + " "});
      edits_.push_back({end.begin, end.begin, "; hal_msl_set(" + constant.name + ", hal_msl_value); }"});
    }
  }

  void RewriteKernel(FunctionDefinition* kernel) {
    const size_t behind = tokens_[kernel->parameters_begin].end();
    edits_.push_back(
        {behind, behind,
         std::string("const hal_msl::abi::Item& hal_msl_item") + (kernel->parameters.empty() ? "" : ", ")});
    NumberBuffers(kernel);
    for (const Parameter& parameter : kernel->parameters) CheckParameter(parameter);
    const auto place = static_cast<size_t>(std::ranges::count_if(
        outline_.functions, [&](const FunctionDefinition& other) { return other.is_kernel && &other < kernel; }));
    size_t variable = 0;
    for (const VariableStatement& statement : kernel->variables) RewriteVariables(statement, place, &variable);
  }

  // Buffers without an attribute get the indices that are free, in order.
  static void NumberBuffers(FunctionDefinition* kernel) {
    std::set<std::string> taken;
    for (const Parameter& parameter : kernel->parameters) {
      if (parameter.attribute.name == "buffer") taken.insert(parameter.attribute.argument);
    }
    size_t next = 0;
    for (Parameter& parameter : kernel->parameters) {
      const bool is_buffer = parameter.space && *parameter.space != AddressSpace::kThreadgroup;
      if (!parameter.attribute.name.empty() || !is_buffer) continue;
      while (taken.contains(std::to_string(next))) ++next;
      parameter.attribute = {"buffer", std::to_string(next++)};
    }
  }

  void CheckParameter(const Parameter& parameter) {
    const std::string& attribute = parameter.attribute.name;
    if (attribute.empty()) {
      Refuse(parameter.place, "invalid parameter '" + parameter.name + "' of a kernel: it needs an attribute");
    } else if (!IsKnownAttribute(attribute)) {
      Refuse(parameter.place, "attribute '" + attribute + "' of '" + parameter.name + "' is not known on the host");
    } else if ((attribute == "buffer" || attribute == "threadgroup") && !IsIndex(parameter.attribute.argument)) {
      Refuse(parameter.place, "'" + attribute + "' of '" + parameter.name + "' has to be an index below " +
                                  std::to_string(kBufferIndices));
    }
  }

  static bool IsIndex(const std::string& argument) {
    const bool is_number = !argument.empty() && argument.size() < 3 &&
                           std::ranges::all_of(argument, [](char c) { return c >= '0' && c <= '9'; });
    return is_number && std::stoul(argument) < kBufferIndices;
  }

  void RewriteVariables(const VariableStatement& statement, size_t kernel, size_t* variable) {
    std::string text;
    for (const VariableDeclaration& declaration : statement.variables) {
      text += "threadgroup hal_msl::identity<" + declaration.type + ">::type& " + declaration.name +
              " = hal_msl_threadgroup(" + std::to_string(kernel) + ", " + std::to_string((*variable)++) + ", " +
              declaration.type + "); ";
    }
    Replace(tokens_[statement.begin].begin, tokens_[statement.end].end(), std::move(text));
  }

  // Of edits that overlap, the one that begins first stands: it has what the other one would change.
  std::string ApplyEdits() {
    std::ranges::stable_sort(edits_, {}, &Edit::begin);
    std::string result;
    size_t at = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < at) continue;
      result.append(text_.substr(at, edit.begin - at)).append(edit.text);
      at = edit.end;
    }
    return result.append(text_.substr(at));
  }

  std::string_view text_;
  Tokens tokens_;
  Outline outline_;
  std::vector<Edit> edits_;
  std::string errors_;
};

}  // namespace

Translation Translate(std::string_view preprocessed) { return Translator(preprocessed).Translate(); }

}  // namespace halyard::msl_host
