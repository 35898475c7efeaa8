// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports that are functions, for tests of executable files and for the seeds of their fuzzer.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_FUNCTION_SAMPLES_H_
#define HALYARD_TESTS_UNIT_SUPPORT_FUNCTION_SAMPLES_H_

#include "image/halx/container_contents.h"

namespace halyard::testing {

/// An export that is a function, with the parameters that follow from its signature, right or wrong.
ContainerExport FunctionExport(std::string_view name, hal_calling_convention_t convention,
                               std::span<const hal_value_type_t> arguments, std::span<const hal_value_type_t> results);

/// Three functions, with every kind of value, role, layout, access and ownership, and one variant.
ContainerContents FunctionContents();

/// Two plain C functions, with every kind of value and role that only they have, and one variant.
ContainerContents CFunctionContents();

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_FUNCTION_SAMPLES_H_
