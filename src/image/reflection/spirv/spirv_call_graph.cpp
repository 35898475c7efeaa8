// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_call_graph.h"

#include <algorithm>
#include <array>

#include "image/reflection/spirv/spirv_opcodes.h"

namespace halyard {
namespace {

using enum spirv::Opcode;

/// Where an instruction has ids, if numbers follow or precede them: variables have small ids, too.
struct Operands {
  uint32_t opcode;
  size_t begin;
  size_t end;
};
constexpr size_t kAll = SIZE_MAX;
constexpr std::array kOperands = {
    Operands{kOpLine, 0, 0},          Operands{kOpExtInst, 5, kAll},       Operands{kOpFunctionCall, 3, kAll},
    Operands{kOpVariable, 4, kAll},   Operands{kOpFunction, 0, 0},         Operands{kOpLoad, 3, 4},
    Operands{kOpStore, 1, 3},         Operands{kOpCopyMemory, 1, 3},       Operands{kOpArrayLength, 3, 4},
    Operands{kOpVectorShuffle, 3, 5}, Operands{kOpCompositeExtract, 3, 4}, Operands{kOpCompositeInsert, 3, 5},
    Operands{kOpLoopMerge, 0, 0},     Operands{kOpSelectionMerge, 0, 0},   Operands{kOpBranchConditional, 1, 2},
    Operands{kOpSwitch, 1, 2},
};

Operands OperandsOf(const SpirvInstruction& instruction) {
  if (instruction.opcode >= kOpGroupNonUniformElect && instruction.opcode <= kOpGroupNonUniformQuadSwap) return {};
  const auto* const found = std::find_if(kOperands.begin(), kOperands.end(),
                                         [&](const Operands& row) { return row.opcode == instruction.opcode; });
  Operands operands = found == kOperands.end() ? Operands{instruction.opcode, 1, kAll} : *found;
  operands.end = std::min(operands.end, instruction.size());
  return operands;
}

}  // namespace

void SpirvCallGraph::Add(const SpirvInstruction& instruction) {
  if (instruction.opcode == kOpFunction) functions_.push_back({mentions_.size(), mentions_.size()});
  const Operands operands = OperandsOf(instruction);
  for (size_t word = operands.begin; word < operands.end; ++word) {
    const SpirvDefinition* const variable = definitions_.Find(instruction[word]);
    const bool is_called = instruction.opcode == kOpFunctionCall && word == 3;
    if (is_called || (variable && variable->instruction.opcode == kOpVariable)) mentions_.push_back(instruction[word]);
  }
  functions_.back().end = mentions_.size();
}

std::optional<size_t> SpirvCallGraph::Find(uint32_t id) const {
  const SpirvDefinition* const function = definitions_.Find(id);
  if (!function || function->instruction.opcode != kOpFunction) return std::nullopt;
  return function->value;
}

HostVector<size_t> SpirvCallGraph::ReachedFrom(uint32_t function) const {
  HostVector<bool> is_reached(functions_.size());
  HostVector<size_t> reached;  // of which the calls of the first few have been followed
  const auto reach = [&](uint32_t id) {
    const std::optional<size_t> index = Find(id);
    if (!index || is_reached[*index]) return;
    is_reached[*index] = true;
    reached.push_back(*index);
  };
  reach(function);
  for (size_t i = 0; i < reached.size(); ++i) {  // NOLINT(modernize-loop-convert): it grows meanwhile
    for (const uint32_t id : MentionsOf(reached[i])) reach(id);
  }
  std::sort(reached.begin(), reached.end());
  return reached;
}

Status SpirvCallGraph::VariablesOf(uint32_t function, ReadingBudget* budget,
                                   HostVector<uint32_t>* out_variables) const {
  for (const size_t index : ReachedFrom(function)) {
    HAL_TRY(budget->Take(1 + MentionsOf(index).size()));
    for (const uint32_t id : MentionsOf(index)) {
      if (!Find(id)) out_variables->push_back(id);
    }
  }
  return kOk;
}

}  // namespace halyard
