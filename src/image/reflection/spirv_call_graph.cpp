// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv_call_graph.h"

#include <algorithm>
#include <array>

#include "image/reflection/spirv_opcodes.h"

namespace halyard {
namespace {

using namespace spirv;

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

const SpirvCallGraph::Function* SpirvCallGraph::Find(uint32_t id) const {
  const SpirvDefinition* const function = definitions_.Find(id);
  return function && function->instruction.opcode == kOpFunction ? &functions_[function->value] : nullptr;
}

HostVector<uint32_t> SpirvCallGraph::VariablesOf(uint32_t function) const {
  HostVector<uint32_t> variables;
  HostVector<const Function*> reached;
  HostVector<bool> seen(functions_.size());
  const auto reach = [&](uint32_t id) {
    const Function* const found = Find(id);
    if (!found) return false;
    const size_t index = static_cast<size_t>(found - functions_.data());
    if (!seen[index]) reached.push_back(found);
    seen[index] = true;
    return true;
  };
  reach(function);
  for (size_t next = 0; next < reached.size(); ++next) {
    for (size_t i = reached[next]->begin; i < reached[next]->end; ++i) {
      if (!reach(mentions_[i])) variables.push_back(mentions_[i]);
    }
  }
  return variables;
}

}  // namespace halyard
