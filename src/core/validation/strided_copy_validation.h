// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the two sides of a strided copy have bytes in common.
#ifndef HALYARD_CORE_VALIDATION_STRIDED_COPY_VALIDATION_H_
#define HALYARD_CORE_VALIDATION_STRIDED_COPY_VALIDATION_H_

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// INVALID_ARGUMENT unless the sides of a copy, as a driver gets it, may be in the same memory: see
/// hal_command_buffer_copy_strided(). References to slots must have been looked up, or be slots of one table.
Status CheckStridesDoNotMeet(const hal_strided_copy_params_t& copy);

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_STRIDED_COPY_VALIDATION_H_
