// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types in DLPack's form.
#ifndef HALYARD_CORE_DLPACK_DLPACK_TYPES_H_
#define HALYARD_CORE_DLPACK_DLPACK_TYPES_H_

#include "base/status.h"
#include "core/dlpack/dlpack_abi.h"
#include "halyard/buffer_view.h"

namespace halyard::dlpack {

/// INCOMPATIBLE if DLPack has no such type.
Status ToDataType(hal_element_type_t type, DataType* out_type);
/// INCOMPATIBLE if a view has no such type.
/// @param padded  elements of less than 8 bits have a byte each
Status FromDataType(const DataType& type, bool padded, hal_element_type_t* out_type);

}  // namespace halyard::dlpack

#endif  // HALYARD_CORE_DLPACK_DLPACK_TYPES_H_
