// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/header_documentation.h"

#include <regex>
#include <sstream>

#include "api/pattern.h"

namespace halyard::abi {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Goes through a header line by line.
class Reader {
 public:
  void Read(const std::string& line) {
    if (in_function_) {
      in_function_ = line != "}";
      return;
    }
    const std::string text = Trimmed(line);
    const bool continues = continues_;
    continues_ = !text.empty() && text.back() == '\\';
    if (text.rfind("///<", 0) == 0) return Append(last_, Trimmed(text.substr(4)));
    if (text.rfind("///", 0) == 0) return ReadComment(Trimmed(text.substr(3)));
    if (continues || text.rfind("//", 0) == 0) return;
    const size_t trailing = text.find("///<");
    ReadCode(Trimmed(text.substr(0, trailing)));
    if (trailing != std::string::npos) Append(last_, Trimmed(text.substr(trailing + 4)));
  }

  Documentation Take() { return std::move(found_); }

 private:
  void ReadComment(const std::string& text) {
    if (text.rfind("@{", 0) == 0 || text.rfind("@}", 0) == 0) return pending_.clear();
    Append(&pending_, text);
  }

  void ReadCode(const std::string& code) {
    std::smatch match;
    const auto is = [&](const char* form) { return std::regex_search(code, match, Pattern(form)); };
    if (code.empty()) return pending_.clear();
    if (code.rfind("static inline ", 0) == 0) {  // no declaration: its body is passed over
      in_function_ = code.back() != '}';
      return pending_.clear();
    }
    if (code[0] == '}') {
      if (depth_ > 0 && --depth_ == 0) scope_.clear();  // not of a function for C++
      return pending_.clear();
    }
    if (depth_ == 0 && is(R"(^(?:typedef )?(?:struct|enum) (\w+) \{)")) {
      Document(match[1]);
      scope_ = match[1];
      is_enum_ = code.find("enum ") != std::string::npos;
      depth_ = 1;
    } else if (is(R"(^#define (\w+))") ||
               (depth_ == 0 && (is(R"(^HAL_API .*?(\w+)\()") || is(R"(\(\*(\w+)\)\()") || is(R"((\w+);$)"))) ||
               (is_enum_ && depth_ > 0 && is(R"(^(\w+) =)"))) {
      Document(match[1]);
    } else if (depth_ > 0 && code.back() == '{') {
      ++depth_;  // a union
      pending_.clear();
    } else if (depth_ > 0 && (is(R"(\(\*(\w+)\)\()") || is(R"((\w+)(\[\d+\])?;$)"))) {
      Document(scope_ + "." + match[1].str());
    }
  }

  void Document(const std::string& name) {
    last_ = &found_[name];
    Append(last_, pending_);
    pending_.clear();
  }

  static void Append(std::string* target, const std::string& text) {
    if (!target) return;
    if (text.empty()) {
      if (!target->empty() && target->back() != '\n') *target += "\n\n";
      return;
    }
    if (!target->empty() && target->back() != '\n') *target += ' ';
    *target += text;
  }

  Documentation found_;
  std::string pending_;          // of the declaration to come
  std::string* last_ = nullptr;  // of the last one
  std::string scope_;            // the struct or enum
  bool is_enum_ = false;
  int depth_ = 0;  // of braces
  bool in_function_ = false;
  bool continues_ = false;  // a macro goes on in the next line
};

}  // namespace

Documentation ReadDocumentation(const std::string& contents) {
  Reader reader;
  std::istringstream lines(contents);
  for (std::string line; std::getline(lines, line);) reader.Read(line);
  return reader.Take();
}

}  // namespace halyard::abi
