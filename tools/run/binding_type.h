// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays against the types of a function's arguments and results.
#ifndef HALYARD_TOOLS_RUN_BINDING_TYPE_H_
#define HALYARD_TOOLS_RUN_BINDING_TYPE_H_

#include <optional>
#include <string_view>

#include "array_spec.h"
#include "kernel.h"
#include "support/npy/npy.h"

namespace halyard::tools {

/// Type and shape of all that is of a type; nothing if they depend on the caller.
std::optional<ArraySpec> StaticSpec(const hal_value_type_t& type);

/// NumPy has no `index` and no `bf16`, so integers of the same width stand for them: makes these what they are.
void AdoptElementType(hal_element_type_t type, NpyArray* array);

/// Checks the elements of an array, or of what is said to be one, for a binding of a kernel. Throws the same.
void CheckElements(const Kernel& kernel, size_t binding, const ArraySpec& spec, std::string_view source);

/// Checks an array, or what is said to be one, against the function's type of a binding. Throws Failure (kInput), with
/// the function, the argument and both sides.
/// @param source  where it comes from: the name of a file, or an option
void CheckArray(const Kernel& kernel, size_t binding, const ArraySpec& spec, std::string_view source);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_BINDING_TYPE_H_
