// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/function.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "base/application_call.h"
#include "base/per_thread.h"
#include "function/c_types.h"
#include "function/results.h"

// Saves no signals; and on Windows nothing is unwound on the way back, as compiled code cannot be.
#if defined(_WIN32)
#define HALYARD_SET_JUMP(buffer) _setjmp(buffer, nullptr)
#else
#define HALYARD_SET_JUMP(buffer) _setjmp(buffer)
#endif

namespace halyard {
namespace {

/// Where a thread's innermost guarded call goes on if the function gives up.
struct GuardPlace {
  jmp_buf* innermost = nullptr;
};

/// Calls with a way out. No object with a destructor lives in here or in compiled code, which the jump passes over.
/// @return false if the function gave up
bool CallGuarded(GuardPlace& place, const uint64_t* frame, const void* address, size_t stack_words,
                 NativeReturns* returns, size_t x87_count) {
  jmp_buf guard;
  jmp_buf* const outer = place.innermost;
  if (HALYARD_SET_JUMP(guard) != 0) {
    place.innermost = outer;
    return false;
  }
  place.innermost = &guard;
  try {
    halyard_native_call(frame, address, stack_words, returns, x87_count);
  } catch (...) {
    place.innermost = outer;
    throw;
  }
  place.innermost = outer;
  return true;
}

void Call(const uint64_t* frame, const void* address, size_t stack_words, NativeReturns* returns, size_t x87_count) {
  halyard_native_call(frame, address, stack_words, returns, x87_count);
}

/// A piece of a scalar as a register has it. Integers are extended to 64 bits, which LLVM itself asks of i1 only.
uint64_t RegisterOf(hal_element_type_t part, const std::byte* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return IsInteger(part) && size == ElementSize(part) ? ExtendInteger(part, word) : word;
}

}  // namespace

void FailCall() {
  const GuardPlace* const place = PerThread<GuardPlace>::Find();
  if (place && place->innermost) longjmp(*place->innermost, 1);
}

Status CompiledFunction::Make(std::string_view name, const hal_function_signature_t& signature, const void* address,
                              bool guarded) {
  name_ = name;
  signature_ = OwnedSignature(signature);
  address_ = address;
  guarded_ = guarded;
  return plan_.Make(*signature_.Get());
}

Status CompiledFunction::CheckMemref(size_t argument, const hal_value_t& value) const {
  const hal_value_type_t& type = Signature().arguments[argument];
  const Status status = value.as.memref ? CheckDescriptor(Descriptor::Of(*value.as.memref), type)
                                        : Fail(HAL_STATUS_INVALID_ARGUMENT, "the memref is NULL; the function takes %s",
                                               TypeText(type).c_str());
  return AnnotateValue(status, name_, "argument", argument);
}

Status CompiledFunction::FailWithoutPlace(const char* list, uint32_t index, const hal_value_type_t& type) const {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%.*s': %s %u: the address of %s is NULL", HALYARD_SV(name_), list, index,
              TypeText(type).c_str());
}

Status CompiledFunction::SetPlainArguments(const hal_value_t* arguments, FunctionCall* call,
                                           std::span<uint64_t> aliases, size_t* alias_count) const {
  for (uint32_t i = 0; i < Signature().argument_count; ++i) {
    const hal_value_type_t& type = Signature().arguments[i];
    if (type.kind == HAL_VALUE_KIND_SCALAR) {
      const void* const bytes = ScalarBytes(type, arguments[i]);
      if (!bytes) return FailWithoutPlace("argument", i, type);
      call->SetScalar(i, bytes);
      continue;
    }
    if (type.kind == HAL_VALUE_KIND_POINTER) {
      const void* const pointer = arguments[i].as.pointer;
      HAL_TRY(
          AnnotateValue(CheckAlignment(reinterpret_cast<uintptr_t>(pointer), type.element_type), name_, "argument", i));
      call->SetPointer(i, pointer);
      continue;
    }
    const hal_memref_t* const memref = arguments[i].as.memref;
    if (!memref || !FitsAtOnce(Descriptor::Of(*memref), type)) HAL_TRY(CheckMemref(i, arguments[i]));
    const Descriptor descriptor = Descriptor::Of(*memref);
    aliases[(*alias_count)++] = static_cast<uint64_t>(descriptor.Allocated());
    call->SetMemref(i, descriptor);
  }
  return kOk;
}

Status CompiledFunction::Call(const hal_value_t* arguments, hal_value_t* results) const {
  const hal_function_signature_t& signature = Signature();
  FunctionCall call(*this);
  WordStorage<16> aliases(signature.argument_count);
  size_t alias_count = 0;
  HAL_TRY(SetPlainArguments(arguments, &call, {aliases.data(), aliases.size()}, &alias_count));
  for (uint32_t i = 0; i < signature.result_count; ++i) {
    const hal_value_type_t& type = signature.results[i];
    const void* const place = type.kind == HAL_VALUE_KIND_SCALAR ? ScalarBytes(type, results[i]) : results[i].as.memref;
    if (!place) return FailWithoutPlace("result", i, type);
  }
  WordStorage<64> memory(plan_.ResultSize() / sizeof(uint64_t));
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  HAL_TRY(call.Run(bytes));
  if (signature.result_count == 0) return kOk;
  const std::span<const int64_t> known(reinterpret_cast<const int64_t*>(aliases.data()), alias_count);
  return TakeResults(name_, plan_, signature, known, bytes, results);
}

FunctionCall::FunctionCall(const FunctionCall& other) : function_(other.function_), frame_(other.frame_.size()) {
  std::copy_n(other.frame_.data(), frame_.size(), frame_.data());
  if (IsC(function_.Signature().convention)) AdoptHalideBuffers(other);
}

/// Compiled code may write to these, so each call has its own.
void FunctionCall::AdoptHalideBuffers(const FunctionCall& other) {
  const auto arguments = ArgumentsOf(function_.Signature());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != HAL_VALUE_KIND_HALIDE_BUFFER) continue;
    const size_t place = function_.plan_.IndirectOf(i);
    CopyHalideBuffer(other.frame_.data() + place, arguments[i].rank, frame_.data() + place);
    SetPointer(i, frame_.data() + place);
  }
}

void FunctionCall::SetScalar(size_t argument, const void* bytes) {
  const auto words = function_.plan_.Words(argument);
  const hal_element_type_t type = function_.Signature().arguments[argument].element_type;
  const size_t size = ElementSize(type) / words.size();
  const auto* const pieces = static_cast<const std::byte*>(bytes);
  for (size_t i = 0; i < words.size(); ++i) frame_.data()[words[i]] = RegisterOf(PartOf(type), pieces + i * size, size);
}

void FunctionCall::SetMemref(size_t argument, Descriptor descriptor) {
  const hal_function_signature_t& signature = function_.Signature();
  const hal_value_type_t& type = signature.arguments[argument];
  if (NeedsFolding(descriptor, type)) descriptor = Folded(descriptor, type);
  const auto words = function_.plan_.Words(argument);
  uint64_t* const frame = frame_.data();
  const auto address = reinterpret_cast<uintptr_t>(descriptor.words);
  const bool unranked = type.kind == HAL_VALUE_KIND_UNRANKED;
  switch (signature.convention) {
    case HAL_CALLING_CONVENTION_EXPANDED:
      if (unranked) {
        frame[words[0]] = descriptor.rank;
        frame[words[1]] = address;
      } else {
        for (size_t i = 0; i < words.size(); ++i) frame[words[i]] = static_cast<uint64_t>(descriptor.words[i]);
      }
      return;
    case HAL_CALLING_CONVENTION_C:
    case HAL_CALLING_CONVENTION_C_STATUS:
      if (type.kind == HAL_VALUE_KIND_HALIDE_BUFFER) {
        uint64_t* const buffer = frame + function_.plan_.IndirectOf(argument);
        WriteHalideBuffer(descriptor, buffer);
        SetPointer(argument, buffer);
      } else {
        SetPointer(argument, FirstElement(descriptor));
      }
      return;
    case HAL_CALLING_CONVENTION_BARE_POINTER:
      frame[words[0]] = static_cast<uint64_t>(descriptor.Aligned());
      return;
    default:
      if (unranked) {
        uint64_t* const pair = frame + function_.plan_.IndirectOf(argument);
        pair[0] = descriptor.rank;
        pair[1] = address;
        frame[words[0]] = reinterpret_cast<uintptr_t>(pair);
      } else {
        frame[words[0]] = address;
      }
  }
}

Descriptor FunctionCall::Folded(const Descriptor& descriptor, const hal_value_type_t& type) {
  folded_.emplace_back(descriptor.words, descriptor.words + Descriptor::WordCount(descriptor.rank));
  const Descriptor copy = {descriptor.element_type, descriptor.rank, folded_.back().data()};
  FoldOffset(copy, type);
  return copy;
}

Status FunctionCall::Run(std::byte* results) {
  const CallPlan& plan = function_.plan_;
  NativeReturns returns;
  if (plan.ReturnsInMemory()) frame_.data()[plan.ResultAddressWord()] = reinterpret_cast<uintptr_t>(results);
  HAL_TRY(Invoke(&returns));
  if (function_.Signature().convention == HAL_CALLING_CONVENTION_C_STATUS) return CheckStatus(returns);
  if (!plan.ReturnsInMemory()) StoreReturns(plan, returns, results);
  return kOk;
}

Status FunctionCall::CheckStatus(const NativeReturns& returns) const {
  const auto code = static_cast<int32_t>(returns.integers[0]);  // an `int`; the bits above it mean nothing
  if (code == 0) return kOk;
  return Fail(HAL_STATUS_ABORTED, "'%.*s' returned the status %d", HALYARD_SV(function_.name_), code);
}

Status FunctionCall::Invoke(NativeReturns* returns) const {
  const CallPlan& plan = function_.plan_;
  GuardPlace* const place = function_.guarded_ ? &PerThread<GuardPlace>::Get() : nullptr;
  try {
    if (!place) {
      halyard::Call(frame_.data(), function_.address_, plan.StackWords(), returns, plan.X87Count());
      return kOk;
    }
    if (CallGuarded(*place, frame_.data(), function_.address_, plan.StackWords(), returns, plan.X87Count())) return kOk;
  } catch (...) {
    return Annotate(ThrownStatus("it"), "'", function_.name_, "': ");
  }
  return Fail(HAL_STATUS_ABORTED, "'%.*s' gave up: it called abort(), as a failed cf.assert does",
              HALYARD_SV(function_.name_));
}

}  // namespace halyard
