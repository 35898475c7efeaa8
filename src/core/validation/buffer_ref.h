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
#include "base/rules.h"
#include "base/status.h"
#include "core/validation/checks.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Checks that a range lies inside a buffer; `*length` becomes a number of bytes if it was HAL_WHOLE_SIZE.
/// @return OUT_OF_RANGE
Status ResolveRange(const hal_buffer_t* buffer, uint64_t offset, uint64_t* length);

/// An argument as the user knows it, for messages: `target`, or `params->bindings.refs[3]`.
struct ArgumentName {
  static constexpr size_t kNoIndex = std::numeric_limits<size_t>::max();

  const char* argument;
  size_t index = kNoIndex;

  /// Begins a message: "target".
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

/// Where a reference to a buffer begins in its allocation, in bytes, and how long it is.
inline uint64_t OffsetOf(const hal_buffer_ref_t& given) { return given.buffer->allocation_offset + given.offset; }
inline uint64_t LengthOf(const hal_buffer_ref_t& given) {
  return given.length == HAL_WHOLE_SIZE ? given.buffer->length - given.offset : given.length;
}

/// Resolves without any check; references to slots stay as they are.
inline hal_buffer_ref_t ResolveUnchecked(const hal_buffer_ref_t& given) {
  return given.buffer ? hal_buffer_ref(given.buffer->allocation, OffsetOf(given), LengthOf(given)) : given;
}

/// A reference to a buffer, for rules.
struct RefLook {
  const hal_device_t* device;
  const BufferUse& use;
  const hal_buffer_ref_t& given;

  const hal_buffer_t& buffer() const { return *given.buffer; }
};

/// Where a reference is and how long, for rules: in its allocation, or in the memory of a slot. A length that is not
/// known yet is 0.
struct RangeLook {
  const BufferUse& use;
  uint64_t offset;
  uint64_t length;
  const hal_buffer_t* buffer;  ///< for messages; NULL for a slot
};

inline bool IsMultiple(uint64_t number, uint32_t power_of_two) { return (number & (power_of_two - 1)) == 0; }

/// @name Messages of the rules
/// @{
Status FailNoBuffer(const RefLook& look, const ArgumentName& name);
Status FailReserved(const RefLook& look, const ArgumentName& name);
Status FailBufferKind(const RefLook& look, const ArgumentName& name);
Status FailDevice(const RefLook& look, const ArgumentName& name);
Status FailUsage(const RefLook& look, const ArgumentName& name);
Status FailReadOnly(const RefLook& look, const ArgumentName& name);
Status FailDealloced(const RefLook& look, const ArgumentName& name);
Status FailRange(const RefLook& look, const ArgumentName& name);
Status FailAlignment(const RangeLook& look, const ArgumentName& name);
Status FailLength(const RangeLook& look, const ArgumentName& name);
Status FailLengthAlignment(const RangeLook& look, const ArgumentName& name);
/// @}

/// What a reference to a buffer must be.
inline constexpr Rule<RefLook, ArgumentName> kBufferRules[] = {
    {[](const RefLook& look) { return look.given.buffer != nullptr; }, FailNoBuffer},
    {[](const RefLook& look) { return look.given.reserved == 0; }, FailReserved},
    {[](const RefLook& look) { return IsWhatItSays(look.given.buffer); }, FailBufferKind},
    {[](const RefLook& look) { return look.buffer().device == look.device; }, FailDevice},
    {[](const RefLook& look) { return (look.buffer().usage & look.use.usage) == look.use.usage; }, FailUsage},
    {[](const RefLook& look) { return !look.use.writes || (look.buffer().usage & HAL_BUFFER_USAGE_READ_ONLY) == 0; },
     FailReadOnly},
    {[](const RefLook& look) { return !IsDealloced(*look.buffer().allocation); }, FailDealloced},
    // Written so that nothing overflows: the offset first, then the length against what is left.
    {[](const RefLook& look) { return look.given.offset <= look.buffer().length; }, FailRange},
    {[](const RefLook& look) {
       return look.given.length == HAL_WHOLE_SIZE || look.given.length <= look.buffer().length - look.given.offset;
     },
     FailRange},
};

/// What a use asks of the range.
inline constexpr Rule<RangeLook, ArgumentName> kRangeRules[] = {
    {[](const RangeLook& look) { return IsMultiple(look.offset, look.use.alignment); }, FailAlignment},
    {[](const RangeLook& look) { return look.length <= look.use.max_length; }, FailLength},
    {[](const RangeLook& look) { return IsMultiple(look.length, look.use.length_alignment); }, FailLengthAlignment},
};

/// ResolveBufferRef() without a message: false if it would fail.
inline bool TryResolve(const hal_device_t* device, const BufferUse& use, const hal_buffer_ref_t& given,
                       hal_buffer_ref_t* out) {
  if (!AllHold<kBufferRules>(RefLook{device, use, given})) return false;
  const uint64_t offset = OffsetOf(given), length = LengthOf(given);
  if (!AllHold<kRangeRules>(RangeLook{use, offset, length, nullptr})) return false;
  *out = hal_buffer_ref(given.buffer->allocation, offset, length);
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

/// The rest of Overlap(), of ranges of one buffer or of buffers of which one is shared.
bool RangesMeet(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b);

/// Whether two resolved ranges share a byte. Two buffers do only if hal_buffer_share() has made one of them.
inline bool Overlap(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b) {
  if (a.buffer != b.buffer && (!a.buffer || !b.buffer || ((a.buffer->state | b.buffer->state) & kBufferShared) == 0))
      [[likely]]
    return false;
  return RangesMeet(a, b);
}

/// What a recorded reference stands for with the resolved table of an execution.
inline hal_buffer_ref_t AtExecution(const hal_buffer_ref_t& recorded, std::span<const hal_buffer_ref_t> table) {
  if (recorded.buffer) return recorded;
  const hal_buffer_ref_t& slot = table[recorded.slot];
  const uint64_t length = recorded.length == HAL_WHOLE_SIZE ? slot.length - recorded.offset : recorded.length;
  return hal_buffer_ref(slot.buffer, slot.offset + recorded.offset, length);
}

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
