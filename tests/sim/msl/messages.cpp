// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/messages.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace halyard::msl_host {
namespace {

// As many as Apple's compiler reports.
constexpr int kMostErrors = 20;

// Takes the first line off a text.
std::string_view TakeLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

bool Contains(std::string_view line, std::string_view part) { return line.find(part) != std::string_view::npos; }

// Classes of C++ have no functions for objects in address spaces, which those of Metal have.
bool IsErrorOfTheCheck(std::string_view line) {
  constexpr std::array<std::string_view, 6> kTexts = {"array initializer must be an initializer list",
                                                      "no matching constructor for initialization of",
                                                      "no viable overloaded '='",
                                                      "'this' argument to member function",
                                                      "no viable overloaded operator[]",
                                                      "no viable conversion from"};
  return std::ranges::any_of(kTexts, [&](std::string_view text) { return Contains(line, text); });
}

// The line of a source with a number from 1 on.
std::string_view SourceLine(std::string_view source, size_t number) {
  for (; number > 1; --number) TakeLine(&source);
  return TakeLine(&source);
}

}  // namespace

std::string PresumedPlace(std::string_view text, size_t place) {
  std::string_view file = kSourceName;
  size_t line = 1;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end < place; end = text.find('\n', begin)) {
    const std::string_view whole = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t quote = whole.find('"');
    if (!whole.starts_with("# ") || quote == std::string_view::npos) {
      ++line;
      continue;
    }
    std::from_chars(whole.data() + 2, whole.data() + whole.size(), line);
    file = whole.substr(quote + 1, whole.find('"', quote + 1) - quote - 1);
  }
  return std::string(file) + ":" + std::to_string(line) + ":" + std::to_string(place - begin + 1);
}

std::string WithSourceLines(std::string_view messages, std::string_view source) {
  const std::string begin = std::string(kSourceName) + ":";
  std::string result;
  int errors = 0;
  while (!messages.empty()) {
    const std::string_view line = TakeLine(&messages);
    if (Contains(line, " error: ") && ++errors > kMostErrors) break;
    if (line.ends_with(" generated.")) continue;  // "2 errors generated."
    result.append(line).append("\n");
    size_t number = 0;
    if (line.starts_with(begin)) std::from_chars(line.data() + begin.size(), line.data() + line.size(), number);
    if (number > 0) result.append("    ").append(SourceLine(source, number)).append("\n");
  }
  return result;
}

std::string WithoutErrorsOfTheCheck(std::string_view messages) {
  std::string result;
  bool keep = false;
  while (!messages.empty()) {
    const std::string_view line = TakeLine(&messages);
    if (Contains(line, " error: ")) keep = !IsErrorOfTheCheck(line);
    if (keep) result.append(line).append("\n");
  }
  return result;
}

}  // namespace halyard::msl_host
