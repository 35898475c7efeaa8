// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "reflect/msl_dispatch_values.h"
#include "reflect/spirv_writer.h"

namespace halyard::tools {
namespace {

constexpr uint32_t kBytesNumber = 3;  // of the constant, as docs/executables.md says

// An array in workgroup memory.
struct LocalArray {
  uint32_t variable;
  uint32_t type;
  uint32_t length_type;
};

// Types and constants of a module by their ids.
class Declarations {
 public:
  explicit Declarations(const SpirvModule& module) {
    for (const SpirvInstruction& instruction : module.Instructions()) {
      if (instruction.opcode == SpvOpFunction) break;
      const bool is_type = instruction.opcode >= SpvOpTypeVoid && instruction.opcode <= SpvOpTypePointer;
      const bool is_constant = instruction.opcode >= SpvOpConstantTrue && instruction.opcode <= SpvOpSpecConstantOp;
      if (is_type) all_.emplace(instruction.words[1], instruction);
      if (is_constant) all_.emplace(instruction.words[2], instruction);
      if (instruction.opcode == SpvOpDecorate && instruction.words[2] == SpvDecorationSpecId &&
          instruction.words[3] == kBytesNumber) {
        bytes_.insert(instruction.words[1]);
      }
      if (instruction.opcode == SpvOpVariable && instruction.words[3] == SpvStorageClassWorkgroup) {
        AddVariable(instruction);
      }
    }
  }

  bool HasBytes() const { return !bytes_.empty(); }
  const std::vector<LocalArray>& dynamic_arrays() const { return dynamic_arrays_; }

 private:
  void AddVariable(const SpirvInstruction& variable) {
    const uint32_t type = all_.at(variable.words[1]).words[3];
    const SpirvInstruction& array = all_.at(type);
    if (array.opcode != SpvOpTypeArray) return;
    const uint32_t length = array.words[3];
    if (!IsBytesDividedBy(SizeOf(array.words[2]), length)) return;
    dynamic_arrays_.push_back({variable.words[2], type, all_.at(length).words[1]});
  }

  // Bytes of an element; 0 for what has another size in Metal.
  uint32_t SizeOf(uint32_t id) const {
    const SpirvInstruction& type = all_.at(id);
    if (type.opcode == SpvOpTypeInt || type.opcode == SpvOpTypeFloat) return type.words[2] / 8;
    const bool is_vector = type.opcode == SpvOpTypeVector && type.words[3] != 3;
    return is_vector ? type.words[3] * SizeOf(type.words[2]) : 0;
  }

  bool IsBytesDividedBy(uint32_t size, uint32_t length) const {
    if (size == 0) return false;
    if (bytes_.contains(length)) return size == 1;
    const SpirvInstruction& quotient = all_.at(length);
    if (quotient.opcode != SpvOpSpecConstantOp || quotient.words[3] != SpvOpUDiv) return false;
    const SpirvInstruction& divisor = all_.at(quotient.words[5]);
    return bytes_.contains(quotient.words[4]) && divisor.opcode == SpvOpConstant && divisor.words[3] == size;
  }

  std::map<uint32_t, SpirvInstruction> all_;
  std::set<uint32_t> bytes_;
  std::vector<LocalArray> dynamic_arrays_;
};

// Gives the type of an array the length 1.
SpirvModule Shorten(const SpirvModule& module, const LocalArray& array) {
  SpirvWriter writer(module);
  const uint32_t length = writer.NewId();
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (instruction.opcode != SpvOpTypeArray || instruction.words[1] != array.type) {
      writer.Copy(instruction);
      continue;
    }
    writer.Add(SpvOpConstant, {array.length_type, length, 1});
    writer.Add(SpvOpTypeArray, {array.type, instruction.words[2], length});
  }
  return module.Rewritten(writer.Take());
}

// Whether an instruction handles an array of the type as a whole, outside of workgroup memory.
bool HandlesWhole(const SpirvInstruction& instruction, uint32_t type) {
  switch (instruction.opcode) {
    case SpvOpTypePointer:
      return instruction.words[3] == type && instruction.words[2] != SpvStorageClassWorkgroup;
    case SpvOpLoad:
      return instruction.words[1] == type;
    default:
      return false;
  }
}

}  // namespace

DynamicMemory ShortenDynamicMemory(const SpirvModule& module, const SpirvCompiler& compiler) {
  const Declarations declarations(module);
  if (declarations.dynamic_arrays().empty()) return {module, 0};
  if (declarations.dynamic_arrays().size() > 1) {
    compiler.Refuse("OpTypeArray: constant 3, the bytes of dynamic local memory, is the length of two arrays");
  }
  const LocalArray array = declarations.dynamic_arrays().front();
  DynamicMemory result = {Shorten(module, array).Inlined(), array.variable};
  for (const SpirvInstruction& instruction : result.module.Instructions()) {
    if (HandlesWhole(instruction, array.type)) {
      compiler.Refuse("OpLoad: an array of dynamic local memory can only be used by elements");
    }
  }
  if (Declarations(result.module).HasBytes()) {
    compiler.Refuse(
        "OpSpecConstant: Metal does not tell a kernel the bytes of dynamic local memory, constant 3; pass them as a "
        "constant");
  }
  return result;
}

}  // namespace halyard::tools
