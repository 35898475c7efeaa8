// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/call_plan.h"

#include <algorithm>

#include "base/round_up.h"
#include "function/c_types.h"
#include "function/native_call.h"
#include "function/signature.h"

namespace halyard {
namespace {

/// The most words of a frame; 32 KiB are enough for hundreds of memrefs and little for a thread's stack.
constexpr size_t kMaxFrameWords = 4096;

/// What an integer of two words is aligned to, on x86-64 since LLVM 18; before, it was 8 there.
constexpr uint32_t kWideAlignment = 16;

/// Whether LLVM's rules are AArch64's, which all versions have in common, and not those of x86-64.
#if defined(__aarch64__)
constexpr bool kIsAarch64 = true;
#else
constexpr bool kIsAarch64 = false;
#endif

ComponentClass FloatClass(uint32_t size) {
  switch (size) {
    case 2:
      return ComponentClass::kHalf;
    case 4:
      return ComponentClass::kFloat;
    case 8:
      return ComponentClass::kDouble;
    default:
      return ComponentClass::kQuad;
  }
}

/// Small floats are integers to LLVM.
ComponentClass ClassOf(hal_element_type_t type) {
  if (PartOf(type) == HAL_ELEMENT_TYPE_F80) return ComponentClass::kExtended;
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_FLOAT:
    case HAL_NUMERIC_KIND_BFLOAT:
      return FloatClass(ElementAlignment(type));
    default:
      return ComponentClass::kInteger;
  }
}

/// An integer of two words, or a complex number of two such.
bool IsWide(hal_element_type_t type) { return IsInteger(PartOf(type)) && ElementBits(type) > 64; }

bool IsBfloat(hal_element_type_t type) { return ElementKind(type) == HAL_NUMERIC_KIND_BFLOAT; }

/// A pointer or number of a descriptor.
constexpr uint32_t kWord = 8;

/// How many integers stand for a memref that is returned.
uint32_t ResultWords(const hal_value_type_t& type, hal_calling_convention_t convention) {
  if (type.kind == HAL_VALUE_KIND_UNRANKED) return 2;
  if (convention == HAL_CALLING_CONVENTION_BARE_POINTER) return 1;
  return static_cast<uint32_t>(Descriptor::WordCount(type.rank));
}

/// The wrapper returns nothing but a single scalar that is no struct itself.
bool WrapperReturnsDirectly(const hal_function_signature_t& signature) {
  if (signature.result_count != 1) return signature.result_count == 0;
  const hal_value_type_t& type = signature.results[0];
  return type.kind == HAL_VALUE_KIND_SCALAR && !IsComplex(type.element_type);
}

/// The first value of 80 bits; the number of values if there is none. Only x86-64 has such registers.
uint32_t FindExtended(std::span<const hal_value_type_t> types) {
  const auto is_extended = [](const hal_value_type_t& type) {
    return type.kind == HAL_VALUE_KIND_SCALAR && PiecesOf(type.element_type).kind == ComponentClass::kExtended;
  };
  return static_cast<uint32_t>(std::ranges::find_if(types, is_extended) - types.begin());
}

Status CheckExtended(const char* list, std::span<const hal_value_type_t> types) {
  const uint32_t index = FindExtended(types);
  if (!kIsAarch64 || index == types.size()) return kOk;
  return Fail(HAL_STATUS_UNIMPLEMENTED, "%s %u: this host's processors have no %s, which is x86-64's", list, index,
              TypeText(types[index]).c_str());
}

/// The first result of a kind that LLVM 16 returns elsewhere than later versions; the number of results if there is
/// none. LLVM 16 returns a bf16 like an f32, later versions like an f16, which differ from the third register on.
uint32_t FindAmbiguousBfloat(const hal_function_signature_t& signature) {
  if (kIsAarch64) return signature.result_count;
  uint32_t vectors = 0;
  for (uint32_t i = 0; i < signature.result_count; ++i) {
    const hal_value_type_t& type = signature.results[i];
    if (type.kind != HAL_VALUE_KIND_SCALAR) continue;
    const ScalarPieces pieces = PiecesOf(type.element_type);
    if (pieces.kind == ComponentClass::kInteger || pieces.kind == ComponentClass::kExtended) continue;
    vectors += pieces.count;
    if (IsBfloat(type.element_type) && vectors > 2) return i;
  }
  return signature.result_count;
}

Status Ambiguous(const char* list, uint32_t index, const hal_value_type_t& type, const char* advice) {
  return Fail(HAL_STATUS_UNIMPLEMENTED, "%s %u: where this %s lies depends on LLVM's version; %s", list, index,
              TypeText(type).c_str(), advice);
}

}  // namespace

ScalarPieces PiecesOf(hal_element_type_t type) {
  const ComponentClass kind = ClassOf(type);
  const uint32_t size = ElementSize(type);
  const uint32_t count = (IsComplex(type) ? 2 : 1) * (IsWide(type) ? 2 : 1);
  return {kind, size / count, count};
}

Status CallPlan::Make(const hal_function_signature_t& signature) {
  if (!HALYARD_HAS_NATIVE_CALL) {
    return FailWith(
        HAL_STATUS_UNIMPLEMENTED,
        "functions with signatures are only called on x86-64 and AArch64 with ELF so far; this host is another");
  }
  HAL_TRY(CheckExtended("argument", ArgumentsOf(signature)));
  HAL_TRY(CheckExtended("result", ResultsOf(signature)));
  LayOutResults(signature);
  const bool in_registers = AssignReturnRegisters();
  const bool wrapper = signature.convention == HAL_CALLING_CONVENTION_WRAPPER;
  returns_in_memory_ = wrapper ? !WrapperReturnsDirectly(signature) : !in_registers;
  if (returns_in_memory_) x87_count_ = 0;
  HAL_TRY(CheckResults(signature));
  HAL_TRY(PlaceArguments(signature));
  if (FrameWords() <= kMaxFrameWords) return kOk;
  return Fail(HAL_STATUS_UNIMPLEMENTED, "its arguments take %zu words; at most %zu are possible", FrameWords(),
              kMaxFrameWords);
}

Status CallPlan::CheckResults(const hal_function_signature_t& signature) const {
  if (signature.convention != HAL_CALLING_CONVENTION_WRAPPER) {
    const uint32_t bfloat = FindAmbiguousBfloat(signature);
    if (bfloat < signature.result_count) {
      return Ambiguous("result", bfloat, signature.results[bfloat],
                       "compile the function with the attribute llvm.emit_c_interface, or return it earlier");
    }
  }
  if (!returns_in_memory_ || ambiguous_result_ == UINT32_MAX) return kOk;
  return Ambiguous("result", ambiguous_result_, signature.results[ambiguous_result_],
                   "make it the first result, or store it to a memref");
}

Status CallPlan::PlaceArguments(const hal_function_signature_t& signature) {
  if (returns_in_memory_) PlaceResultAddress(signature.convention);
  for (uint32_t i = 0; i < signature.argument_count; ++i) {
    argument_begin_.push_back(static_cast<uint32_t>(words_.size()));
    if (PlaceArgument(signature.arguments[i], signature.convention)) continue;
    return Ambiguous("argument", i, signature.arguments[i], "make it an earlier argument, or pass it in a memref");
  }
  argument_begin_.push_back(static_cast<uint32_t>(words_.size()));
  indirect_begin_ = NativeFrame::kFirstStack + stack_words_;
  for (uint16_t& word : indirect_of_) word = static_cast<uint16_t>(word + indirect_begin_);
  return kOk;
}

/// A wrapper of MLIR takes it as an argument of its own, the first.
void CallPlan::PlaceResultAddress(hal_calling_convention_t convention) {
  if (convention != HAL_CALLING_CONVENTION_WRAPPER) result_address_word_ = NativeFrame::kResultAddress;
  if (result_address_word_ < NativeFrame::kIntegerRegisters) integers_used_ = 1;
}

/// @return false if versions of LLVM disagree
bool CallPlan::PlaceArgument(const hal_value_type_t& type, hal_calling_convention_t convention) {
  indirect_of_.push_back(static_cast<uint16_t>(indirect_words_));
  if (type.kind == HAL_VALUE_KIND_SCALAR) return PlaceScalar(type.element_type);
  if (convention != HAL_CALLING_CONVENTION_EXPANDED) {
    if (type.kind == HAL_VALUE_KIND_UNRANKED) indirect_words_ += 2;
    if (type.kind == HAL_VALUE_KIND_HALIDE_BUFFER) indirect_words_ += HalideWords(type.rank);
    PlaceInteger();
    return true;
  }
  const size_t words = type.kind == HAL_VALUE_KIND_UNRANKED ? 2 : Descriptor::WordCount(type.rank);
  for (size_t i = 0; i < words; ++i) PlaceInteger();
  return true;
}

bool CallPlan::PlaceScalar(hal_element_type_t type) {
  if (IsWide(type)) return PlaceWideInteger() && (!IsComplex(type) || PlaceWideInteger());
  const ScalarPieces pieces = PiecesOf(type);
  for (uint32_t i = 0; i < pieces.count; ++i) {
    if (pieces.kind == ComponentClass::kInteger)
      PlaceInteger();
    else if (pieces.kind == ComponentClass::kExtended)
      PlaceOnStack(2);
    else
      PlaceVector(pieces.kind == ComponentClass::kQuad ? 2 : 1);
  }
  return true;
}

/// Begins with an even register of AArch64; none is left for later integers once it is on the stack.
void CallPlan::AlignWideInteger() {
  integers_used_ = RoundUp(integers_used_, size_t{2});
  if (integers_used_ == NativeFrame::kIntegerRegisters) stack_words_ = RoundUp(stack_words_, size_t{2});
}

/// Versions of LLVM for x86-64 agree only while there are registers for both words, or where the stack happens to be
/// aligned.
bool CallPlan::PlaceWideInteger() {
  if (kIsAarch64) AlignWideInteger();
  const size_t left = NativeFrame::kIntegerRegisters - integers_used_;
  if (left == 1 || (left == 0 && stack_words_ % 2 != 0)) return false;
  PlaceInteger();
  PlaceInteger();
  return true;
}

void CallPlan::PlaceInteger() {
  if (integers_used_ == NativeFrame::kIntegerRegisters) return PlaceOnStack(1);
  Append(integers_used_++);
}

void CallPlan::PlaceVector(size_t words) {
  if (vectors_used_ == NativeFrame::kVectorRegisters) return PlaceOnStack(words);
  const size_t first = NativeFrame::kFirstVector + 2 * vectors_used_++;
  for (size_t i = 0; i < words; ++i) Append(first + i);
}

/// What has two words is aligned to both.
void CallPlan::PlaceOnStack(size_t words) {
  stack_words_ = (stack_words_ + words - 1) / words * words;
  for (size_t i = 0; i < words; ++i) Append(NativeFrame::kFirstStack + stack_words_++);
}

void CallPlan::Append(size_t word) { words_.push_back(static_cast<uint16_t>(std::min(word, kMaxFrameWords))); }

void CallPlan::LayOutResults(const hal_function_signature_t& signature) {
  uint32_t end = 0;
  for (const hal_value_type_t& type : ResultsOf(signature)) AppendResult(type, signature.convention, &end);
  result_size_ = RoundUp(end, kWord);
}

void CallPlan::AppendResult(const hal_value_type_t& type, hal_calling_convention_t convention, uint32_t* end) {
  using Place = ResultComponent::Place;
  const bool scalar = type.kind == HAL_VALUE_KIND_SCALAR;
  const ScalarPieces pieces = scalar ? PiecesOf(type.element_type)
                                     : ScalarPieces{ComponentClass::kInteger, kWord, ResultWords(type, convention)};
  const bool wide = scalar && IsWide(type.element_type);
  *end = RoundUp(*end, kIsAarch64 && wide ? kWideAlignment : pieces.size);
  if (wide && *end % kWideAlignment != 0) {
    ambiguous_result_ = std::min(ambiguous_result_, static_cast<uint32_t>(result_offsets_.size()));
  }
  result_offsets_.push_back(*end);
  for (uint32_t i = 0; i < pieces.count; ++i, *end += pieces.size) {
    const uint32_t size = pieces.kind == ComponentClass::kExtended ? ValueSize(HAL_ELEMENT_TYPE_F80) : pieces.size;
    components_.push_back({*end, static_cast<uint8_t>(size), pieces.kind, Place::kMemory, 0});
  }
}

#if defined(__aarch64__)

/// LLVM's rules for AArch64: eight registers of each kind. What does not fit is returned in memory, all of it.
bool CallPlan::AssignReturnRegisters() {
  using Place = ResultComponent::Place;
  uint8_t integers = 0;
  uint8_t vectors = 0;
  for (ResultComponent& component : components_) {
    const bool is_integer = component.kind == ComponentClass::kInteger;
    component.place = is_integer ? Place::kInteger : Place::kVector;
    component.index = is_integer ? integers++ : vectors++;
    if (integers > NativeFrame::kIntegerRegisters || vectors > NativeFrame::kVectorRegisters) return false;
  }
  return true;
}

#else

/// LLVM's rules for x86-64: three integer registers; XMM0 and XMM1, and XMM2 for floats of 16 bits only; the x87 stack
/// for two more floats of 32 or 64 bits, which f80 shares. What does not fit is returned in memory, all of it.
bool CallPlan::AssignReturnRegisters() {
  using Place = ResultComponent::Place;
  uint8_t integers = 0;
  uint8_t vectors = 0;
  for (ResultComponent& component : components_) {
    const ComponentClass kind = component.kind;
    const uint8_t most_vectors = kind == ComponentClass::kHalf ? 3 : kind == ComponentClass::kExtended ? 0 : 2;
    if (kind == ComponentClass::kInteger) {
      component.place = Place::kInteger;
      component.index = integers++;
    } else if (vectors < most_vectors) {
      component.place = Place::kVector;
      component.index = vectors++;
    } else if (kind != ComponentClass::kHalf && kind != ComponentClass::kQuad) {
      component.place = Place::kX87;
      component.index = static_cast<uint8_t>(x87_count_++);
    } else {
      return false;
    }
    if (integers > 3 || x87_count_ > 2) return false;
  }
  return true;
}

#endif

}  // namespace halyard
