// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generated end of a text: functions that call its kernels, and the tables that describe it.
#ifndef HALYARD_SIM_MSL_TABLES_H_
#define HALYARD_SIM_MSL_TABLES_H_

#include <string>
#include <vector>

#include "msl/outline.h"

namespace halyard::msl_host {

// Whether a kernel's parameter can be given this attribute's value.
bool IsKnownAttribute(const std::string& name);

// The C++ behind a text with that outline, whose parameters all have known attributes.
std::string WriteTables(const Outline& outline);

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_TABLES_H_
