// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of an export that its image knows better than a list: with the values of specialisation constants.
#ifndef HALYARD_CORE_EXECUTABLE_SPECIALIZED_SIZES_H_
#define HALYARD_CORE_EXECUTABLE_SPECIALIZED_SIZES_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/executable.h"
#include "image/reflection/reflected_image.h"

namespace halyard {

/// Makes an export's size of workgroups one that its caller did not say, if it is the size with default values.
void ForgetDefaultSize(const ReflectedKernel& by_default, hal_export_info_t* info);

/// Takes over the size of workgroups. (1, 1, 1) in a list stands for a size that its caller did not say; 0 in x leaves
/// the size of a kernel of 1 x 1 x 1 open, which no SPIR-V can say.
/// @return INVALID_ARGUMENT, with both sizes, if they differ
Status TakeWorkgroupSize(const ReflectedKernel& told, hal_export_info_t* info);

/// Gives an export the sides of workgroups that specialisation constants have, which its image does not tell.
/// @param constants  as LaunchFacts::side_constants
/// @return INVALID_ARGUMENT, with both sizes, if the export's size has other sides
Status TakeGivenSides(const hal_dim3_t& constants, std::span<const hal_specialization_t> given,
                      hal_export_info_t* info);

/// Takes over the size of subgroups, unless a list says it.
/// @return INVALID_ARGUMENT, with both sizes, if they differ
Status TakeSubgroupSize(const ReflectedKernel& told, hal_export_info_t* info);

/// Takes over bytes of workgroup memory and of constants that differ from those with default values.
/// @param by_default  the kernel with its defaults; `told` is the same with the caller's values
/// @param parameters  what `info` refers to if its parameters change
void TakeMemorySizes(const ReflectedKernel& by_default, const ReflectedKernel& told, hal_export_info_t* info,
                     HostVector<hal_parameter_t>* parameters);

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_SPECIALIZED_SIZES_H_
