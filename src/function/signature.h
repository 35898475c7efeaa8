// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function takes and returns: checks, an owned copy, and what a dispatch gives it.
#ifndef HALYARD_FUNCTION_SIGNATURE_H_
#define HALYARD_FUNCTION_SIGNATURE_H_

#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "function/value_type.h"
#include "halyard/memref.h"

namespace halyard {

/// Bounds that no compiled function comes near.
inline constexpr uint32_t kMaxSignatureValues = 4096;

inline std::span<const hal_value_type_t> ArgumentsOf(const hal_function_signature_t& signature) {
  return {signature.arguments, signature.argument_count};
}
inline std::span<const hal_value_type_t> ResultsOf(const hal_function_signature_t& signature) {
  return {signature.results, signature.result_count};
}

/// Checks a signature by itself: enum values, lists that are there, ranks, element types, roles; static shapes for
/// bare pointers; what C can pass for C. Fails with `bad`; messages name the field: `arguments[2].rank: …`.
Status CheckSignature(const hal_function_signature_t& signature, hal_status_t bad);

/// Whether a dispatch gives an argument as a binding: memrefs, and pointers that are not always NULL.
constexpr bool IsBound(const hal_value_type_t& type) {
  return type.kind != HAL_VALUE_KIND_SCALAR && type.role != HAL_ARGUMENT_ROLE_NULL;
}

/// The parameters by which a dispatch gives a function what it takes, in the order of its arguments: a binding for each
/// that IsBound(), a naturally aligned range of the constants for each scalar, nothing for workgroup numbers; then a
/// binding for each result.
HostVector<hal_parameter_t> ParametersOf(const hal_function_signature_t& signature, uint32_t* out_constants_size);

/// Fails with `bad` unless parameters and constants are those that follow from a signature.
Status CheckParametersFollow(const hal_function_signature_t& signature, std::span<const hal_parameter_t> parameters,
                             uint32_t constants_size, hal_status_t bad);

/// Puts "'matmul': argument 1: " before a failure.
Status AnnotateValue(Status status, std::string_view function, const char* list, size_t index);

/// A deep copy of a signature that was checked. Get() lives as long as the object, also when the object moves.
class OwnedSignature {
 public:
  OwnedSignature() = default;
  explicit OwnedSignature(const hal_function_signature_t& given);
  OwnedSignature(OwnedSignature&&) = default;
  OwnedSignature& operator=(OwnedSignature&&) = default;
  OwnedSignature(const OwnedSignature& other) : OwnedSignature() {
    if (other.Get()) *this = OwnedSignature(*other.Get());
  }
  OwnedSignature& operator=(const OwnedSignature& other) { return *this = OwnedSignature(other); }
  ~OwnedSignature() = default;

  /// NULL if nothing was copied.
  const hal_function_signature_t* Get() const { return head_.empty() ? nullptr : head_.data(); }

 private:
  hal_value_type_t Copy(const hal_value_type_t& type);

  HostVector<hal_function_signature_t> head_;  // one or none: its address survives moves
  HostVector<hal_value_type_t> types_;         // arguments, then results
  HostVector<HostVector<int64_t>> numbers_;    // sizes and strides that the types point to
};

}  // namespace halyard

#endif  // HALYARD_FUNCTION_SIGNATURE_H_
