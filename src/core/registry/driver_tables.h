// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completed driver tables: what a driver lacks is filled in, so that no caller has to ask whether an entry is there.
#ifndef HALYARD_CORE_REGISTRY_DRIVER_TABLES_H_
#define HALYARD_CORE_REGISTRY_DRIVER_TABLES_H_

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Copies a driver's interface and vtables into ones of the current size. An entry that is missing gets an answer of
/// its own: what its absence means where that is plain (flush, trim: nothing to do), else UNIMPLEMENTED with the names
/// of the driver and of the function.
///
/// Completed tables live until the process ends, as objects may; completing the same interface again gives the same
/// tables.
///
/// @return INCOMPATIBLE (ABI version), INVALID_ARGUMENT (name, sizes, a missing function that has no substitute).
Status CompleteTables(const hal_driver_interface_t* given, const hal_driver_interface_t** out_tables);

}  // namespace halyard

#endif  // HALYARD_CORE_REGISTRY_DRIVER_TABLES_H_
