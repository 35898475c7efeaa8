// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "reflect/msl_dispatch_values.h"
#include "reflect/spirv_writer.h"

namespace halyard::tools {
namespace {

// halyard-kernels gives these names to the constants 0, 1 and 2. Other modules may use the numbers for anything.
constexpr std::array<std::string_view, 3> kNames = {"hal_size_x", "hal_size_y", "hal_size_z"};

bool IsSpecId(const SpirvInstruction& instruction) {
  return instruction.opcode == SpvOpDecorate && instruction.words[2] == SpvDecorationSpecId;
}

bool IsWorkgroupSize(const SpirvInstruction& instruction) {
  return instruction.opcode == SpvOpDecorate && instruction.words[2] == SpvDecorationBuiltIn &&
         instruction.words[3] == SpvBuiltInWorkgroupSize;
}

// A constant that gives the size in one direction.
struct SizeConstant {
  uint32_t type;
  uint32_t axis;  // 0 for x, 1 for y, 2 for z
};

// Which number of a constant gives which direction, if the module itself says so.
std::map<uint32_t, uint32_t> AxesOfNumbers(const SpirvCompiler& compiler) {
  std::map<uint32_t, uint32_t> axes;
  const std::array constants = compiler.SizeConstants();
  for (uint32_t axis = 0; axis < constants.size(); ++axis) {
    if (constants[axis].id != 0) axes.emplace(constants[axis].constant_id, axis);
  }
  return axes;
}

// The constants that give the size, by their ids. Several may have one number.
std::map<uint32_t, SizeConstant> FindSizes(const SpirvModule& module, const SpirvCompiler& compiler) {
  const std::map<uint32_t, uint32_t> axes = AxesOfNumbers(compiler);
  std::map<uint32_t, std::string_view> names;
  std::map<uint32_t, uint32_t> found;
  std::map<uint32_t, SizeConstant> sizes;
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (instruction.opcode == SpvOpName) {
      names[instruction.words[1]] = reinterpret_cast<const char*>(&instruction.words[2]);
    }
    if (IsSpecId(instruction)) {
      const uint32_t id = instruction.words[1];
      const uint32_t number = instruction.words[3];
      const auto axis = axes.find(number);
      if (axis != axes.end()) found[id] = axis->second;
      if (number < kNames.size() && names[id] == kNames[number]) found[id] = number;
    }
    if (instruction.opcode != SpvOpSpecConstant) continue;
    const auto axis = found.find(instruction.words[2]);
    if (axis != found.end()) sizes[axis->first] = {instruction.words[1], axis->second};
  }
  return sizes;
}

// The ids that a constant is computed from; what stands behind them are literals.
std::span<const uint32_t> Operands(const SpirvInstruction& instruction) {
  if (instruction.opcode == SpvOpSpecConstantComposite) return instruction.words.subspan(3);
  if (instruction.opcode != SpvOpSpecConstantOp) return {};
  const std::span<const uint32_t> operands = instruction.words.subspan(4);
  switch (instruction.words[3]) {
    case SpvOpCompositeExtract:
      return operands.first(1);
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
      return operands.first(2);
    default:
      return operands;
  }
}

// Moves the constants that depend on the size from the module to the begin of the kernel, as instructions.
class SizeLoader {
 public:
  SizeLoader(const SpirvModule& module, const SpirvCompiler& compiler)
      : module_(module), sizes_(FindSizes(module, compiler)), writer_(module) {
    FindComputed();
  }

  /// Whether nothing is left that depends on the size: what no code uses is gone once all is inlined.
  bool IsIdle() const { return sizes_.empty(); }

  /// Whether something depends on the size that has to be known before the kernel runs: of an array the length, of a
  /// variable the initial value.
  bool NeedsNumbers() const {
    return std::ranges::any_of(module_.Instructions(), [&](const SpirvInstruction& instruction) {
      const std::span<const uint32_t> words = instruction.words;
      if (instruction.opcode == SpvOpTypeArray) return DependsOnSize(words[3]);
      return instruction.opcode == SpvOpVariable && words.size() > 4 && DependsOnSize(words[4]);
    });
  }

  SpirvModule Run() {
    variable_ = writer_.NewId();
    for (const SpirvInstruction& instruction : module_.Instructions()) {
      if (!IsMoved(instruction)) Write(instruction);
    }
    return module_.Rewritten(writer_.Take());
  }

 private:
  bool DependsOnSize(uint32_t id) const { return sizes_.contains(id) || computed_ids_.contains(id); }

  void FindComputed() {
    for (const SpirvInstruction& instruction : module_.Instructions()) {
      if (std::ranges::none_of(Operands(instruction), [&](uint32_t id) { return DependsOnSize(id); })) continue;
      computed_ids_.insert(instruction.words[2]);
      computed_.push_back(instruction);
    }
  }

  // Whether an instruction defines or describes what is moved.
  bool IsMoved(const SpirvInstruction& instruction) const {
    switch (instruction.opcode) {
      case SpvOpName:
      case SpvOpDecorate:
        return DependsOnSize(instruction.words[1]) || IsWorkgroupSize(instruction);
      case SpvOpSpecConstant:
      case SpvOpSpecConstantOp:
      case SpvOpSpecConstantComposite:
        return DependsOnSize(instruction.words[2]);
      default:
        return false;
    }
  }

  void Write(const SpirvInstruction& instruction) {
    switch (instruction.opcode) {
      case SpvOpEntryPoint: {
        std::vector<uint32_t> operands(instruction.words.begin() + 1, instruction.words.end());
        operands.push_back(variable_);
        return writer_.Add(SpvOpEntryPoint, operands);
      }
      case SpvOpExecutionModeId:
        return writer_.Add(SpvOpExecutionMode, {instruction.words[1], SpvExecutionModeLocalSize, 1, 1, 1});
      case SpvOpTypeVoid:  // every module has one, behind its annotations
        writer_.Add(SpvOpDecorate, {variable_, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize});
        break;
      case SpvOpFunction:
        has_function_ = true;
        DeclareVariable();
        break;
      case SpvOpFunctionParameter:
      case SpvOpLabel:
      case SpvOpVariable:
      case SpvOpLine:
      case SpvOpNoLine:
        break;
      default:
        if (has_function_ && !is_computed_) Compute();
    }
    writer_.Copy(instruction);
  }

  void DeclareVariable() {
    vector_type_ = writer_.NewId();
    const uint32_t pointer_type = writer_.NewId();
    writer_.Add(SpvOpTypeVector, {vector_type_, sizes_.begin()->second.type, 3});
    writer_.Add(SpvOpTypePointer, {pointer_type, SpvStorageClassInput, vector_type_});
    writer_.Add(SpvOpVariable, {pointer_type, variable_, SpvStorageClassInput});
  }

  // The constants keep their ids, so what uses them stays as it is.
  void Compute() {
    is_computed_ = true;
    const uint32_t value = writer_.NewId();
    writer_.Add(SpvOpLoad, {vector_type_, value, variable_});
    for (const auto& [id, size] : sizes_) ExtractSide(id, size, value);
    for (const SpirvInstruction& constant : computed_) {
      if (constant.opcode == SpvOpSpecConstantOp) {
        writer_.AddComputed(constant, constant.words[2]);
      } else {
        writer_.Add(SpvOpCompositeConstruct, constant.words.subspan(1));
      }
    }
  }

  // Of constants with one number one may be signed.
  void ExtractSide(uint32_t id, const SizeConstant& size, uint32_t value) {
    const uint32_t type = sizes_.begin()->second.type;
    if (size.type == type) return writer_.Add(SpvOpCompositeExtract, {type, id, value, size.axis});
    const uint32_t side = writer_.NewId();
    writer_.Add(SpvOpCompositeExtract, {type, side, value, size.axis});
    writer_.Add(SpvOpBitcast, {size.type, id, side});
  }

  const SpirvModule& module_;
  const std::map<uint32_t, SizeConstant> sizes_;
  std::set<uint32_t> computed_ids_;
  std::vector<SpirvInstruction> computed_;
  SpirvWriter writer_;
  uint32_t variable_ = 0, vector_type_ = 0;
  bool has_function_ = false, is_computed_ = false;
};

// What the constants say by themselves. Of several with one number, the one that is the size has 1 in GLSL, where only
// the other can be given a value.
std::array<uint32_t, 3> DefaultSides(const SpirvModule& module, const std::map<uint32_t, SizeConstant>& sizes) {
  std::array<uint32_t, 3> sides = {};
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (instruction.opcode != SpvOpSpecConstant) continue;
    const auto found = sizes.find(instruction.words[2]);
    if (found == sizes.end()) continue;
    uint32_t& side = sides[found->second.axis];
    side = std::max(side, instruction.words[3]);
  }
  return sides;
}

// Makes the constants numbers, and computes what depends on them.
SizedKernel FixSize(const SpirvModule& module, const std::map<uint32_t, SizeConstant>& sizes,
                    const std::array<uint32_t, 3>& wanted) {
  SpirvWriter writer(module);
  std::array<uint32_t, 3> fixed = DefaultSides(module, sizes);
  for (size_t axis = 0; axis < fixed.size(); ++axis) {
    if (wanted[0] > 0 && fixed[axis] > 0) fixed[axis] = wanted[axis];
  }
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (IsSpecId(instruction) && sizes.contains(instruction.words[1])) continue;
    const bool is_constant = instruction.opcode == SpvOpSpecConstant;
    const auto found = is_constant ? sizes.find(instruction.words[2]) : sizes.end();
    if (found == sizes.end()) {
      writer.Copy(instruction);
      continue;
    }
    writer.Add(SpvOpConstant, {instruction.words[1], instruction.words[2], fixed[found->second.axis]});
  }
  return {module.Rewritten(writer.Take()).Folded(), fixed};
}

}  // namespace

SizedKernel LoadWorkgroupSize(const SpirvModule& module, const SpirvCompiler& compiler, const hal_dim3_t& size) {
  const std::map<uint32_t, SizeConstant> sizes = FindSizes(module, compiler);
  if (sizes.empty()) return {module};
  const SpirvModule inlined = module.Inlined();
  SizeLoader loader(inlined, compiler);
  if (loader.IsIdle()) return {inlined};
  if (!loader.NeedsNumbers()) return {loader.Run()};
  return FixSize(module, sizes, {size.x, size.y, size.z});
}

}  // namespace halyard::tools
