// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/call_plan.h"

#include <algorithm>

#include "common/function_signature.h"
#include "common/native_call.h"

namespace halyard {
namespace {

/// The most words of a frame; 32 KiB are enough for hundreds of memrefs and little for a thread's stack.
constexpr size_t kMaxFrameWords = 4096;

ComponentClass ClassOf(hal_element_type_t type) {
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_FLOAT:
    case HAL_NUMERIC_KIND_BFLOAT:
    case HAL_NUMERIC_KIND_COMPLEX: {
      const uint32_t size = ElementAlignment(type);
      return size == 2 ? ComponentClass::kHalf : size == 4 ? ComponentClass::kFloat : ComponentClass::kDouble;
    }
    default:
      return ComponentClass::kInteger;
  }
}

bool IsComplex(hal_element_type_t type) { return ElementKind(type) == HAL_NUMERIC_KIND_COMPLEX; }

constexpr uint32_t AlignTo(uint32_t offset, uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

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

/// LLVM 16 returns a bf16 like an f32, later versions like an f16, which differ from the third register on.
bool DependsOnVersion(const hal_function_signature_t& signature) {
  uint32_t vectors = 0;
  for (const hal_value_type_t& type : ResultsOf(signature)) {
    if (type.kind != HAL_VALUE_KIND_SCALAR || ClassOf(type.element_type) == ComponentClass::kInteger) continue;
    if (ElementKind(type.element_type) == HAL_NUMERIC_KIND_BFLOAT && vectors >= 2) return true;
    vectors += 1 + IsComplex(type.element_type);
  }
  return false;
}

}  // namespace

Status CallPlan::Make(const hal_function_signature_t& signature) {
  if (!HALYARD_HAS_NATIVE_CALL) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED,
                    "functions compiled by MLIR are only called on x86-64 with ELF so far; this host is another");
  }
  if (signature.convention != HAL_CALLING_CONVENTION_WRAPPER && DependsOnVersion(signature)) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED,
                    "where a bf16 behind two other floats is returned depends on LLVM's version; compile the function "
                    "with the attribute llvm.emit_c_interface");
  }
  LayOutResults(signature);
  const bool in_registers = AssignReturnRegisters();
  const bool wrapper = signature.convention == HAL_CALLING_CONVENTION_WRAPPER;
  returns_in_memory_ = wrapper ? !WrapperReturnsDirectly(signature) : !in_registers;
  if (returns_in_memory_) x87_count_ = 0;
  PlaceArguments(signature);
  if (FrameWords() <= kMaxFrameWords) return kOk;
  return Fail(HAL_STATUS_UNIMPLEMENTED, "its arguments take %zu words; at most %zu are possible", FrameWords(),
              kMaxFrameWords);
}

void CallPlan::PlaceArguments(const hal_function_signature_t& signature) {
  if (returns_in_memory_) PlaceInteger();  // word 0: the address of the results
  for (const hal_value_type_t& type : ArgumentsOf(signature)) {
    argument_begin_.push_back(static_cast<uint32_t>(words_.size()));
    PlaceArgument(type, signature.convention);
  }
  argument_begin_.push_back(static_cast<uint32_t>(words_.size()));
  if (returns_in_memory_) {
    words_.erase(words_.begin());
    for (uint32_t& begin : argument_begin_) --begin;
  }
  pairs_begin_ = NativeFrame::kFirstStack + stack_words_;
  for (uint16_t& pair : pair_of_) pair = static_cast<uint16_t>(pair + pairs_begin_);
}

void CallPlan::PlaceArgument(const hal_value_type_t& type, hal_calling_convention_t convention) {
  pair_of_.push_back(static_cast<uint16_t>(pair_words_));
  if (type.kind == HAL_VALUE_KIND_SCALAR) return PlaceScalar(type.element_type);
  if (convention != HAL_CALLING_CONVENTION_EXPANDED) {
    if (type.kind == HAL_VALUE_KIND_UNRANKED) pair_words_ += 2;
    return PlaceInteger();
  }
  const size_t words = type.kind == HAL_VALUE_KIND_UNRANKED ? 2 : Descriptor::WordCount(type.rank);
  for (size_t i = 0; i < words; ++i) PlaceInteger();
}

void CallPlan::PlaceScalar(hal_element_type_t type) {
  if (ClassOf(type) == ComponentClass::kInteger) return PlaceInteger();
  PlaceVector();
  if (IsComplex(type)) PlaceVector();  // each part is an argument of its own
}

void CallPlan::PlaceInteger() {
  const size_t word =
      integers_used_ < NativeFrame::kIntegerRegisters ? integers_used_++ : NativeFrame::kFirstStack + stack_words_++;
  words_.push_back(static_cast<uint16_t>(std::min(word, kMaxFrameWords)));
}

void CallPlan::PlaceVector() {
  const size_t word = vectors_used_ < NativeFrame::kVectorRegisters ? NativeFrame::kFirstVector + 2 * vectors_used_++
                                                                    : NativeFrame::kFirstStack + stack_words_++;
  words_.push_back(static_cast<uint16_t>(std::min(word, kMaxFrameWords)));
}

void CallPlan::LayOutResults(const hal_function_signature_t& signature) {
  uint32_t end = 0;
  for (const hal_value_type_t& type : ResultsOf(signature)) AppendResult(type, signature.convention, &end);
  result_size_ = AlignTo(end, kWord);
}

void CallPlan::AppendResult(const hal_value_type_t& type, hal_calling_convention_t convention, uint32_t* end) {
  using Place = ResultComponent::Place;
  const bool scalar = type.kind == HAL_VALUE_KIND_SCALAR;
  const uint32_t size = scalar ? ElementAlignment(type.element_type) : kWord;
  const uint32_t count = scalar ? 1 + IsComplex(type.element_type) : ResultWords(type, convention);
  const ComponentClass kind = scalar ? ClassOf(type.element_type) : ComponentClass::kInteger;
  *end = AlignTo(*end, size);
  results_.push_back({*end});
  for (uint32_t i = 0; i < count; ++i, *end += size) {
    components_.push_back({*end, static_cast<uint8_t>(size), kind, Place::kMemory, 0});
  }
}

/// LLVM's rules for x86-64: three integer registers; XMM0 and XMM1, and XMM2 for floats of 16 bits only; the x87 stack
/// for two more of the other floats. What does not fit is returned in memory, all of it.
bool CallPlan::AssignReturnRegisters() {
  using Place = ResultComponent::Place;
  uint8_t integers = 0;
  uint8_t vectors = 0;
  for (ResultComponent& component : components_) {
    if (component.kind == ComponentClass::kInteger) {
      component.place = Place::kInteger;
      component.index = integers++;
    } else if (vectors < (component.kind == ComponentClass::kHalf ? 3 : 2)) {
      component.place = Place::kVector;
      component.index = vectors++;
    } else if (component.kind != ComponentClass::kHalf) {
      component.place = Place::kX87;
      component.index = static_cast<uint8_t>(x87_count_++);
    } else {
      return false;
    }
    if (integers > 3 || x87_count_ > 2) return false;
  }
  return true;
}

}  // namespace halyard
