// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/outline.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace halyard::msl_host {
namespace {

uint32_t ToNumber(const std::string& text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// What is declared between two places: the last word outside brackets, in front of attributes and a value.
size_t DeclaredName(const Tokens& tokens, size_t begin, size_t end) {
  size_t name = end;
  for (size_t i = begin; i < end; ++i) {
    if (BeginsAttributes(tokens, i) || tokens[i] == "=") break;
    if (tokens[i] == "<") i = std::max(i, tokens.BehindAngles(i) - 1);
    if (tokens[i] == "[") i = tokens.Closing(i);  // the name can stand in "(&name)[2]"
    if (tokens[i].kind == TokenKind::kWord) name = i;
  }
  return name;
}

std::vector<Attribute> FindAttributes(const Tokens& tokens, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (BeginsAttributes(tokens, i)) return ReadAttributes(tokens, i);
  }
  return {};
}

std::optional<AddressSpace> FindSpace(const Tokens& tokens, size_t begin, size_t end) {
  for (size_t i = begin; i < end && !BeginsAttributes(tokens, i); ++i) {
    if (tokens[i] == "device") return AddressSpace::kDevice;
    if (tokens[i] == "constant") return AddressSpace::kConstant;
    if (tokens[i] == "threadgroup") return AddressSpace::kThreadgroup;
  }
  return std::nullopt;
}

// Calls a function with the begin and end of each part between commas.
template <typename Function>
void ForEachPart(const Tokens& tokens, size_t begin, size_t end, Function function) {
  size_t part = begin;
  for (size_t i = begin; i <= end; ++i) {
    if (i < end && tokens[i] == "<") i = std::max(i, tokens.BehindAngles(i) - 1);
    if (i < end && (tokens[i] == "(" || tokens[i] == "[" || tokens[i] == "{")) i = tokens.Closing(i);
    if (i < end && !(tokens[i] == ",")) continue;
    if (part < std::min(i, end)) function(part, std::min(i, end));
    part = i + 1;
  }
}

// "T a [[id(0)]], b"
void ReadMembers(const Tokens& tokens, size_t begin, size_t end, std::vector<MemberDeclaration>* members) {
  ForEachPart(tokens, begin, end, [&](size_t from, size_t to) {
    const size_t name = DeclaredName(tokens, from, to);
    if (name == to) return;
    auto id = static_cast<uint32_t>(members->size());
    for (const Attribute& attribute : FindAttributes(tokens, from, to)) {
      if (attribute.name == "id") id = ToNumber(attribute.argument);
    }
    members->push_back({std::string(tokens[name].text), id});
  });
}

StructDeclaration ReadStruct(const Tokens& tokens, size_t declaration, size_t open) {
  const size_t name_end = tokens.Find(declaration, open, ":");
  const size_t name = DeclaredName(tokens, declaration + 1, name_end);
  StructDeclaration result;
  if (name < name_end) result.name = tokens[name].text;
  const size_t close = tokens.Closing(open);
  for (size_t begin = open + 1; begin < close;) {
    const size_t end = tokens.Find(begin, close, ";{");
    const bool is_block = tokens[end] == "{";  // of a function
    const bool is_type = tokens[begin] == "using" || tokens[begin] == "typedef" || tokens[begin] == "static";
    const bool is_declaration = tokens.Find(begin, end, "(") < end;
    if (!is_block && !is_type && !is_declaration) ReadMembers(tokens, begin, end, &result.members);
    begin = (is_block ? tokens.Closing(end) : end) + 1;
  }
  return result;
}

ConstantDeclaration ReadConstant(const Tokens& tokens, size_t begin, size_t end) {
  ConstantDeclaration result;
  result.begin = begin;
  result.end = end;
  result.value = tokens.Find(begin, end, "=");
  result.name_place = DeclaredName(tokens, begin, end);
  result.name = tokens[result.name_place].text;
  const size_t type = tokens[begin + 1] == "const" ? begin + 2 : begin + 1;
  result.type = tokens.Text(type, result.name_place);
  size_t behind = result.name_place + 1;
  while (tokens[behind] == "[" && !BeginsAttributes(tokens, behind)) behind = tokens.Closing(behind) + 1;
  result.dimensions = tokens.Text(result.name_place + 1, std::min(behind, end));
  for (const Attribute& attribute : FindAttributes(tokens, begin, end)) {
    if (attribute.name == "function_constant") result.function_constant = ToNumber(attribute.argument);
  }
  return result;
}

Parameter ReadParameter(const Tokens& tokens, size_t begin, size_t end) {
  Parameter result;
  result.place = DeclaredName(tokens, begin, end);
  result.name = tokens[result.place].text;
  result.space = FindSpace(tokens, begin, end);
  for (const Attribute& attribute : FindAttributes(tokens, begin, end)) {
    if (attribute.name != "function_constant") result.attribute = attribute;
  }
  return result;
}

// "threadgroup T a[2], b;", unless it declares pointers or references.
// "__attribute__((aligned(16)))" and "alignas(16)" in front of the type say what each allocation has anyway.
VariableStatement ReadVariables(const Tokens& tokens, size_t begin, size_t end) {
  VariableStatement result{begin, end, {}};
  size_t first = begin + 1;
  while (first < end && (tokens[first] == "__attribute__" || tokens[first] == "alignas")) {
    first = tokens.Closing(first + 1) + 1;
  }
  if (first >= end || tokens.Find(first, end, "*&=(") < end) return result;
  std::string type;
  ForEachPart(tokens, first, end, [&](size_t from, size_t to) {
    const size_t name = DeclaredName(tokens, from, to);
    if (type.empty()) type = tokens.Text(from, name);
    result.variables.push_back({std::string(tokens[name].text), type + tokens.Text(name + 1, to)});
  });
  return result;
}

void ReadKernel(const Tokens& tokens, FunctionDefinition* function) {
  ForEachPart(tokens, function->parameters_begin + 1, function->parameters_end,
              [&](size_t begin, size_t end) { function->parameters.push_back(ReadParameter(tokens, begin, end)); });
  for (size_t i = function->body_begin; i < function->body_end; ++i) {
    const bool begins = tokens[i] == ";" || tokens[i] == "{" || tokens[i] == "}";
    if (!begins || !(tokens[i + 1] == "threadgroup")) continue;
    VariableStatement statement = ReadVariables(tokens, i + 1, tokens.Find(i + 1, function->body_end, ";"));
    if (!statement.variables.empty()) function->variables.push_back(std::move(statement));
  }
}

// A function whose body begins at `open`; without a name if it is none.
FunctionDefinition ReadFunction(const Tokens& tokens, size_t begin, size_t open) {
  FunctionDefinition result;
  for (size_t i = begin; i < open; ++i) {
    if (tokens[i] == "kernel") result.is_kernel = true;
    if (BeginsAttributes(tokens, i)) {
      const std::vector<Attribute> attributes = ReadAttributes(tokens, i);
      result.is_kernel |= std::ranges::any_of(attributes, [](const Attribute& a) { return a.name == "kernel"; });
      i = tokens.Closing(i);
      continue;
    }
    if (tokens[i] == "__attribute__") i = tokens.Closing(i + 1);
    if (!(tokens[i] == "(") || i == begin) continue;
    result.name = tokens[i - 1].text;
    result.parameters_begin = i;
    result.parameters_end = tokens.Closing(i);
    break;
  }
  result.body_begin = open;
  result.body_end = tokens.Closing(open);
  if (result.is_kernel && result.parameters_end < open) ReadKernel(tokens, &result);
  return result;
}

class OutlineReader {
 public:
  explicit OutlineReader(const Tokens& tokens) : tokens_(tokens) {}

  Outline Read() {
    for (size_t i = 0; i < tokens_.size();) i = ReadDeclaration(i);
    FindLateConstants();
    FindBarriers();
    return std::move(outline_);
  }

 private:
  // Reads what begins at a place, and returns the place behind it.
  size_t ReadDeclaration(size_t begin) {
    if (tokens_[begin] == "}" && !scopes_.empty()) scopes_.pop_back();
    if (tokens_[begin] == "}" || tokens_[begin] == ";") return begin + 1;
    if (tokens_[begin] == "template") {  // of which the tables have no use
      const size_t end = tokens_.Find(tokens_.BehindAngles(begin + 1), tokens_.size(), ";{");
      return Behind(begin, end, false);
    }
    const size_t end = tokens_.Find(begin, tokens_.size(), ";{");
    const bool is_block = tokens_[end] == "{";
    if (is_block && tokens_[begin] == "namespace") {
      scopes_.push_back(Scope() + tokens_.Text(begin + 1, end) + (begin + 1 < end ? "::" : ""));
      return end + 1;
    }
    const bool is_struct = is_block && (tokens_[begin] == "struct" || tokens_[begin] == "class");
    const bool is_function = is_block && !is_struct && LooksLikeFunction(begin, end);
    if (is_struct) {
      outline_.structs.push_back(ReadStruct(tokens_, begin, end));
      if (!outline_.structs.back().name.empty()) outline_.structs.back().name.insert(0, Scope());
    } else if (is_function) {
      outline_.functions.push_back(ReadFunction(tokens_, begin, end));
      outline_.functions.back().scope = Scope();
    } else if (tokens_[begin] == "constant") {
      outline_.constants.push_back(ReadConstant(tokens_, begin, tokens_.Find(begin, tokens_.size(), ";")));
      outline_.constants.back().scope = Scope();
    }
    return Behind(begin, end, is_function);
  }

  std::string Scope() const { return scopes_.empty() ? "" : scopes_.back(); }

  // Parameters stand in front of any value; "operator==" has none.
  bool LooksLikeFunction(size_t begin, size_t end) const {
    const size_t parameters = tokens_.Find(begin, end, "(");
    const bool is_operator = Uses(begin, parameters, {"operator"});
    return parameters < end && (is_operator || parameters < tokens_.Find(begin, end, "="));
  }

  size_t Behind(size_t begin, size_t end, bool is_function) const {
    const bool is_block = tokens_[end] == "{" && (is_function || LooksLikeFunction(begin, end));
    return is_block ? tokens_.Closing(end) + 1 : tokens_.Find(end, tokens_.size(), ";") + 1;
  }

  bool Uses(size_t begin, size_t end, const std::set<std::string>& names) const {
    for (size_t i = begin; i < end; ++i) {
      if (tokens_[i].kind == TokenKind::kWord && names.contains(std::string(tokens_[i].text))) return true;
    }
    return false;
  }

  void FindLateConstants() {
    std::set<std::string> late;
    for (ConstantDeclaration& constant : outline_.constants) {
      constant.late = !constant.function_constant && Uses(constant.value, constant.end, late);
      if (constant.late || constant.function_constant) late.insert(constant.name);
    }
  }

  void FindBarriers() {
    std::set<std::string> waiting = {"threadgroup_barrier", "simdgroup_barrier"};
    for (bool changed = true; changed;) {
      changed = false;
      for (FunctionDefinition& function : outline_.functions) {
        if (function.has_barriers || !Uses(function.body_begin, function.body_end, waiting)) continue;
        function.has_barriers = changed = true;
        waiting.insert(function.name);
      }
    }
  }

  const Tokens& tokens_;
  std::vector<std::string> scopes_;  // of the namespaces around the place
  Outline outline_;
};

}  // namespace

bool BeginsAttributes(const Tokens& tokens, size_t i) {
  return tokens[i] == "[" && tokens[i + 1] == "[" && tokens[i + 1].begin == tokens[i].begin + 1;
}

std::vector<Attribute> ReadAttributes(const Tokens& tokens, size_t i) {
  std::vector<Attribute> result;
  ForEachPart(tokens, i + 2, tokens.Closing(i + 1), [&](size_t begin, size_t end) {
    Attribute attribute{std::string(tokens[begin].text), {}};
    if (tokens[begin + 1] == "(") attribute.argument = tokens.Text(begin + 2, tokens.Closing(begin + 1));
    if (begin < end) result.push_back(std::move(attribute));
  });
  return result;
}

Outline ReadOutline(const Tokens& tokens) { return OutlineReader(tokens).Read(); }

}  // namespace halyard::msl_host
