// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the order of tracked commands depends on and a driver knows.
#ifndef HALYARD_DRIVER_KIT_QUEUE_HAZARD_DRIVER_H_
#define HALYARD_DRIVER_KIT_QUEUE_HAZARD_DRIVER_H_

#include <cstddef>
#include <cstdint>

#include "halyard/driver_api.h"

namespace halyard {

/// Where a buffer's first byte is. Buffers in different spaces have no byte in common.
struct MemoryPlace {
  const void* space = nullptr;  ///< NULL: `first` is an address
  uint64_t first = 0;           ///< bytes

  /// For a buffer whose memory no other buffer has.
  static MemoryPlace Alone(const hal_buffer_t& buffer) { return {&buffer, 0}; }
  /// For memory at a known address, which several buffers may have.
  static MemoryPlace At(uint64_t address) { return {nullptr, address}; }
};

/// Where a range ends, in bytes from the start of its buffer or slot.
inline uint64_t EndOfRange(const hal_buffer_ref_t& ref) {
  return ref.length == HAL_WHOLE_SIZE ? UINT64_MAX : ref.offset + ref.length;
}

/// What hazards depend on and a driver knows.
struct HazardDriver {
  MemoryPlace (*place_of)(const hal_buffer_t& buffer);
  /// Whether a dispatch may write to a binding.
  bool (*writes)(const hal_command_dispatch_t& dispatch, size_t binding);
};

/// For drivers with `Buffer::place()` and `Executable::Writes(ordinal, binding)`.
template <class Buffer, class Executable>
constexpr HazardDriver HazardDriverOf() {
  return {[](const hal_buffer_t& buffer) { return static_cast<const Buffer&>(buffer).place(); },
          [](const hal_command_dispatch_t& dispatch, size_t binding) {
            return static_cast<const Executable*>(dispatch.executable)->Writes(dispatch.ordinal, binding);
          }};
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_HAZARD_DRIVER_H_
