// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides how a copy between two devices goes.
#ifndef HALYARD_CORE_PEER_PEER_ROUTES_H_
#define HALYARD_CORE_PEER_PEER_ROUTES_H_

#include <atomic>

#include "base/status.h"
#include "core/validation/checks.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Whether both are devices of one driver. A driver opened twice, by two registries, has one set of tables.
inline bool SameDriver(const hal_device_t* a, const hal_device_t* b) { return a->driver->tables == b->driver->tables; }

/// Whether the driver of both devices copies between them by itself, on a queue and in recordings.
inline bool DriverCopies(hal_device_t* device, hal_device_t* peer, hal_command_type_t type) {
  return SameDriver(device, peer) && Succeeds(VtableOf(device)->check_peer_copy(device, peer, type));
}

/// Whether the host reads and writes such memory as fast as its own, and sees what devices wrote.
inline bool IsLikeHostMemory(hal_memory_type_t type) {
  constexpr hal_memory_type_t kAll =
      HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED;
  return (type & kAll) == kAll;
}

/// Whether the host can move the bytes of a buffer itself. Memory of a queue comes and goes with operations, so it is
/// left to its device.
inline bool IsOnHost(hal_buffer_t& buffer) {
  const uint32_t state = std::atomic_ref(buffer.state).load(std::memory_order_relaxed);
  return IsLikeHostMemory(buffer.memory_type) && (state == 0 || state == kBufferShared);
}

}  // namespace halyard

#endif  // HALYARD_CORE_PEER_PEER_ROUTES_H_
