// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/header_reader.h"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "api/pattern.h"

namespace halyard::abi {
namespace {

// Macros that are neither constants nor initialisers: what compilers need.
constexpr std::array kOtherMacros = {"HAL_API",
                                     "HAL_EXTERN_C_BEGIN",
                                     "HAL_EXTERN_C_END",
                                     "HAL_LOCAL_KERNEL_LINKAGE",
                                     "HAL_LOCAL_KERNEL_DECLARED",
                                     "HAL_LOCAL_KERNEL_EXPORT",
                                     "HAL_LOCAL_KERNEL_RETAIN"};

[[noreturn]] void Refuse(const std::string& what, const std::string& text) {
  throw std::runtime_error(what + ": " + text);
}

std::string OneLine(const std::string& text) {
  const std::string folded = std::regex_replace(text, Pattern(R"(\s+)"), " ");
  return std::regex_replace(folded, Pattern("^ | $"), "");
}

std::string WithoutComments(const std::string& text) {
  return std::regex_replace(text, Pattern(R"(//[^\n]*|/\*([^*]|\*[^/])*\*/)"), "");
}

/// The two halves of a header: its macros, and the declarations as a C compiler sees them.
struct Halves {
  std::vector<std::string> macros;  // one line each
  std::string declarations;
};

Halves Separate(const std::string& contents) {
  Halves halves;
  std::istringstream lines(std::regex_replace(WithoutComments(contents), Pattern(R"(\\\n)"), " "));
  bool for_cpp = false;  // between #ifdef __cplusplus and its #else or #endif
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#ifdef __cplusplus", 0) == 0) {
      for_cpp = true;
    } else if (line.rfind("#else", 0) == 0 || line.rfind("#endif", 0) == 0) {
      for_cpp = false;
    } else if (line.rfind("#define ", 0) == 0) {
      halves.macros.push_back(OneLine(line.substr(8)));
    } else if (line.rfind('#', 0) != 0 && !for_cpp) {
      halves.declarations += line + "\n";
    }
  }
  return halves;
}

// Of the macros with parameters those that compute a number; the others are for C alone.
void ReadFunctionMacro(const std::string& name, const std::string& parameters, const std::string& value,
                       std::vector<Declaration>* out) {
  if (!std::regex_match(value, Pattern(R"(\(.*\(uint(32|64)_t\).*\))"))) return;
  out->push_back({Kind::kMacro, name, value, {}});
  std::istringstream items(parameters);
  for (std::string item; std::getline(items, item, ',');) out->back().members.push_back({OneLine(item), {}});
}

void ReadMacro(const std::string& macro, std::vector<Declaration>* out) {
  std::smatch match;
  if (std::regex_match(macro, match, Pattern(R"((\w+)\(([\w, ]+)\) (.+))")))
    return ReadFunctionMacro(match[1], match[2], match[3], out);
  if (!std::regex_match(macro, match, Pattern(R"((\w+) (.+))"))) return;  // with parameters, or empty
  const std::string name = match[1];
  const std::string value = match[2];
  if (std::find(kOtherMacros.begin(), kOtherMacros.end(), name) != kOtherMacros.end()) return;
  if (std::regex_search(value, match, Pattern(R"(^HAL_INIT_STRUCT\((\w+),)"))) {
    out->push_back({Kind::kInitialiser, name, match[1], {}});
  } else {
    out->push_back({Kind::kConstant, name, value, {}});
  }
}

// The name that a declaration declares: of a pointer to function in its parentheses, else the last one.
std::string DeclaredName(const std::string& text) {
  std::smatch match;
  if (std::regex_search(text, match, Pattern(R"(\(\*(\w+)\))"))) return match[1];
  if (std::regex_search(text, match, Pattern(R"((\w+)(\[\d+\])?$)"))) return match[1];
  Refuse("a declaration without a name", text);
}

// Where the brace that opens at `open` closes.
size_t Closing(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  Refuse("an open brace", text);
}

void ReadMembers(const std::string& body, const std::string& prefix, std::vector<Member>* out) {
  size_t begin = 0;
  while (begin < body.size()) {
    const size_t end = body.find(';', begin);
    const size_t brace = body.find('{', begin);
    if (brace < end) {  // a union with a name: its members, by their paths
      const size_t close = Closing(body, brace);
      const size_t stop = body.find(';', close);
      const std::string name = OneLine(body.substr(close + 1, stop - close - 1));
      out->push_back({prefix + name, OneLine(body.substr(begin, brace - begin)) + " " + name});
      ReadMembers(body.substr(brace + 1, close - brace - 1), prefix + name + ".", out);
      begin = stop + 1;
      continue;
    }
    if (end == std::string::npos) break;
    const std::string text = OneLine(body.substr(begin, end - begin));
    if (text.find('(') == std::string::npos && text.find(',') != std::string::npos) Refuse("two members in one", text);
    std::string place = text;
    if (!prefix.empty()) place.append(" in ").append(prefix);
    out->push_back({prefix + DeclaredName(text), std::move(place)});
    begin = end + 1;
  }
}

void ReadEnumerators(const std::string& body, std::vector<Member>* out) {
  std::istringstream items(body);
  for (std::string item; std::getline(items, item, ',');) {
    std::smatch match;
    const std::string text = OneLine(item);
    if (text.empty()) continue;
    if (!std::regex_match(text, match, Pattern(R"((\w+) = (.+))"))) Refuse("an enumerator without a value", text);
    out->push_back({match[1], match[1]});
  }
}

/// Takes declarations one after the other.
class Declarations {
 public:
  explicit Declarations(std::string text) : text_(std::move(text)) {}

  /// The next one in one line, with the contents of its braces apart. False at the end.
  bool Next(std::string* declaration, std::string* body) {
    body->clear();
    const size_t begin = text_.find_first_not_of(" \n", position_);
    if (begin == std::string::npos) return false;
    const size_t brace = text_.find('{', begin);
    size_t end = text_.find(';', begin);
    if (brace < end) {
      const size_t close = Closing(text_, brace);
      *body = text_.substr(brace + 1, close - brace - 1);
      *declaration = OneLine(text_.substr(begin, brace - begin));
      position_ = close + 1;
      if (declaration->rfind("static inline", 0) == 0) return true;
      end = text_.find(';', close);
    } else {
      if (end == std::string::npos) Refuse("an unfinished declaration", text_.substr(begin));
      *declaration = OneLine(text_.substr(begin, end - begin));
    }
    position_ = end + 1;
    return true;
  }

 private:
  std::string text_;
  size_t position_ = 0;
};

void ReadDeclaration(const std::string& text, const std::string& body, std::vector<Declaration>* out) {
  std::smatch match;
  const auto is = [&](const char* form) { return std::regex_match(text, match, Pattern(form)); };
  if (is("static inline .*")) return;  // compiled into the files that include it
  if (is(R"(typedef struct (\w+) \1)")) {
    out->push_back({Kind::kForward, match[1], text, {}});
    return;
  }
  if (is(R"((?:typedef )?struct (\w+))")) {
    out->push_back({Kind::kStruct, match[1], text, {}});
    ReadMembers(body, "", &out->back().members);
  } else if (is(R"(typedef enum (\w+))")) {
    out->push_back({Kind::kEnum, match[1], text, {}});
    ReadEnumerators(body, &out->back().members);
  } else if (is("typedef .*")) {
    out->push_back({Kind::kType, DeclaredName(text), text, {}});
  } else if (is(R"(HAL_API (.*?(\w+)\(.*\)))")) {
    out->push_back({Kind::kFunction, match[2], match[1], {}});
  } else {
    Refuse("a form that is not known here", text);
  }
}

}  // namespace

std::vector<Declaration> ReadHeader(const std::string& contents) {
  std::vector<Declaration> found;
  const Halves halves = Separate(contents);
  for (const std::string& macro : halves.macros) ReadMacro(macro, &found);
  Declarations declarations(std::regex_replace(halves.declarations, Pattern("HAL_EXTERN_C_(BEGIN|END)"), ""));
  std::string text;
  std::string body;
  while (declarations.Next(&text, &body)) ReadDeclaration(text, body, &found);
  return found;
}

}  // namespace halyard::abi
