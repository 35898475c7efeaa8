// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_divider.h"

#include <algorithm>
#include <utility>

#include "image/reflection/spirv/spirv_opcodes.h"
#include "image/reflection/spirv/spirv_reflection.h"

namespace halyard {
namespace {

using enum spirv::Opcode;

// A look at an instruction takes less than a step of the budget, as does the copy of a few words.
constexpr size_t kInstructionsPerStep = 8;
constexpr size_t kWordsPerStep = 32;

/// What a declaration is for a kernel that does not mention it.
enum class Declaration {
  kDefinition,  ///< nothing
  kAnnotation,  ///< it says something of an id, which is its first operand
  kEntryPoint,  ///< it says something of a kernel
  kSource,      ///< debug information that no other instruction refers to
  kOther,       ///< needed, or unknown
};

Declaration KindOf(uint32_t opcode) {
  switch (opcode) {
    case kOpSource:
    case kOpSourceContinued:
    case kOpSourceExtension:
    case kOpModuleProcessed:
      return Declaration::kSource;
    case kOpName:
    case kOpMemberName:
    case kOpDecorate:
    case kOpMemberDecorate:
    case kOpDecorateId:
    case kOpDecorateString:
    case kOpMemberDecorateString:
      return Declaration::kAnnotation;
    case kOpEntryPoint:
    case kOpExecutionMode:
    case kOpExecutionModeId:
      return Declaration::kEntryPoint;
    case kOpUndef:
    case kOpString:
    case kOpVariable:
      return Declaration::kDefinition;
    default:
      break;
  }
  const bool is_type = opcode >= kOpTypeVoid && opcode < kOpTypeForwardPointer;
  const bool is_constant = opcode >= kOpConstantTrue && opcode <= kOpSpecConstantOp;
  return is_type || is_constant ? Declaration::kDefinition : Declaration::kOther;
}

// The size of subgroups is what pipelines ask for: Vulkan does not take it from a module.
bool SaysSubgroups(const SpirvInstruction& instruction) {
  if (instruction.opcode == kOpCapability) {
    return instruction.size() > 1 && instruction[1] == static_cast<uint32_t>(SpirvCapability::kSubgroupDispatch);
  }
  if (instruction.opcode != kOpExecutionMode && instruction.opcode != kOpExecutionModeId) return false;
  const uint32_t mode = instruction.size() > 2 ? instruction[2] : 0;
  return mode == spirv::kSubgroupSize || mode == spirv::kSubgroupsPerWorkgroup ||
         mode == spirv::kSubgroupsPerWorkgroupId;
}

bool IsRoot(uint32_t decoration, uint32_t operand) {
  return decoration == spirv::kSpecId || (decoration == spirv::kBuiltIn && operand == spirv::kWorkgroupSize);
}

/// The word of a definition that is its id: types have none before it.
size_t ResultWord(uint32_t opcode) {
  return opcode == kOpString || (opcode >= kOpTypeVoid && opcode < kOpTypeForwardPointer) ? 1 : 2;
}

}  // namespace

void SpirvDivider::IdSet::Add(uint32_t id) {
  if (id >= is_in_.size() || is_in_[id]) return;
  is_in_[id] = true;
  ids_.push_back(id);
}

void SpirvDivider::IdSet::Clear() {
  for (const uint32_t id : ids_) is_in_[id] = false;
  ids_.clear();
}

Status SpirvDivider::Open(std::span<const uint32_t> words) {
  words_ = words;
  HAL_TRY(reader_.Open(std::as_bytes(words)));
  budget_.emplace(words.size_bytes());
  definitions_.emplace(reader_.Bound(), no_decorations_, std::span<const hal_specialization_t>());
  calls_.emplace(*definitions_);
  HAL_TRY(reader_.ForEach([this](const SpirvInstruction& instruction) { return Examine(instruction); }));
  used_.Resize(reader_.Bound());
  defined_.Resize(reader_.Bound());
  kept_.Resize(reader_.Bound());
  return kOk;
}

Status SpirvDivider::Examine(const SpirvInstruction& instruction) {
  const bool begins = instruction.opcode == kOpFunction;
  if (begins) {
    functions_.push_back({instruction.place, instruction.place});
    HAL_TRY(definitions_->Add(instruction));
  }
  if (functions_.empty()) return ExamineOutside(instruction);
  functions_.back().end = instruction.place + instruction.size();
  calls_->Add(instruction);
  return kOk;
}

// No kernel mentions the size of workgroups, and none has to mention a specialisation constant. Structs mention
// pointers before their type is declared, and decorations come before the ids that they mention.
Status SpirvDivider::ExamineOutside(const SpirvInstruction& instruction) {
  outside_.push_back(static_cast<uint32_t>(instruction.place));
  switch (instruction.opcode) {
    case kOpEntryPoint:
      return TakeEntryPoint(instruction);
    case kOpExtInst:
    case kOpDecorationGroup:
    case kOpGroupDecorate:
    case kOpGroupMemberDecorate:
      can_divide_ = false;
      return kOk;
    case kOpTypeForwardPointer:
      if (instruction.size() > 1) roots_.push_back(instruction[1]);
      return kOk;
    case kOpDecorateId:
      for (size_t word = 3; word < instruction.size(); ++word) roots_.push_back(instruction[word]);
      return kOk;
    case kOpDecorate:
      if (instruction.size() > 3 && IsRoot(instruction[2], instruction[3])) roots_.push_back(instruction[1]);
      return kOk;
    default:
      return definitions_->Add(instruction);
  }
}

Status SpirvDivider::TakeEntryPoint(const SpirvInstruction& instruction) {
  HAL_TRY(instruction.Require(4));
  if (instruction[1] != spirv::kGlCompute) return kOk;
  std::string_view name;
  size_t end = 0;
  HAL_TRY(instruction.ReadText(3, &name, &end));
  entry_points_[name] = instruction;
  return kOk;
}

Status SpirvDivider::Take(std::string_view kernel, SpirvWords* out_words) {
  const auto found = entry_points_.find(kernel);
  if (found == entry_points_.end()) {
    return Fail(HAL_STATUS_NOT_FOUND, "the module has no kernel '%.*s'", HALYARD_SV(kernel));
  }
  if (!can_divide_) return TakeWhole(out_words);
  const auto part = std::allocate_shared<HostVector<uint32_t>>(HostStdAllocator<HostVector<uint32_t>>());
  HAL_TRY(TakePart(found->second, part.get()));
  *out_words = part;
  return kOk;
}

// What the module costs a compiler each time is not known here.
Status SpirvDivider::TakeWhole(SpirvWords* out_words) {
  HAL_TRY(budget_->Take(words_.size() / kWordsPerStep));
  if (!whole_) {
    whole_ = std::allocate_shared<HostVector<uint32_t>>(HostStdAllocator<HostVector<uint32_t>>(), WithoutSubgroups());
  }
  *out_words = whole_;
  return kOk;
}

HostVector<uint32_t> SpirvDivider::WithoutSubgroups() const {
  HostVector<uint32_t> words;
  words.reserve(words_.size());
  size_t begin = 0;
  const auto copy_up_to = [&](size_t end) { words.insert(words.end(), words_.begin() + begin, words_.begin() + end); };
  for (const uint32_t place : outside_) {
    const SpirvInstruction instruction = reader_.At(place);
    if (!SaysSubgroups(instruction)) continue;
    copy_up_to(place);
    begin = place + instruction.size();
  }
  copy_up_to(words_.size());
  return words;
}

Status SpirvDivider::TakePart(const SpirvInstruction& entry_point, HostVector<uint32_t>* out_words) {
  HAL_TRY(budget_->Take(2 * outside_.size() / kInstructionsPerStep));
  const HostVector<size_t> functions = calls_->ReachedFrom(entry_point[2]);
  used_.Clear();
  defined_.Clear();
  kept_.Clear();
  for (const uint32_t id : roots_) used_.Add(id);
  Use(entry_point, 1);
  MarkFunctions(functions);
  MarkDeclarations(entry_point);
  HAL_TRY(Append({0, SpirvReader::kHeadWords}, out_words));
  for (const uint32_t place : outside_) {
    const SpirvInstruction instruction = reader_.At(place);
    if (IsKept(instruction, entry_point)) HAL_TRY(Append({place, place + instruction.size()}, out_words));
  }
  for (const size_t function : functions) HAL_TRY(Append(functions_[function], out_words));
  out_words->shrink_to_fit();
  return kOk;
}

void SpirvDivider::Use(const SpirvInstruction& instruction, size_t first_word) {
  for (size_t word = first_word; word < instruction.size(); ++word) used_.Add(instruction[word]);
}

// The second operand of what stands in functions is an id, or the result itself: so each id that is defined there is
// found.
void SpirvDivider::MarkFunctions(std::span<const size_t> functions) {
  for (const size_t function : functions) {
    for (size_t at = functions_[function].begin; at < functions_[function].end;) {
      const SpirvInstruction instruction = reader_.At(at);
      at += instruction.size();
      Use(instruction, 1);
      const bool has_number = instruction.opcode == kOpLine || instruction.opcode == kOpSelectionMerge;
      if (!has_number && instruction.size() > 2) defined_.Add(instruction[2]);
    }
  }
}

// From the last to the first, as every operand comes before its use. Only the modes of the kernel come before theirs.
void SpirvDivider::MarkDeclarations(const SpirvInstruction& entry_point) {
  for (const uint32_t place : outside_) {
    const SpirvInstruction instruction = reader_.At(place);
    const bool is_mode = KindOf(instruction.opcode) == Declaration::kEntryPoint;
    if (is_mode && IsKept(instruction, entry_point)) Use(instruction, 1);
  }
  for (size_t i = outside_.size(); i-- > 0;) {
    const SpirvInstruction instruction = reader_.At(outside_[i]);
    const Declaration kind = KindOf(instruction.opcode);
    const size_t result = ResultWord(instruction.opcode);
    if (kind == Declaration::kDefinition) {
      if (instruction.size() <= result || !used_.Has(instruction[result])) continue;
      kept_.Add(instruction[result]);
      defined_.Add(instruction[result]);
      Use(instruction, 1);
    }
    if (kind != Declaration::kOther) continue;
    if (instruction.opcode == kOpLine) Use(instruction, 1);
    if (instruction.opcode > kOpCapability) {  // up to there no other mentions an id: its operands are numbers
      for (size_t word = 1; word < std::min<size_t>(instruction.size(), 3); ++word) defined_.Add(instruction[word]);
      Use(instruction, 1);  // one of its first two operands may be its id
    }
  }
}

bool SpirvDivider::IsKept(const SpirvInstruction& instruction, const SpirvInstruction& entry_point) const {
  switch (KindOf(instruction.opcode)) {
    case Declaration::kDefinition: {
      const size_t result = ResultWord(instruction.opcode);
      return instruction.size() <= result || kept_.Has(instruction[result]);
    }
    case Declaration::kAnnotation:
      return instruction.size() < 2 || defined_.Has(instruction[1]);
    case Declaration::kEntryPoint:
      if (instruction.opcode == kOpEntryPoint) return instruction.place == entry_point.place;
      return instruction.size() < 2 || (instruction[1] == entry_point[2] && !SaysSubgroups(instruction));
    case Declaration::kSource:
      return false;
    case Declaration::kOther:
      return !SaysSubgroups(instruction);
  }
  return true;
}

Status SpirvDivider::Append(Range range, HostVector<uint32_t>* out_words) {
  HAL_TRY(budget_->Take((range.end - range.begin) * sizeof(uint32_t)));
  const auto words = words_.subspan(range.begin, range.end - range.begin);
  out_words->insert(out_words->end(), words.begin(), words.end());
  return kOk;
}

}  // namespace halyard
