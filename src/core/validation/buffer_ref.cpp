// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/buffer_ref.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/text/flag_words.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// With the buffer's label, if it has one.
HostString Named(const ArgumentName& name, const hal_buffer_t& buffer) {
  return name.Text().append(LabelWords(&buffer).c_str());
}

Status CheckReserved(const ArgumentName& name, const hal_buffer_ref_t& given) {
  if (given.reserved == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.reserved is %u; it must be 0", name.Text().c_str(), given.reserved);
}

bool IsWrittenAgainst(const BufferUse& use, const hal_buffer_t& buffer) {
  return use.writes && (buffer.usage & HAL_BUFFER_USAGE_READ_ONLY) != 0;
}

Status FailBuffer(const ArgumentName& name, const hal_device_t* device, const BufferUse& use,
                  const hal_buffer_t& buffer) {
  if (!IsWhatItSays(&buffer)) return FailKind(name.Text().append(".buffer").c_str(), &buffer, HAL_OBJECT_KIND_BUFFER);
  if (buffer.device != device) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is a buffer of another device%s", Named(name, buffer).c_str(),
                LabelWords(buffer.device).c_str());
  }
  if ((buffer.usage & use.usage) != use.usage) {
    return Fail(HAL_STATUS_PERMISSION_DENIED, "%s needs a buffer with usage %s, but it has %s",
                Named(name, buffer).c_str(), UsageWords(use.usage).c_str(), UsageWords(buffer.usage).c_str());
  }
  if (IsWrittenAgainst(use, buffer)) {
    return Fail(HAL_STATUS_PERMISSION_DENIED, "%s is memory that may only be read, and the kernel may write there",
                Named(name, buffer).c_str());
  }
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "%s was freed by hal_device_queue_dealloca", Named(name, buffer).c_str());
}

Status CheckBuffer(const ArgumentName& name, const hal_device_t* device, const BufferUse& use,
                   const hal_buffer_t& buffer) {
  const bool right = IsWhatItSays(&buffer) && buffer.device == device && (buffer.usage & use.usage) == use.usage &&
                     !IsWrittenAgainst(use, buffer) && !IsDealloced(*buffer.allocation);
  return right ? kOk : FailBuffer(name, device, use, buffer);
}

Status CheckRange(const ArgumentName& name, const hal_buffer_ref_t& given) {
  const uint64_t size = given.buffer->length;
  const bool whole = given.length == HAL_WHOLE_SIZE;
  // Written so that nothing overflows: the offset first, then the length against what is left.
  if (given.offset <= size && (whole || given.length <= size - given.offset)) return kOk;
  if (whole) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s begins at byte %" PRIu64 " of a buffer of %" PRIu64 " bytes",
                Named(name, *given.buffer).c_str(), given.offset, size);
  }
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes",
              Named(name, *given.buffer).c_str(), given.length, given.offset, size);
}

/// Patterns of fills and counts of indirect dispatches are no larger; only bindings can be asked for more alignment.
constexpr uint32_t kLargestElement = 4;

bool IsMultiple(uint64_t number, uint32_t power_of_two) { return (number & (power_of_two - 1)) == 0; }

Status FailUse(const ArgumentName& argument, const BufferUse& use, const hal_buffer_ref_t& ref,
               const hal_buffer_t* buffer) {
  const HostString name = buffer ? Named(argument, *buffer) : argument.Text();
  if (!IsMultiple(ref.offset, use.alignment)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is at byte %" PRIu64 "; it must be a multiple of %u%s", name.c_str(),
                ref.offset, use.alignment, use.alignment > kLargestElement ? ", the device's binding_alignment" : "");
  }
  if (ref.length > use.max_length) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "%s is %" PRIu64 " bytes long; with the device's max_binding_range it can be at most %" PRIu64,
                name.c_str(), ref.length, use.max_length);
  }
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is %" PRIu64 " bytes long; it must be a multiple of %u", name.c_str(),
              ref.length, use.length_alignment);
}

/// Offset and length. HAL_WHOLE_SIZE stands for a length that is not known yet. `buffer` is for messages, and NULL for
/// a slot.
Status CheckUse(const ArgumentName& name, const BufferUse& use, const hal_buffer_ref_t& ref,
                const hal_buffer_t* buffer) {
  const bool right =
      IsMultiple(ref.offset, use.alignment) &&
      (ref.length == HAL_WHOLE_SIZE || (ref.length <= use.max_length && IsMultiple(ref.length, use.length_alignment)));
  return right ? kOk : FailUse(name, use, ref, buffer);
}

}  // namespace

HostString ArgumentName::Text() const {
  HostString text = HostString(function) + ": " + argument;
  if (index == kNoIndex) return text;
  std::array<char, 24> number;
  std::snprintf(number.data(), number.size(), "[%zu]", index);
  return text + number.data();
}

Status ResolveBufferRef(const ArgumentName& name, const hal_device_t* device, const BufferUse& use,
                        const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  if (!given.buffer) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.buffer is NULL, and there is no binding table", name.Text().c_str());
  }
  HAL_TRY(CheckReserved(name, given));
  HAL_TRY(CheckBuffer(name, device, use, *given.buffer));
  HAL_TRY(CheckRange(name, given));
  *out = ResolveUnchecked(given);
  return CheckUse(name, use, *out, given.buffer);
}

Status CheckSlotRef(const ArgumentName& name, uint32_t slot_count, const BufferUse& use,
                    const hal_buffer_ref_t& given) {
  HAL_TRY(CheckReserved(name, given));
  if (given.slot == HAL_NO_SLOT) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.buffer is NULL, and it names no slot; see hal_slot_ref()",
                name.Text().c_str());
  }
  if (given.slot >= slot_count) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is slot %u, but the command buffer's binding_capacity is %u",
                name.Text().c_str(), given.slot, slot_count);
  }
  if (given.length != HAL_WHOLE_SIZE && given.length > std::numeric_limits<uint64_t>::max() - given.offset) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %" PRIu64 " bytes at offset %" PRIu64 ", which ends past 64 bits",
                name.Text().c_str(), given.length, given.offset);
  }
  return CheckUse(name, use, given, nullptr);
}

Status FailQueues(ArgumentName name, hal_queue_mask_t usable, hal_queue_mask_t asked) {
  return Fail(HAL_STATUS_PERMISSION_DENIED, "%s was made for queues 0x%" PRIx64 ", but is used on queues 0x%" PRIx64,
              name.Text().c_str(), usable, asked);
}

bool Overlap(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b) {
  if (a.buffer != b.buffer || a.slot != b.slot) return false;
  // Compares distances, so that no sum of offset and length is needed.
  return a.offset <= b.offset ? b.offset - a.offset < a.length && b.length > 0
                              : a.offset - b.offset < b.length && a.length > 0;
}

}  // namespace halyard
