// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel or function of a PTX module: its directives, and what its body mentions.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_FUNCTION_H_
#define HALYARD_IMAGE_REFLECTION_PTX_FUNCTION_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"
#include "image/reflection/names/parameter_rules.h"
#include "image/reflection/nvidia/ptx_addresses.h"
#include "image/reflection/nvidia/ptx_variables.h"

namespace halyard {

/// What the name of a module means in its bodies.
struct PtxSymbol {
  enum class Kind {
    kShared,         ///< workgroup memory
    kDynamicShared,  ///< workgroup memory of a size that the dispatch says
    kFunction,
  };
  Kind kind = Kind::kFunction;
  uint64_t size = 0;                              ///< kShared: bytes
  uint32_t alignment = 1;                         ///< kShared
  static constexpr size_t kUndefined = SIZE_MAX;  ///< for `function`
  size_t function = kUndefined;                   ///< kFunction: its index among the module's, if it has a body
};
using PtxSymbols = HostMap<std::string_view, PtxSymbol>;

/// A kernel or function with a body.
struct PtxFunction {
  HostMap<std::string_view, PtxSymbol> shared;     ///< workgroup memory that it declares itself
  HostMap<std::string_view, PtxSymbol> mentioned;  ///< of what the module declared before it
  bool asks_for_grid = false;                      ///< reads the registers that only cooperative launches set
};

/// A kernel, whose parameters are not judged yet.
struct PtxKernel {
  ReflectedKernel reflected;
  size_t function = 0;  ///< its body
  HostVector<DeclaredParameter> parameters;
};

/// Reads a body from its brace to behind its end.
/// @param addresses  of a kernel; NULL for a function
Status ReadPtxBody(PtxTokens* tokens, const PtxSymbols& symbols, PtxAddresses* addresses, PtxFunction* out_function);

/// Reads a kernel, from behind `.entry`. `*out_has_body` is false for a mere declaration.
Status ReadPtxKernel(PtxTokens* tokens, const PtxSymbols& symbols, PtxKernel* out_kernel, PtxFunction* out_function,
                     bool* out_has_body);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_FUNCTION_H_
