// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters of kernels for NVIDIA's GPUs are addresses: the same rules for PTX and for machine code.
#ifndef HALYARD_IMAGE_REFLECTION_PARAMETER_RULES_H_
#define HALYARD_IMAGE_REFLECTION_PARAMETER_RULES_H_

#include <span>

#include "base/host_memory.h"
#include "function/parameter_checks.h"
#include "image/reflection/reflected_image.h"

namespace halyard {

/// What the code of a kernel does with a parameter.
enum class ParameterUse {
  kUnknown,      ///< nothing, it hands it on, or the code is not readable
  kNumber,       ///< it computes with it
  kPartAddress,  ///< it reads or writes at the sum of it and another, and either may be the address
  kAddress,      ///< it reads or writes there
};

/// A parameter as its image declares it.
struct DeclaredParameter {
  uint64_t size = 0;            ///< bytes
  bool may_be_address = false;  ///< 8 bytes, and no double
  bool is_marked = false;       ///< as an address: `.ptr`
  bool is_structure = false;    ///< declared as one: of 8 bytes, it is taken for an address only if the code uses it so
  bool may_hold_addresses = false;  ///< a structure that nothing else is known of
  ParameterUse use = ParameterUse::kUnknown;
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< of a constant
  HostVector<uint32_t> addresses = {};                      ///< as ReflectedParameter::addresses
};

/// Whether a value of a size, of which nothing else is known, may be a structure with addresses in it.
constexpr bool MayHoldAddresses(uint64_t size) { return size > kAddressSize && size % kAddressSize == 0; }

/// Adds the parameters to a kernel, which has its name. What decides is, in this order: the mark; that the code uses it
/// as an address; the mangled name, if it agrees with the sizes; that the module has marks elsewhere, as compilers
/// mark all addresses or none; that the code computes with it. Without any it is taken for an address. The last three
/// are guesses, and so is an address that the name calls a number, or a class of 8 bytes that no code is known of.
/// @param module_marks  whether any parameter of the module is marked
Status AddDeclaredParameters(std::span<const DeclaredParameter> parameters, bool module_marks, ReflectedKernel* kernel);

/// Completes the types of a kernel's parameters from its mangled name, if it has one that agrees with them. A value of
/// which the name tells the numbers holds no addresses, so it is no guess.
void AddMangledTypes(ReflectedKernel* kernel);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PARAMETER_RULES_H_
