// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether memory can leave by a handle, and whether a handle can be what it says.
#ifndef HALYARD_CORE_HANDLES_HANDLE_CHECKS_H_
#define HALYARD_CORE_HANDLES_HANDLE_CHECKS_H_

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Whether memory of the type is a pointer into this process, and no handle.
inline bool IsPointer(hal_external_memory_type_t type) {
  return type == HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER || type == HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER;
}

/// What a caller asks of a new allocation: UNIMPLEMENTED if memory of the device does not leave so, INCOMPATIBLE for
/// kinds of handle that no memory has together.
Status CheckExports(hal_device_t* device, hal_peer_handles_t handles);

/// What a caller gives to an import, before the vendor sees it: the descriptor, and the device whose memory it is.
Status CheckHandle(hal_device_t* device, const hal_external_memory_t& memory);

/// Tells whose memory an exported handle stands for.
Status SetUuid(hal_device_t* device, hal_external_memory_t* memory);

/// INVALID_ARGUMENT unless the struct of a caller has room for a handle of that type.
Status CheckRoom(const hal_external_memory_t& out_memory, hal_external_memory_type_t type);

}  // namespace halyard

#endif  // HALYARD_CORE_HANDLES_HANDLE_CHECKS_H_
