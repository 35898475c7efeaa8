// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of the host, compiled by MLIR or plain C: what calls it, for plain calls and for dispatches.
#ifndef HALYARD_FUNCTION_FUNCTION_H_
#define HALYARD_FUNCTION_FUNCTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "function/call_plan.h"
#include "function/native_call.h"
#include "function/signature.h"
#include "function/value_type.h"

namespace halyard {

/// Words on the stack as long as they are few. Aligned as results are that compiled code stores: to 16 bytes.
template <size_t Inline>
class WordStorage {
 public:
  explicit WordStorage(size_t count) : count_(count) {
    if (count > Inline) overflow_.resize(count);
  }
  WordStorage(const WordStorage&) = delete;
  WordStorage& operator=(const WordStorage&) = delete;
  uint64_t* data() { return overflow_.empty() ? inline_.data() : overflow_.data(); }
  const uint64_t* data() const { return overflow_.empty() ? inline_.data() : overflow_.data(); }
  size_t size() const { return count_; }

 private:
  size_t count_;
  alignas(16) std::array<uint64_t, Inline> inline_;  // NOLINT: left as it is, since most of it is never looked at
  HostVector<uint64_t> overflow_;
};

class FunctionCall;

/// A symbol with its signature and the plan of calling it. Immutable once made, so any thread may call.
class CompiledFunction {
 public:
  /// @param name      in messages; lives as long as the function
  /// @param guarded   whether the code's abort() leads to FailCall(), so that calls have to be ready for it
  Status Make(std::string_view name, const hal_function_signature_t& signature, const void* address, bool guarded);

  std::string_view Name() const { return name_; }
  const hal_function_signature_t& Signature() const { return *signature_.Get(); }
  const CallPlan& Plan() const { return plan_; }

  /// A plain call: checks and passes all arguments, runs, and takes the results.
  Status Call(const hal_value_t* arguments, hal_value_t* results) const;

 private:
  friend class FunctionCall;
  Status CheckMemref(size_t argument, const hal_value_t& value) const;
  Status SetPlainArguments(const hal_value_t* arguments, FunctionCall* call, std::span<uint64_t> aliases,
                           size_t* alias_count) const;
  Status FailWithoutPlace(const char* list, uint32_t index, const hal_value_type_t& type) const;

  std::string_view name_;
  OwnedSignature signature_;
  CallPlan plan_;
  const void* address_ = nullptr;
  bool guarded_ = false;
};

/// One call being put together. The descriptors that it is given must stay where they are until it has run.
class FunctionCall {
 public:
  explicit FunctionCall(const CompiledFunction& function) : function_(function), frame_(function.plan_.FrameWords()) {}
  /// The same arguments once more, to be changed for another workgroup. `other` must outlive it.
  FunctionCall(const FunctionCall& other);
  FunctionCall& operator=(const FunctionCall&) = delete;

  /// @param bytes  as an element of memory has them
  void SetScalar(size_t argument, const void* bytes);
  void SetNumber(size_t argument, int64_t number) {
    frame_.data()[function_.plan_.Words(argument)[0]] = static_cast<uint64_t>(number);
  }
  /// A pointer, which is passed as it is.
  void SetPointer(size_t argument, const void* pointer) {
    frame_.data()[function_.plan_.Words(argument)[0]] = reinterpret_cast<uintptr_t>(pointer);
  }
  /// A checked descriptor, which becomes what the function takes for it.
  void SetMemref(size_t argument, Descriptor descriptor);

  /// Runs the function; ABORTED if it gives up or says by a status that it failed. `results` is memory for the struct
  /// of all results, CallPlan::ResultSize() bytes.
  Status Run(std::byte* results);

 private:
  void AdoptHalideBuffers(const FunctionCall& other);
  Status CheckStatus(const NativeReturns& returns) const;
  Descriptor Folded(const Descriptor& descriptor, const hal_value_type_t& type);
  Status Invoke(NativeReturns* returns) const;

  const CompiledFunction& function_;
  WordStorage<96> frame_;
  HostVector<HostVector<int64_t>> folded_;  // descriptors whose offset had to be changed
};

/// Called by what stands in for a function's abort(): gives up the innermost guarded call of this thread, which fails
/// with ABORTED. Returns only if there is none.
void FailCall();

}  // namespace halyard

#endif  // HALYARD_FUNCTION_FUNCTION_H_
