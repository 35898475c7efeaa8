// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "address_notes.h"

#include <set>

#include "function/parameter_checks.h"
#include "image/reflection/reflected_image.h"
#include "notes.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kMostParameters = 4;  // that are named of one kernel
constexpr size_t kMostVariables = 8;   // that are named

// "; --parameter=scale:0+8=binding …"; the first address that is known stands for all.
std::string OptionText(const ExportDescription& description, size_t parameter) {
  const std::vector<uint32_t>& addresses = description.notes[parameter].addresses;
  const bool is_known = !addresses.empty() && addresses.front() != kAnyOffset;
  const bool is_all = description.parameters[parameter].size == kAddressSize;
  const std::string place = is_all ? "" : is_known ? Concat("+", addresses.front()) : "+OFFSET";
  const std::string option = ParameterOption(description.name, parameter);
  return Concat("; ", option, place, "=binding passes that of a binding, ", option, "=constant the caller's bytes");
}

// "0 (from, 16 bytes) in bytes 8 to 15".
std::string ParameterText(const ExportDescription& description, size_t parameter) {
  const ParameterNote& note = description.notes[parameter];
  return Concat(parameter, " (", Shortened(note.name), note.name.empty() ? "" : ", ",
                description.parameters[parameter].size, " bytes)", note.addresses.empty() ? "" : " in ",
                AddressesText(note.addresses));
}

/// @param parameters  with addresses that the kernel follows, or of which nothing is known
std::string NoteOf(const ExportDescription& description, const std::vector<size_t>& parameters) {
  std::vector<std::string> texts;
  for (const size_t parameter : parameters) {
    if (texts.size() < kMostParameters) texts.push_back(ParameterText(description, parameter));
  }
  if (parameters.size() > kMostParameters)
    texts.push_back(Concat("and ", parameters.size() - kMostParameters, " more"));
  const bool is_known = !description.notes[parameters.front()].addresses.empty();
  return Concat(QuotedName(description.name),
                is_known ? " follows addresses that it finds in parameter" : " may find addresses in parameter",
                parameters.size() == 1 ? " " : "s ", JoinText(texts), is_known ? "" : ", which the images do not tell",
                OptionText(description, parameters.front()));
}

// Of one kernel. False if it has no such parameters.
bool AddParameters(const ExportDescription& description, std::vector<std::string>* notes) {
  std::vector<size_t> known, open;
  for (size_t i = 0; i < description.notes.size(); ++i) {
    if (MayHoldAddresses(description, i)) (description.notes[i].addresses.empty() ? open : known).push_back(i);
  }
  if (!known.empty()) notes->push_back(NoteOf(description, known));
  if (!open.empty()) notes->push_back(NoteOf(description, open));
  return !known.empty() || !open.empty();
}

// Several images may tell the same.
void AddVariables(const Reconciliation& reconciled, std::vector<std::string>* notes) {
  std::set<std::string> told;
  for (const auto& image : reconciled.kernels) {
    for (const ReflectedKernel* const kernel : image) {
      if (!kernel) continue;
      for (const AddressesInVariable& one : kernel->addresses_in_variables) {
        std::string note = Concat(QuotedName(kernel->name), " follows addresses that it finds in the variable ",
                                  QuotedName(one.variable), ", in ", AddressesText(one.offsets),
                                  "; the program writes them there before it dispatches");
        if (told.insert(note).second && told.size() <= kMostVariables) notes->push_back(std::move(note));
      }
    }
  }
  if (told.size() <= kMostVariables) return;
  notes->push_back(Concat(told.size() - kMostVariables, " more variables have addresses that kernels follow"));
}

}  // namespace

bool MayHoldAddresses(const ExportDescription& description, size_t parameter) {
  const hal_parameter_t& value = description.parameters[parameter];
  const ParameterNote& note = description.notes[parameter];
  if (value.kind != HAL_PARAMETER_KIND_CONSTANT || !note.is_guess) return false;
  return !note.addresses.empty() || value.size > kAddressSize;
}

void AddAddressNotes(const Reconciliation& reconciled, std::vector<std::string>* notes) {
  std::vector<std::string> found;
  size_t kernels = 0;
  for (const ExportDescription& description : reconciled.exports) {
    std::vector<std::string> own;
    if (!AddParameters(description, &own) || ++kernels > kMostKernelsInNotes) continue;
    found.insert(found.end(), own.begin(), own.end());
  }
  if (kernels > kMostKernelsInNotes) {
    found.push_back(Concat(kernels - kMostKernelsInNotes,
                           " more kernels have parameters with addresses in them; --dump=FILE shows which"));
  }
  AddVariables(reconciled, &found);
  notes->insert(notes->end(), found.begin(), found.end());
}

}  // namespace halyard::tools
