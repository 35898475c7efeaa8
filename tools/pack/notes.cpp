// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "notes.h"

#include <algorithm>
#include <cstddef>

#include "address_notes.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kLongestName = 64;  // that is shown whole
constexpr size_t kKeptHead = 44;
constexpr size_t kKeptTail = 16;
constexpr size_t kMostGuesses = 8;  // that are named of one kernel

// Where a character of UTF-8 begins, at `at` or before.
size_t BeginOfCharacter(std::string_view text, size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

std::vector<size_t> GuessesOf(const ExportDescription& description) {
  std::vector<size_t> guesses;
  for (size_t i = 0; i < description.notes.size(); ++i) {
    if (description.notes[i].is_guess && !MayHoldAddresses(description, i)) guesses.push_back(i);
  }
  return guesses;
}

// "0 (binding), 3 (constant)".
std::string GuessesText(const ExportDescription& description, const std::vector<size_t>& guesses) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < guesses.size() && i < kMostGuesses; ++i) {
    const bool is_binding = description.parameters[guesses[i]].kind == HAL_PARAMETER_KIND_BINDING;
    texts.push_back(Concat(guesses[i], is_binding ? " (binding)" : " (constant)"));
  }
  if (guesses.size() > kMostGuesses) texts.push_back(Concat("and ", guesses.size() - kMostGuesses, " more"));
  return JoinText(texts);
}

// How to say that a guess is wrong.
std::string CorrectionText(const ExportDescription& description, size_t parameter) {
  const bool is_binding = description.parameters[parameter].kind == HAL_PARAMETER_KIND_BINDING;
  return Concat(ParameterOption(description.name, parameter), is_binding ? "=constant" : "=binding", " says otherwise");
}

}  // namespace

std::string ParameterOption(std::string_view kernel, size_t parameter) {
  return Concat("--parameter=", kernel.size() > kLongestName ? "KERNEL" : kernel, ":", parameter);
}

std::string Shortened(std::string_view name) {
  if (name.size() <= kLongestName) return std::string(name);
  return Concat(name.substr(0, BeginOfCharacter(name, kKeptHead)), "…",
                name.substr(BeginOfCharacter(name, name.size() - kKeptTail)));
}

std::string QuotedName(std::string_view name) { return Concat("'", Shortened(name), "'"); }

void AddGuesses(const std::vector<ExportDescription>& exports, std::vector<std::string>* notes) {
  size_t kernels = 0;
  for (const ExportDescription& description : exports) {
    const std::vector<size_t> guesses = GuessesOf(description);
    if (guesses.empty() || ++kernels > kMostKernelsInNotes) continue;
    notes->push_back(Concat(guesses.size() == 1 ? "parameter " : "parameters ", GuessesText(description, guesses),
                            " of ", QuotedName(description.name), guesses.size() == 1 ? " is a guess" : " are guesses",
                            ", as the images do not tell; ", CorrectionText(description, guesses.front())));
  }
  if (kernels <= kMostKernelsInNotes) return;
  notes->push_back(
      Concat(kernels - kMostKernelsInNotes, " more kernels have parameters that are guesses; --dump=FILE shows which"));
}

void AddOpenSizes(const ContainerContents& contents, std::vector<std::string>* notes) {
  for (const ContainerVariant& variant : contents.variants) {
    for (const ContainerEntryPoint& one : variant.entry_points) {
      if (!IsGiven(one.launch.workgroup_size) || one.launch.workgroup_size.x > 0) continue;
      notes->push_back(
          Concat(QuotedName(std::string_view(contents.exports[one.ordinal].name)), " for ", variant.target,
                 " does not tell the size of its workgroups: each dispatch must, unless --exports=FILE does"));
    }
  }
}

}  // namespace halyard::tools
