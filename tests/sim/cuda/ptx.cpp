// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The little of PTX that a launch depends on: entries, the layout of their parameters, block sizes.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "cuda/image.h"

namespace halyard::cuda::abi {
namespace {

// Without comments, which may hold anything.
std::string WithoutComments(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const size_t begin = std::min(text.find("//"), text.find("/*"));
    plain += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const bool line = text[begin + 1] == '/';
    const size_t end = text.find(line ? "\n" : "*/", begin + 2);
    if (end == std::string_view::npos) break;
    text.remove_prefix(line ? end : end + 2);
  }
  return plain;
}

// Words: names with the dots and signs that belong to them, numbers, and single marks.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::string_view Next() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0])) != 0) text_.remove_prefix(1);
    size_t size = 0;
    while (size < text_.size() && IsPart(text_[size])) ++size;
    size = std::min(std::max<size_t>(size, 1), text_.size());
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(size);
    return word;
  }

 private:
  static bool IsPart(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' || c == '%';
  }

  std::string_view text_;
};

uint32_t Number(std::string_view word) {
  uint32_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

// Bytes of a type like .u64; 0 if the word is no type.
uint32_t TypeSize(std::string_view word) {
  static constexpr std::string_view kLetters = "usbf";
  if (word.size() < 3 || word[0] != '.' || kLetters.find(word[1]) == std::string_view::npos) return 0;
  const uint32_t bits = Number(word.substr(2));
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

// One `.param` up to the comma or bracket behind it, which is returned; nothing if the text ends.
std::string_view ReadParameter(Words& words, sim::ParameterPlace* place) {
  uint32_t size = 0;
  uint32_t count = 1;
  uint32_t alignment = 0;
  bool of_pointer = false;  // .ptr … .align N speaks of what the pointer leads to
  std::string_view word = words.Next();
  for (; !word.empty() && word != "," && word != ")"; word = words.Next()) {
    if (word == ".ptr") of_pointer = true;
    if (word == ".align") {
      const uint32_t value = Number(words.Next());
      if (!of_pointer) alignment = value;
    } else if (word == "[") {
      count = Number(words.Next());
    } else if (size == 0) {
      size = TypeSize(word);
    }
  }
  const size_t step = std::max<uint32_t>({alignment, size, 1});
  place->offset = (place->offset + step - 1) / step * step;
  place->size = size_t{size} * count;
  return word;
}

bool ReadParameters(Words& words, sim::Entry* entry) {
  sim::ParameterPlace place;
  for (std::string_view word = words.Next(); word != ")"; word = words.Next()) {
    if (word == ",") continue;
    if (word != ".param") return false;
    const std::string_view end = ReadParameter(words, &place);
    if (end.empty() || place.size == 0) return false;
    entry->parameters.push_back(place);
    place = {place.offset + place.size, 0};
    if (end == ")") break;
  }
  return true;
}

std::array<uint32_t, 3> ReadSizes(std::string_view first, Words& words, std::string_view* next) {
  std::array<uint32_t, 3> sizes = {Number(first), 1, 1};
  *next = words.Next();
  for (size_t i = 1; i < 3 && *next == ","; ++i) {
    sizes[i] = Number(words.Next());
    *next = words.Next();
  }
  return sizes;
}

// What stands between the parameters and the body.
void ReadDirectives(std::string_view word, Words& words, sim::Entry* entry) {
  while (!word.empty() && word != "{") {
    if (word == ".reqntid") {
      entry->required_block = ReadSizes(words.Next(), words, &word);
    } else if (word == ".maxntid") {
      const auto sizes = ReadSizes(words.Next(), words, &word);
      entry->threads_per_block = sizes[0] * sizes[1] * sizes[2];
    } else {
      word = words.Next();
    }
  }
}

// What a text is for, as far as parameters depend on it.
struct Dialect {
  uint32_t version = 0;  // 81 for 8.1
  uint32_t target = 0;   // 70 for sm_70a

  size_t ParameterSpace() const { return version >= 81 && target >= 70 ? 32764 : 4352; }
};

uint32_t ReadVersion(std::string_view word) {
  const size_t dot = std::min(word.find('.'), word.size());
  return 10 * Number(word) + (dot < word.size() ? Number(word.substr(dot + 1)) : 0);
}

uint32_t ReadTarget(std::string_view word) { return word.starts_with("sm_") ? Number(word.substr(3)) : 0; }

bool CheckParameterSpace(const std::vector<sim::Entry>& entries, const Dialect& dialect, std::string* why) {
  for (const sim::Entry& entry : entries) {
    if (entry.parameters.empty()) continue;
    const size_t size = entry.parameters.back().offset + entry.parameters.back().size;
    if (size <= dialect.ParameterSpace()) continue;
    *why = "the parameters of '" + entry.name + "' take " + std::to_string(size) + " bytes, of at most " +
           std::to_string(dialect.ParameterSpace());
    return false;
  }
  return true;
}

}  // namespace

bool ReadPtx(std::string_view text, std::vector<sim::Entry>* entries, std::string* why) {
  const std::string plain = WithoutComments(text);
  Words words(plain);
  Dialect dialect;
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (word == ".version") dialect.version = ReadVersion(words.Next());
    if (word == ".target") dialect.target = ReadTarget(words.Next());
    if (word != ".entry") continue;
    sim::Entry& entry = entries->emplace_back();
    entry.name = words.Next();
    std::string_view next = words.Next();
    if (next == "(") {
      if (!ReadParameters(words, &entry)) {
        *why = "the parameters of '" + entry.name + "' are no PTX";
        return false;
      }
      next = words.Next();
    }
    ReadDirectives(next, words, &entry);
  }
  if (plain.find(".target") == std::string::npos) {
    *why = "the text has no .target";
    return false;
  }
  return CheckParameterSpace(*entries, dialect, why);
}

}  // namespace halyard::cuda::abi
