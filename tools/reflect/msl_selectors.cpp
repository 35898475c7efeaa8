// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflect/msl_selectors.h"

#include <spirv_cross_c.h>

#include <algorithm>
#include <map>
#include <vector>

#include "reflect/spirv_writer.h"

namespace halyard::tools {
namespace {

// What SPIRV-Cross does not know the bits of, with its types.
std::map<uint32_t, uint32_t> TypesOfUnknown(const std::vector<SpirvInstruction>& all) {
  std::map<uint32_t, uint32_t> types;
  for (const SpirvInstruction& instruction : all) {
    const bool is_unknown = instruction.opcode == SpvOpPhi || instruction.opcode == SpvOpSpecConstantOp;
    if (is_unknown) types.emplace(instruction.words[2], instruction.words[1]);
  }
  return types;
}

bool IsMerge(const SpirvInstruction& instruction) {
  return instruction.opcode == SpvOpSelectionMerge || instruction.opcode == SpvOpLoopMerge;
}

}  // namespace

SpirvModule CopySelectors(const SpirvModule& module) {
  const std::vector<SpirvInstruction> all = module.Instructions();
  const std::map<uint32_t, uint32_t> unknown = TypesOfUnknown(all);
  const auto selects_by_unknown = [&](const SpirvInstruction& instruction) {
    return instruction.opcode == SpvOpSwitch && unknown.contains(instruction.words[1]);
  };
  if (std::ranges::none_of(all, selects_by_unknown)) return module;
  SpirvWriter writer(module);
  uint32_t copy = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    // The copy stands before the instruction that says where the switch ends, which has to stand just before it.
    const size_t end = IsMerge(all[i]) && i + 1 < all.size() ? i + 1 : i;
    if (copy == 0 && selects_by_unknown(all[end])) {
      const uint32_t selector = all[end].words[1];
      copy = writer.NewId();
      writer.Add(SpvOpCopyObject, {unknown.at(selector), copy, selector});
    }
    if (!selects_by_unknown(all[i])) {
      writer.Copy(all[i]);
      continue;
    }
    std::vector<uint32_t> operands(all[i].words.begin() + 1, all[i].words.end());
    operands.front() = copy;
    writer.Add(SpvOpSwitch, operands);
    copy = 0;
  }
  return module.Rewritten(writer.Take());
}

}  // namespace halyard::tools
