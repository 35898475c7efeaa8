// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters that are neither bindings nor constants: what they have to be like, wherever they come from.
#ifndef HALYARD_FUNCTION_PARAMETER_CHECKS_H_
#define HALYARD_FUNCTION_PARAMETER_CHECKS_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "halyard/executable.h"

namespace halyard {

inline constexpr uint32_t kAddressSize = 8;                      ///< bytes
inline constexpr uint32_t kMaxScratchAlignment = 256;            ///< bytes
inline constexpr uint32_t kMaxScratchSize = uint32_t{64} << 20;  ///< bytes for each workgroup

/// What hal_export_info_t::flags may have.
inline constexpr hal_export_flags_t kKnownExportFlags = HAL_EXPORT_EXACT_WORKGROUP_SIZE | HAL_EXPORT_COOPERATIVE |
                                                        HAL_EXPORT_PROGRAMMATIC_LAUNCH | HAL_EXPORT_NEEDS_LOCAL_MEMORY;

/// Whether a parameter names a binding: it is one, or takes or maps the address of one.
constexpr bool NamesBinding(const hal_parameter_t& parameter) {
  return parameter.kind == HAL_PARAMETER_KIND_BINDING || parameter.kind == HAL_PARAMETER_KIND_BINDING_ADDRESS ||
         parameter.kind == HAL_PARAMETER_KIND_TENSOR_MAP;
}

/// Checks a parameter of another kind than BINDING and CONSTANT; also refuses kinds that there are not. Fails with
/// `failure` and a message that begins with the field: `offset: …`. Set and access of a binding are for the caller to
/// check, and so are descriptions of tensor maps.
Status CheckOtherParameter(const hal_parameter_t& parameter, uint32_t constants_size, hal_status_t failure);

/// Refuses two addresses at one place of the constants. `failure` as above; names both parameters.
Status CheckAddressPlaces(std::span<const hal_parameter_t> parameters, hal_status_t failure);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_PARAMETER_CHECKS_H_
