// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_definitions.h"

#include <algorithm>

#include "image/reflection/spirv/spirv_computation.h"
#include "image/reflection/spirv/spirv_opcodes.h"
#include "image/reflection/spirv/spirv_reflection.h"

namespace halyard {
namespace {

using enum spirv::Opcode;
using enum spirv::Decoration;

// Sizes stop growing here, far above all limits.
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr uint64_t kPointerSize = 8;
constexpr uint64_t kBoolSize = 4;

uint64_t Plus(uint64_t left, uint64_t right) { return std::min(left + right, kMostBytes); }

uint64_t Times(uint64_t left, uint64_t right) {
  return left != 0 && right > kMostBytes / left ? kMostBytes : left * right;
}

SpirvDefinition TypeOfSize(const SpirvInstruction& instruction, uint64_t size) {
  SpirvDefinition type;
  type.instruction = instruction;
  type.size = type.packed_size = type.fixed_size = size;
  return type;
}

SpirvDefinition WithoutSize(const SpirvInstruction& instruction) { return TypeOfSize(instruction, 0); }

hal_element_type_t NumberTypeOf(const SpirvInstruction& type) {
  switch (type.opcode) {
    case kOpTypeBool:
      return HAL_ELEMENT_TYPE_I1;
    case kOpTypeInt:
      if (type.size() < 4) return HAL_ELEMENT_TYPE_NONE;
      return HAL_ELEMENT_TYPE(type[3] != 0 ? HAL_NUMERIC_KIND_SIGNED : HAL_NUMERIC_KIND_UNSIGNED, type[2]);
    case kOpTypeFloat:
      if (type.size() > 3) return type[2] == 16 ? HAL_ELEMENT_TYPE_BF16 : HAL_ELEMENT_TYPE_NONE;  // another encoding
      return type[2] > 8 ? HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_FLOAT, type[2]) : HAL_ELEMENT_TYPE_NONE;
    default:
      return HAL_ELEMENT_TYPE_NONE;
  }
}

bool IsOfInterest(uint32_t kind) {
  switch (kind) {
    case kSpecId:
    case kBlock:
    case kBufferBlock:
    case kRowMajor:
    case kArrayStride:
    case kMatrixStride:
    case kBuiltIn:
    case kNonWritable:
    case kNonReadable:
    case kBinding:
    case kDescriptorSet:
    case kOffset:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status SpirvDecorations::Add(const SpirvInstruction& instruction) {
  const bool is_member = instruction.opcode == kOpMemberDecorate;
  if (!is_member && instruction.opcode != kOpDecorate) return kOk;
  const size_t kind = is_member ? 3 : 2;
  HAL_TRY(instruction.Require(kind + 1));
  if (!IsOfInterest(instruction[kind])) return kOk;
  const uint32_t value = instruction.size() > kind + 1 ? instruction[kind + 1] : 0;
  decorations_.push_back({instruction[1], is_member ? instruction[2] : kNoMember, instruction[kind], value});
  return kOk;
}

void SpirvDecorations::Sort() { std::sort(decorations_.begin(), decorations_.end(), IsBefore); }

std::optional<uint32_t> SpirvDecorations::Find(uint32_t id, uint32_t kind) const {
  return FindMember(id, kNoMember, kind);
}

std::optional<uint32_t> SpirvDecorations::FindMember(uint32_t type, uint32_t member, uint32_t kind) const {
  const Decoration wanted = {type, member, kind, 0};
  const auto found = std::lower_bound(decorations_.begin(), decorations_.end(), wanted, IsBefore);
  if (found == decorations_.end() || found->id != type || found->member != member || found->kind != kind) {
    return std::nullopt;
  }
  return found->value;
}

uint32_t SpirvDecorations::FindBuiltIn(uint32_t built_in) const {
  const auto found = std::find_if(decorations_.begin(), decorations_.end(), [&](const Decoration& decoration) {
    return decoration.member == kNoMember && decoration.kind == kBuiltIn && decoration.value == built_in;
  });
  return found == decorations_.end() ? 0 : found->id;
}

void SpirvNames::Add(const SpirvInstruction& instruction) {
  const bool is_member = instruction.opcode == kOpMemberName;
  const size_t text_word = is_member ? 3 : 2;
  if ((!is_member && instruction.opcode != kOpName) || instruction.size() <= text_word) return;
  std::string_view text;
  size_t end = 0;
  if (!Succeeds(instruction.ReadText(text_word, &text, &end)) || text.empty()) return;
  names_.push_back({instruction[1], is_member ? instruction[2] : kNoMember, text});
}

void SpirvNames::Sort() {
  std::sort(names_.begin(), names_.end(), [](const Name& left, const Name& right) {
    return std::tie(left.id, left.member, left.text) < std::tie(right.id, right.member, right.text);
  });
}

std::string_view SpirvNames::FindMember(uint32_t type, uint32_t member) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), std::tie(type, member),
                                      [](const Name& name, const std::tuple<const uint32_t&, const uint32_t&>& wanted) {
                                        return std::tie(name.id, name.member) < wanted;
                                      });
  const bool is_it = found != names_.end() && found->id == type && found->member == member;
  return is_it ? found->text : std::string_view();
}

bool SpirvNames::HasBlocksOfHalyard() const {
  static constexpr std::string_view kPrefix = "hal_";
  return std::any_of(names_.begin(), names_.end(), [this](const Name& name) {
    return name.member == kNoMember && name.text.size() > kPrefix.size() && name.text.starts_with(kPrefix) &&
           FindMember(name.id, 0) == name.text.substr(kPrefix.size());
  });
}

void SpirvIdIndex::Insert(uint32_t id, uint32_t index) {
  uint32_t& page = pages_[id / kPageSize];
  if (page == 0) {
    indices_.resize(indices_.size() + kPageSize, kNone);
    page = static_cast<uint32_t>(indices_.size() / kPageSize);
  }
  indices_[size_t{page - 1} * kPageSize + id % kPageSize] = index;
}

const SpirvDefinition* SpirvDefinitions::Find(uint32_t id) const {
  const uint32_t index = id < bound_ ? indices_.Find(id) : SpirvIdIndex::kNone;
  return index == SpirvIdIndex::kNone ? nullptr : &all_[index];
}

Status SpirvDefinitions::Add(const SpirvInstruction& instruction) {
  switch (instruction.opcode) {
    case kOpTypeBool:
    case kOpTypeInt:
    case kOpTypeFloat:
      return AddNumberType(instruction);
    case kOpTypeVector:
    case kOpTypeMatrix:
      return AddVector(instruction);
    case kOpTypeArray:
      return AddArray(instruction);
    case kOpTypeStruct:
      return AddStruct(instruction);
    case kOpTypeImage:
    case kOpTypeSampler:
    case kOpTypeSampledImage:
    case kOpTypeRuntimeArray:
    case kOpTypeAccelerationStructureKHR:
      return Insert(1, 2, WithoutSize(instruction));
    case kOpTypePointer:
      return Insert(1, 4, TypeOfSize(instruction, kPointerSize));
    case kOpConstantTrue:
    case kOpConstantFalse:
    case kOpConstantNull:
    case kOpConstant:
    case kOpSpecConstant:
    case kOpSpecConstantTrue:
    case kOpSpecConstantFalse:
      return AddConstant(instruction);
    case kOpConstantComposite:
    case kOpSpecConstantComposite:
      return Insert(2, 3, WithoutSize(instruction));
    case kOpSpecConstantOp:
      return AddComputed(instruction);
    case kOpVariable:
      return Insert(2, 4, WithoutSize(instruction));
    case kOpFunction:
      return AddFunction(instruction);
    default:
      return kOk;
  }
}

Status SpirvDefinitions::Insert(size_t id_word, size_t word_count, SpirvDefinition definition) {
  const SpirvInstruction& instruction = definition.instruction;
  HAL_TRY(instruction.Require(word_count));
  const uint32_t id = instruction[id_word];
  if (id == 0 || id >= bound_) {
    return FailAtWord(instruction.place + id_word, "the id %u is not below the bound, which is %u", id, bound_);
  }
  if (Find(id)) return FailAtWord(instruction.place + id_word, "the id %u is defined twice", id);
  definition.id = id;
  all_.push_back(definition);
  indices_.Insert(id, static_cast<uint32_t>(all_.size() - 1));
  return kOk;
}

Status SpirvDefinitions::AddNumberType(const SpirvInstruction& instruction) {
  uint64_t size = kBoolSize;
  if (instruction.opcode != kOpTypeBool) {
    HAL_TRY(instruction.Require(3));
    size = instruction[2] / 8;
    if (instruction[2] % 8 != 0 || size == 0 || size > 8 || (size & (size - 1)) != 0) {
      return FailAtWord(instruction.place + 2, "a number of %u bits; 8, 16, 32 and 64 are known", instruction[2]);
    }
  }
  return Insert(1, 2, TypeOfSize(instruction, size));
}

// An id that is not defined yet can only be a pointer's: OpTypeForwardPointer announced it.
SpirvDefinition SpirvDefinitions::TypeOf(uint32_t id) const {
  if (const SpirvDefinition* const type = Find(id)) return *type;
  return TypeOfSize({}, kPointerSize);
}

// Matrices, too: columns without padding.
Status SpirvDefinitions::AddVector(const SpirvInstruction& instruction) {
  HAL_TRY(instruction.Require(4));
  const SpirvDefinition element = TypeOf(instruction[2]);
  return Insert(1, 4, TypeOfSize(instruction, Times(element.packed_size, instruction[3])));
}

Status SpirvDefinitions::AddArray(const SpirvInstruction& instruction) {
  HAL_TRY(instruction.Require(4));
  const SpirvDefinition element = TypeOf(instruction[2]);
  const SpirvDefinition* const length = Find(instruction[3]);
  const uint64_t count = length && length->is_known ? length->value : 0;
  const std::optional<uint32_t> stride = decorations_.Find(instruction[1], kArrayStride);
  SpirvDefinition type = WithoutSize(instruction);
  type.size = Times(stride ? *stride : element.size, count);
  type.packed_size = Times(element.packed_size, count);
  const bool is_dynamic = length && length->needs_dynamic;
  type.fixed_size = is_dynamic ? 0 : Times(element.fixed_size, count);
  type.needs_dynamic = is_dynamic || element.needs_dynamic;
  type.has_unknown = element.has_unknown || !length || !length->is_known;
  return Insert(1, 4, type);
}

Status SpirvDefinitions::AddStruct(const SpirvInstruction& instruction) {
  HAL_TRY(instruction.Require(2));
  SpirvDefinition type = WithoutSize(instruction);
  type.is_never_read = type.is_never_written = instruction.size() > 2;
  for (uint32_t member = 0; member + 2 < instruction.size(); ++member) {
    const SpirvDefinition member_type = TypeOf(instruction[member + 2]);
    const uint32_t offset = decorations_.FindMember(instruction[1], member, kOffset).value_or(0);
    type.size = std::max(type.size, Plus(offset, MemberSize(instruction, member)));
    type.packed_size = Plus(type.packed_size, member_type.packed_size);
    type.fixed_size = Plus(type.fixed_size, member_type.fixed_size);
    type.needs_dynamic |= member_type.needs_dynamic;
    type.is_never_read = type.is_never_read && decorations_.FindMember(instruction[1], member, kNonReadable);
    type.is_never_written = type.is_never_written && decorations_.FindMember(instruction[1], member, kNonWritable);
    type.has_unknown |= member_type.has_unknown;
  }
  return Insert(1, 2, type);
}

// Only a struct says how a matrix in it is laid out.
uint64_t SpirvDefinitions::MemberSize(const SpirvInstruction& type, uint32_t member) const {
  const SpirvDefinition member_type = TypeOf(type[member + 2]);
  const std::optional<uint32_t> stride = decorations_.FindMember(type[1], member, kMatrixStride);
  if (!stride || member_type.instruction.opcode != kOpTypeMatrix) return member_type.size;
  uint64_t vectors = member_type.instruction[3];
  if (decorations_.FindMember(type[1], member, kRowMajor)) {
    const SpirvDefinition* const column = Find(member_type.instruction[2]);
    vectors = column && column->instruction.opcode == kOpTypeVector ? column->instruction[3] : 0;
  }
  return Times(*stride, vectors);
}

Status SpirvDefinitions::AddConstant(const SpirvInstruction& instruction) {
  const bool is_number = instruction.opcode == kOpConstant || instruction.opcode == kOpSpecConstant;
  HAL_TRY(instruction.Require(is_number ? 4 : 3));
  SpirvDefinition constant = WithoutSize(instruction);
  constant.is_known = true;
  constant.value =
      is_number ? instruction[3] : instruction.opcode == kOpConstantTrue || instruction.opcode == kOpSpecConstantTrue;
  if (is_number && instruction.size() > 4) constant.value |= uint64_t{instruction[4]} << 32;
  constant.needs_dynamic = instruction.opcode >= kOpSpecConstantTrue &&
                           decorations_.Find(instruction[2], kSpecId) == kSpirvDynamicLocalMemoryId;
  if (instruction.opcode >= kOpSpecConstantTrue) Specialize(&constant);
  if (constant.is_given) constant.needs_dynamic = false;
  return Insert(2, 3, constant);
}

// A boolean has four bytes in a specialisation, of which any that is not 0 means true.
void SpirvDefinitions::Specialize(SpirvDefinition* constant) const {
  const std::optional<uint32_t> id = decorations_.Find(constant->instruction[2], kSpecId);
  const auto given = std::find_if(specializations_.begin(), specializations_.end(),
                                  [&](const hal_specialization_t& specialization) { return specialization.id == id; });
  if (given == specializations_.end()) return;
  constant->is_given = true;
  const bool is_boolean = constant->instruction.opcode != kOpSpecConstant;
  constant->value = is_boolean ? uint64_t{given->value != 0} : given->value;
}

Status SpirvDefinitions::AddComputed(const SpirvInstruction& instruction) {
  HAL_TRY(instruction.Require(4));
  SpirvDefinition constant = WithoutSize(instruction);
  // The numbers behind a CompositeExtract are places, not ids.
  const size_t end =
      instruction[3] == kOpCompositeExtract ? std::min<size_t>(instruction.size(), 5) : instruction.size();
  for (size_t word = 4; word < end; ++word) {
    const SpirvDefinition* const operand = Find(instruction[word]);
    constant.needs_dynamic |= operand && operand->needs_dynamic;
  }
  Compute(&constant);
  return Insert(2, 4, constant);
}

// Numbers of integer types. What is made of vectors, except their parts, and of floating-point numbers stays unknown.
void SpirvDefinitions::Compute(SpirvDefinition* constant) const {
  constexpr size_t kMostOperands = 3;
  const SpirvInstruction& instruction = constant->instruction;
  if (instruction[3] == kOpCompositeExtract) return Extract(constant);
  const uint32_t width = WidthOf(instruction[1]);
  if (width == 0 || instruction.size() > 4 + kMostOperands) return;
  HostVector<SpirvNumber> operands;
  for (size_t word = 4; word < instruction.size(); ++word) {
    const SpirvDefinition* const operand = Find(instruction[word]);
    const uint32_t own_width = operand && operand->is_known ? WidthOf(operand->instruction[1]) : 0;
    if (own_width == 0) return;
    operands.emplace_back(operand->value, own_width);
  }
  const std::optional<uint64_t> value = ComputeSpirv(instruction[3], operands, width);
  constant->is_known = value.has_value();
  constant->value = value.value_or(0);
}

void SpirvDefinitions::Extract(SpirvDefinition* constant) const {
  const SpirvInstruction& instruction = constant->instruction;
  const SpirvDefinition* const whole = instruction.size() == 6 ? Find(instruction[4]) : nullptr;
  if (!whole) return;
  const uint32_t opcode = whole->instruction.opcode;
  const size_t place = size_t{instruction[5]} + 3;
  const bool is_composite = opcode == kOpSpecConstantComposite || opcode == kOpConstantComposite;
  const SpirvDefinition* const part =
      is_composite && place < whole->instruction.size() ? Find(whole->instruction[place]) : nullptr;
  if (!part) return;
  constant->is_known = part->is_known;
  constant->value = part->value;
}

uint32_t SpirvDefinitions::WidthOf(uint32_t type) const {
  const SpirvDefinition* const definition = Find(type);
  if (!definition) return 0;
  if (definition->instruction.opcode == kOpTypeBool) return 1;
  return definition->instruction.opcode == kOpTypeInt ? definition->instruction[2] : 0;
}

hal_element_type_t SpirvDefinitions::ElementTypeOf(uint32_t type) const {
  constexpr int kMostDepth = 16;  // of arrays in arrays
  for (int depth = 0; depth < kMostDepth; ++depth) {
    const SpirvDefinition* const definition = Find(type);
    if (!definition) return HAL_ELEMENT_TYPE_NONE;
    const SpirvInstruction& instruction = definition->instruction;
    switch (instruction.opcode) {
      case kOpTypeVector:
      case kOpTypeMatrix:
      case kOpTypeArray:
      case kOpTypeRuntimeArray:
        if (instruction.size() < 3) return HAL_ELEMENT_TYPE_NONE;
        type = instruction[2];
        break;
      case kOpTypeStruct:
        if (instruction.size() != 3) return HAL_ELEMENT_TYPE_NONE;
        type = instruction[2];
        break;
      default:
        return NumberTypeOf(instruction);
    }
  }
  return HAL_ELEMENT_TYPE_NONE;
}

Status SpirvDefinitions::AddFunction(const SpirvInstruction& instruction) {
  SpirvDefinition function = WithoutSize(instruction);
  function.value = function_count_++;
  return Insert(2, 5, function);
}

}  // namespace halyard
