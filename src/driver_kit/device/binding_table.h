// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of which buffer a command works on, once its binding table is known. A driver turns them into its own
// addresses.
#ifndef HALYARD_DRIVER_KIT_DEVICE_BINDING_TABLE_H_
#define HALYARD_DRIVER_KIT_DEVICE_BINDING_TABLE_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

using BindingTable = std::span<const hal_buffer_ref_t>;

/// Bytes of a buffer.
struct BufferRange {
  hal_buffer_t* buffer = nullptr;
  uint64_t offset = 0;  // bytes
  uint64_t length = 0;  // bytes
};

/// OUT_OF_RANGE: the table has no buffer in a slot.
Status FailEmptySlot(uint32_t slot);
/// FAILED_PRECONDITION: a buffer of queue_alloca has no memory, now that a command uses it.
Status FailOutsideLife();

/// Looks up a reference to a buffer or to a slot. The core has checked that the range lies inside. Each binding of each
/// dispatch comes here, so it is inline.
inline Status Resolve(const hal_buffer_ref_t& ref, BindingTable table, BufferRange* out) {
  if (ref.buffer) {
    *out = {ref.buffer, ref.offset, ref.length};
    return kOk;
  }
  if (ref.slot >= table.size() || !table[ref.slot].buffer) {
    const Status failure = FailEmptySlot(ref.slot);
    if (failure == kOk) __builtin_unreachable();  // else the compiler warns of what would follow
    return failure;
  }
  const hal_buffer_ref_t& slot = table[ref.slot];
  const uint64_t length = ref.length == HAL_WHOLE_SIZE ? slot.length - ref.offset : ref.length;
  *out = {slot.buffer, slot.offset + ref.offset, length};
  return kOk;
}

/// What a fill writes: a whole number of patterns.
Status ResolveFill(const hal_command_fill_t& fill, BindingTable table, BufferRange* out_target);

/// Both sides of a copy, of the same length.
struct CopyRanges {
  BufferRange source;
  BufferRange target;
};
Status ResolveCopy(const hal_command_copy_t& copy, BindingTable table, CopyRanges* out);

/// Both sides of a strided copy, each from its first byte to its last: of no byte if nothing is copied.
Status ResolveCopy(const hal_strided_copy_params_t& copy, BindingTable table, CopyRanges* out);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_BINDING_TABLE_H_
