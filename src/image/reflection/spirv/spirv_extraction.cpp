// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes one kernel out of a SPIR-V module.
#include "image/reflection/spirv/spirv_call_graph.h"
#include "image/reflection/spirv/spirv_definitions.h"
#include "image/reflection/spirv/spirv_reader.h"
#include "image/reflection/spirv/spirv_reflection.h"

namespace halyard {
namespace {

using enum spirv::Opcode;

/// Types and constants stay as they are: they cost a compiler nothing. What goes is other entry points, the functions
/// that only they call, and the variables that only those use, with what names and decorates these.
class Extractor {
 public:
  Extractor(std::span<const uint32_t> words, std::string_view kernel) : words_(words), kernel_(kernel) {}

  Status Run(HostVector<uint32_t>* out_words) {
    HAL_TRY(reader_.Open(std::as_bytes(words_)));
    SpirvDefinitions definitions(reader_.Bound(), no_decorations_);
    SpirvCallGraph calls(definitions);
    HAL_TRY(reader_.ForEach(
        [&](const SpirvInstruction& instruction) { return Examine(instruction, &definitions, &calls); }));
    if (entry_point_.bytes.empty()) {
      return Fail(HAL_STATUS_NOT_FOUND, "the module has no kernel '%.*s'", HALYARD_SV(kernel_));
    }
    if (!can_divide_) {
      out_words->assign(words_.begin(), words_.end());
      return kOk;
    }
    is_reached_ = calls.ReachedFrom(entry_point_[2]);
    HAL_TRY(FindLocalIds());
    HAL_TRY(FindUsedIds());
    return Copy(definitions, out_words);
  }

 private:
  Status Examine(const SpirvInstruction& instruction, SpirvDefinitions* definitions, SpirvCallGraph* calls) {
    is_in_functions_ |= instruction.opcode == kOpFunction;
    if (is_in_functions_) {
      if (instruction.opcode == kOpFunction) HAL_TRY(definitions->Add(instruction));
      calls->Add(instruction);
      return kOk;
    }
    switch (instruction.opcode) {
      case kOpEntryPoint:
        return TakeEntryPoint(instruction);
      case kOpExtInst:
      case kOpDecorationGroup:
      case kOpGroupDecorate:
      case kOpGroupMemberDecorate:
        can_divide_ = false;
        return kOk;
      default:
        return definitions->Add(instruction);
    }
  }

  Status TakeEntryPoint(const SpirvInstruction& instruction) {
    HAL_TRY(instruction.Require(4));
    if (instruction[1] != spirv::kGlCompute) return kOk;
    std::string_view name;
    size_t end = 0;
    HAL_TRY(instruction.ReadText(3, &name, &end));
    if (name == kernel_) entry_point_ = instruction;
    return kOk;
  }

  /// Calls `use` with each instruction, and whether it belongs to a function that is kept, or to none.
  template <class Use>
  Status ForEach(const Use& use) {
    size_t count = 0;
    return reader_.ForEach([&](const SpirvInstruction& instruction) {
      if (instruction.opcode == kOpFunction) ++count;
      use(instruction, count == 0, count == 0 || is_reached_[count - 1]);
      return kOk;
    });
  }

  // The second operand of what stands in functions is an id, or the result itself: so each id that is defined in a
  // function that is kept is found.
  Status FindLocalIds() {
    is_local_.resize(reader_.Bound());
    return ForEach([this](const SpirvInstruction& instruction, bool is_outside, bool is_kept) {
      const bool has_number = instruction.opcode == kOpLine || instruction.opcode == kOpSelectionMerge;
      if (is_outside || !is_kept || has_number || instruction.size() < 3) return;
      if (instruction[2] < is_local_.size()) is_local_[instruction[2]] = true;
    });
  }

  // Any word that may name an id counts, numbers too: a variable too many is no harm. Variables of the kernel's
  // interface and those that variables begin with are used as well.
  Status FindUsedIds() {
    is_used_.resize(reader_.Bound());
    const auto use = [this](const SpirvInstruction& instruction, size_t first) {
      for (size_t i = first; i < instruction.size(); ++i) {
        if (instruction[i] < is_used_.size()) is_used_[instruction[i]] = true;
      }
    };
    use(entry_point_, 1);
    return ForEach([&](const SpirvInstruction& instruction, bool is_outside, bool is_kept) {
      if (is_outside && instruction.opcode == kOpVariable) use(instruction, 4);
      if (!is_outside && is_kept) use(instruction, 1);
    });
  }

  bool IsKept(uint32_t id, const SpirvDefinitions& definitions) const {
    const SpirvDefinition* const definition = definitions.Find(id);
    if (!definition) return id < is_local_.size() && is_local_[id];
    switch (definition->instruction.opcode) {
      case kOpFunction:
        return is_reached_[definition->value];
      case kOpVariable:
        return is_used_[id];
      default:
        return true;
    }
  }

  bool IsKept(const SpirvInstruction& instruction, const SpirvDefinitions& definitions) const {
    if (instruction.size() < 2) return true;
    switch (instruction.opcode) {
      case kOpEntryPoint:
        return instruction.place == entry_point_.place;
      case kOpExecutionMode:
      case kOpExecutionModeId:
        return instruction[1] == entry_point_[2];
      case kOpName:
      case kOpDecorate:
      case kOpDecorateId:
      case kOpDecorateString:
        return IsKept(instruction[1], definitions);
      case kOpVariable:
        return instruction.size() < 3 || IsKept(instruction[2], definitions);
      default:
        return true;
    }
  }

  Status Copy(const SpirvDefinitions& definitions, HostVector<uint32_t>* out_words) {
    HostVector<uint32_t> kept(words_.begin(), words_.begin() + SpirvReader::kHeadWords);
    HAL_TRY(ForEach([&](const SpirvInstruction& instruction, bool is_outside, bool is_kept) {
      if (!is_kept || (is_outside && !IsKept(instruction, definitions))) return;
      const auto words = words_.subspan(instruction.place, instruction.size());
      kept.insert(kept.end(), words.begin(), words.end());
    }));
    *out_words = std::move(kept);
    return kOk;
  }

  const std::span<const uint32_t> words_;
  const std::string_view kernel_;
  const SpirvDecorations no_decorations_;
  SpirvReader reader_;
  SpirvInstruction entry_point_;
  bool is_in_functions_ = false;
  bool can_divide_ = true;
  HostVector<bool> is_reached_;  // [function]
  HostVector<bool> is_local_;    // [id]: of a function that is kept
  HostVector<bool> is_used_;     // [id]: by such a function, the entry point or a variable
};

}  // namespace

Status ExtractSpirvKernel(std::span<const uint32_t> words, std::string_view kernel, HostVector<uint32_t>* out_words) {
  return Extractor(words, kernel).Run(out_words);
}

}  // namespace halyard
