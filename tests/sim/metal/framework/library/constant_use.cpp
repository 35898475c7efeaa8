// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/library/constant_use.h"

#include <cctype>
#include <utility>
#include <vector>

namespace halyard::metal_sim {
namespace {

bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// What a text has between its words: comments, lines of the preprocessor, attributes.
constexpr std::pair<std::string_view, std::string_view> kSkipped[] = {
    {"//", "\n"}, {"#", "\n"}, {"/*", "*/"}, {"[[", "]]"}, {"__attribute__((", "))"}};

// Cuts off what is no word at the beginning of a text. False if there is nothing.
bool SkipOne(std::string_view* rest) {
  if (!rest->empty() && std::isspace(static_cast<unsigned char>(rest->front())) != 0) {
    rest->remove_prefix(1);
    return true;
  }
  for (const auto& [begin, end] : kSkipped) {
    if (!rest->starts_with(begin)) continue;
    const size_t found = rest->find(end, begin.size());
    rest->remove_prefix(found == std::string_view::npos ? rest->size() : found + end.size());
    return true;
  }
  return false;
}

// Takes the next word from a text: a name, a number or one other character. Empty at the end.
std::string_view TakeWord(std::string_view* rest) {
  while (SkipOne(rest)) {
  }
  size_t length = 0;
  while (length < rest->size() && IsNamePart((*rest)[length])) ++length;
  if (length == 0 && !rest->empty()) length = 1;
  const std::string_view word = rest->substr(0, length);
  rest->remove_prefix(length);
  return word;
}

// Whether the name of a declaration stands before this word.
bool EndsDeclaredName(std::string_view word) {
  return word == "=" || word == "(" || word == "[" || word == "{" || word == ";";
}

}  // namespace

DeclaredNames::DeclaredNames(std::string_view text) {
  std::string_view name;  // the last one before the declaration's first bracket
  bool name_ended = false;
  std::set<std::string, std::less<>> words;  // of the declaration that is being read
  int depth = 0;                             // of braces
  std::string_view before;                   // the last two words
  std::string_view before_that;
  for (std::string_view word = TakeWord(&text); !word.empty(); word = TakeWord(&text)) {
    if (before == "(" && before_that == "is_function_constant_defined") optional_.emplace(word);
    before_that = std::exchange(before, word);
    if (IsNamePart(word.front())) {
      if (!name_ended) name = word;
      words.emplace(word);
      continue;
    }
    name_ended = name_ended || EndsDeclaredName(word);
    if (word == "{") ++depth;
    if (word == "}") --depth;
    if (depth > 0 || (word != ";" && word != "}")) continue;
    mentions_[std::string(name)].merge(words);
    words.clear();
    name = {};
    name_ended = false;
  }
}

std::set<std::string, std::less<>> DeclaredNames::ReachedFrom(std::string_view name) const {
  std::set<std::string, std::less<>> reached;
  std::vector<std::string> open = {std::string(name)};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    const auto found = mentions_.find(next);
    if (!reached.insert(next).second || found == mentions_.end()) continue;
    open.insert(open.end(), found->second.begin(), found->second.end());
  }
  return reached;
}

}  // namespace halyard::metal_sim
