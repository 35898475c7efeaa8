// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes about addresses that kernels find where no parameter shows them: in structures and in variables.
#ifndef HALYARD_TOOLS_PACK_ADDRESS_NOTES_H_
#define HALYARD_TOOLS_PACK_ADDRESS_NOTES_H_

#include <string>
#include <vector>

#include "reconcile.h"

namespace halyard::tools {

/// Whether a parameter is a constant with addresses in it, or one that may have some.
bool MayHoldAddresses(const ExportDescription& description, size_t parameter);

/// Appends the exports with such parameters, with the option that says what is there, and those that find addresses in
/// variables.
void AddAddressNotes(const Reconciliation& reconciled, std::vector<std::string>* notes);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_ADDRESS_NOTES_H_
