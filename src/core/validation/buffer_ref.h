// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of buffers and references to them as arguments: from what the caller names to what a driver is given, i.e. an
// allocation, an offset into it and an explicit length.
#ifndef HALYARD_CORE_VALIDATION_BUFFER_REF_H_
#define HALYARD_CORE_VALIDATION_BUFFER_REF_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/validation/checks.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Checks that a range lies inside a buffer; `*length` becomes a number of bytes if it was HAL_WHOLE_SIZE.
/// @return OUT_OF_RANGE
Status ResolveRange(const char* function, const hal_buffer_t* buffer, uint64_t offset, uint64_t* length);

/// An argument as the user knows it, for messages: `target`, or `params->bindings.refs[3]`.
struct ArgumentName {
  static constexpr size_t kNoIndex = std::numeric_limits<size_t>::max();

  const char* function;
  const char* argument;
  size_t index = kNoIndex;

  /// Begins a message: "hal_device_queue_fill: target".
  HostString Text() const;
};

/// What a use of a range asks of it.
struct BufferUse {
  hal_buffer_usage_t usage = HAL_BUFFER_USAGE_NONE;  ///< all of these
  uint32_t alignment = 1;                            ///< bytes, of the offset in the allocation; a power of two
  uint32_t length_alignment = 1;                     ///< bytes, of the length; a power of two
  uint64_t max_length = HAL_WHOLE_SIZE;              ///< bytes, of the length
  bool writes = false;                               ///< also without a usage that says so: what kernels do
};

/// Whether the memory of a queue allocation was freed.
inline bool IsDealloced(hal_buffer_t& allocation) {
  return std::atomic_ref(allocation.state).load(std::memory_order_acquire) == kBufferDealloced;
}

/// Resolves `given` if a look at each field shows that it is right, as in nearly every call. If not, ResolveBufferRef()
/// tells what is wrong, if anything is.
inline bool ResolvesPlainly(const hal_device_t* device, const BufferUse& use, const hal_buffer_ref_t& given,
                            hal_buffer_ref_t* out) {
  const hal_buffer_t* const buffer = given.buffer;
  if (!buffer || given.reserved != 0 || !IsWhatItSays(buffer) || buffer->device != device ||
      (buffer->usage & (use.usage | HAL_BUFFER_USAGE_READ_ONLY)) != use.usage || IsDealloced(*buffer->allocation) ||
      given.offset > buffer->length) {
    return false;
  }
  const uint64_t rest = buffer->length - given.offset;
  const uint64_t length = given.length == HAL_WHOLE_SIZE ? rest : given.length;
  const uint64_t offset = buffer->allocation_offset + given.offset;
  const uint64_t odd = (offset & (use.alignment - 1)) | (length & (use.length_alignment - 1));
  if (length > rest || length > use.max_length || odd != 0) return false;
  *out = hal_buffer_ref(buffer->allocation, offset, length);
  return true;
}

/// Checks that `given` names a live buffer of `device` and a range inside it that may be used as `use` says, and
/// resolves it: subspans to their allocation, HAL_WHOLE_SIZE to a number of bytes. A NULL buffer is refused.
Status ResolveBufferRef(const ArgumentName& name, const hal_device_t* device, const BufferUse& use,
                        const hal_buffer_ref_t& given, hal_buffer_ref_t* out);

/// What can be checked of a reference to a slot, whose buffer is not known yet. It is not resolved.
Status CheckSlotRef(const ArgumentName& name, uint32_t slot_count, const BufferUse& use, const hal_buffer_ref_t& given);

/// PERMISSION_DENIED, as an operation that may run on the queues `asked` uses something made for the queues `usable`.
/// `name` is a copy, so that callers put it into memory only where it is needed.
Status FailQueues(ArgumentName name, hal_queue_mask_t usable, hal_queue_mask_t asked);

/// Cuts `*queues`, which may run an operation, to those that something which it uses was made for. PERMISSION_DENIED if
/// none is left.
inline Status NarrowQueues(const ArgumentName& name, hal_queue_mask_t usable, hal_queue_mask_t* queues) {
  const hal_queue_mask_t asked = *queues;
  *queues &= usable;
  if (*queues != 0) [[likely]]
    return kOk;
  return FailQueues(name, usable, asked);
}

/// Resolves without any check; references to slots stay as they are.
inline hal_buffer_ref_t ResolveUnchecked(const hal_buffer_ref_t& given) {
  if (!given.buffer) return given;
  hal_buffer_t* const buffer = given.buffer;
  const uint64_t length = given.length == HAL_WHOLE_SIZE ? buffer->length - given.offset : given.length;
  return hal_buffer_ref(buffer->allocation, buffer->allocation_offset + given.offset, length);
}

/// Whether two resolved ranges share a byte.
bool Overlap(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b);

/// Room for resolved references: on the stack for as many as a dispatch or a binding table usually has.
class RefStorage {
 public:
  RefStorage() = default;  // leaves the array alone: it is written before it is read
  RefStorage(const RefStorage&) = delete;
  RefStorage& operator=(const RefStorage&) = delete;

  /// Room for `count` references, once. Throws std::bad_alloc.
  std::span<hal_buffer_ref_t> Take(size_t count) {
    if (count <= few_.size()) return {few_.data(), count};
    many_.resize(count);
    return many_;
  }

 private:
  std::array<hal_buffer_ref_t, 32> few_;
  HostVector<hal_buffer_ref_t> many_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_BUFFER_REF_H_
