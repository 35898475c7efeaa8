// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of an MLIR module, read from its generic form: names, signatures, and what else halyard-pack has to
// know.
#ifndef HALYARD_TOOLS_SUPPORT_MLIR_FUNCTIONS_H_
#define HALYARD_TOOLS_SUPPORT_MLIR_FUNCTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/memref.h"

namespace halyard::tools {

/// A type that owns its numbers.
struct MlirType {
  hal_value_type_t type = {};  ///< without `sizes` and `strides`, which View() fills in
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  ///< one for each dimension if `is_strided`
  bool is_strided = false;

  /// The whole type; points into this.
  hal_value_type_t View() const;
};

/// One `func.func`, or an `llvm.func` of a module that has none.
struct MlirFunction {
  std::string name;
  bool is_llvm = false;          ///< llvm.func, which is called as a C function is
  bool is_external = false;      ///< declared only
  bool is_private = false;       ///< not visible outside the module
  bool has_c_interface = false;  ///< llvm.emit_c_interface
  bool has_types = false;        ///< whether `arguments` and `results` could be read
  std::vector<MlirType> arguments;
  std::vector<MlirType> results;
};

/// A signature that owns all that it points to.
class MlirSignature {
 public:
  MlirSignature(const MlirFunction& function, hal_calling_convention_t convention);
  MlirSignature(MlirSignature&&) = default;
  MlirSignature& operator=(MlirSignature&&) = default;
  MlirSignature(const MlirSignature&) = delete;
  MlirSignature& operator=(const MlirSignature&) = delete;

  const hal_function_signature_t& Get() const { return signature_; }

 private:
  MlirFunction function_;
  std::vector<hal_value_type_t> types_;
  hal_function_signature_t signature_;
};

/// Reads a type: "f32", "memref<4x?xf32, strided<[?, 1], offset: 2>>", "memref<*xi8>". Throws Failure (kInput).
MlirType ReadMlirType(std::string_view text);

/// Reads a function's type, "(memref<?xf32>, index) -> (f32, i1)", into `arguments` and `results`.
void ReadMlirFunctionType(std::string_view text, MlirFunction* function);

/// The functions of a module.
struct MlirFunctions {
  std::vector<MlirFunction> callable;  ///< public ones that have a body
  std::vector<MlirFunction> declared;  ///< those that the module uses and does not have; some without types
  std::vector<std::string> left_out;   ///< "function 'f': why", of public ones that cannot be called
  std::vector<std::string> internal;   ///< names of private ones that have a body
};

/// Reads the functions of a module in the generic form. Arguments and results may carry attributes: {halyard.access =
/// "read" | "write" | "read_write"}, {halyard.workgroup = "id.x" | … | "count.z"}, {halyard.ownership = "caller" |
/// "borrowed"}. Throws Failure (kInput), with the line.
/// @param exported  names of private functions to treat as public ones
MlirFunctions ReadMlirFunctions(std::string_view generic, std::span<const std::string> exported = {});

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_MLIR_FUNCTIONS_H_
