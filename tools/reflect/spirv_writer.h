// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts together a changed copy of a module.
#ifndef HALYARD_TOOLS_REFLECT_SPIRV_WRITER_H_
#define HALYARD_TOOLS_REFLECT_SPIRV_WRITER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "reflect/spirv_module.h"

namespace halyard::tools {

/// Words that begin with the head of a module, to which instructions are added.
class SpirvWriter {
 public:
  explicit SpirvWriter(const SpirvModule& module) : words_(module.Head().begin(), module.Head().end()) {}

  uint32_t NewId() { return words_[SpirvModule::kBoundWord]++; }
  void Copy(const SpirvInstruction& instruction) {
    words_.insert(words_.end(), instruction.words.begin(), instruction.words.end());
  }
  void Add(uint32_t opcode, std::span<const uint32_t> operands) {
    words_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  void Add(uint32_t opcode, std::initializer_list<uint32_t> operands) {
    Add(opcode, std::span(operands.begin(), operands.size()));
  }
  /// What an OpSpecConstantOp says, as an instruction with the result `id`.
  void AddComputed(const SpirvInstruction& constant, uint32_t id) {
    std::vector<uint32_t> operands = {constant.words[1], id};
    operands.insert(operands.end(), constant.words.begin() + 4, constant.words.end());
    Add(constant.words[3], operands);
  }
  std::vector<uint32_t> Take() { return std::move(words_); }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_SPIRV_WRITER_H_
