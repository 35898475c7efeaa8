// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters of kernels for NVIDIA's GPUs are addresses: the same rules for PTX and for machine code.
#ifndef HALYARD_IMAGE_REFLECTION_PARAMETER_RULES_H_
#define HALYARD_IMAGE_REFLECTION_PARAMETER_RULES_H_

#include <span>

#include "image/reflection/reflected_image.h"

namespace halyard {

/// What the code of a kernel does with a parameter.
enum class ParameterUse {
  kUnknown,  ///< nothing, it hands it on, or the code is not readable
  kNumber,   ///< it computes with it
  kAddress,  ///< it reads or writes there
};

/// A parameter as its image declares it.
struct DeclaredParameter {
  uint64_t size = 0;            ///< bytes
  bool may_be_address = false;  ///< 8 bytes, and neither an array nor a double
  bool is_marked = false;       ///< as an address: `.ptr`
  ParameterUse use = ParameterUse::kUnknown;
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< of a constant
};

/// Adds the parameters to a kernel, which has its name. What decides is, in this order: the mark; the mangled name, if
/// it agrees with the sizes; that the code uses it as an address; that the module has marks elsewhere, as compilers
/// mark all addresses or none; that the code computes with it. Without any it is taken for an address. The last three
/// are guesses.
/// @param module_marks  whether any parameter of the module is marked
Status AddDeclaredParameters(std::span<const DeclaredParameter> parameters, bool module_marks, ReflectedKernel* kernel);

/// Completes the types of a kernel's parameters from its mangled name, if it has one that agrees with them.
void AddMangledTypes(ReflectedKernel* kernel);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PARAMETER_RULES_H_
