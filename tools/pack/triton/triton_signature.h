// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signature of a Triton kernel, from the intermediate form that Triton keeps beside its images.
#ifndef HALYARD_TOOLS_PACK_TRITON_SIGNATURE_H_
#define HALYARD_TOOLS_PACK_TRITON_SIGNATURE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

enum class TritonParameterKind {
  kPointer,
  kNumber,
  kTensorMap,       ///< a descriptor of a tensor; NVIDIA's CUtensorMap, by value. AMD's compiler takes it apart
  kGlobalScratch,   ///< the address of memory that Triton's launcher allocates, or null
  kProfileScratch,  ///< the same, for the profiler
};

/// A parameter of a compiled kernel.
struct TritonParameter {
  /// As in the source; "x.0" of a tuple's parts, "x.shape.0" of a descriptor's. Empty before Triton 3.6.
  std::string name;
  TritonParameterKind kind = TritonParameterKind::kNumber;
  /// MLIR's name of the number's type, of what a pointer points to, or of a tensor's elements: "f32", "i64", "bf16".
  std::string element;
  uint32_t size = 0;            ///< bytes in the kernel's arguments
  uint32_t divisibility = 1;    ///< the number, or the address in bytes, is a multiple of it: the code relies on that
  std::vector<uint32_t> block;  ///< TENSOR_MAP: the shape of what one copy moves

  bool operator==(const TritonParameter&) const = default;
};

/// The kernel of a module.
struct TritonSignature {
  std::string function;
  /// In the kernel's order, without the scratch memory behind them. Arguments that were fixed at compile time
  /// (constexpr, None, and 1 by specialisation) leave no trace.
  std::vector<TritonParameter> parameters;

  bool operator==(const TritonSignature&) const = default;
};

/// Reads the text of a .ttir or .ttgir of Triton 3.0 or later. Throws Failure (kInput).
TritonSignature ReadTritonSignature(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_TRITON_SIGNATURE_H_
