// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/buffer_ref.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/text/flag_words.h"
#include "core/peer/buffer_share.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// With the buffer's label, if it has one.
HostString Named(const ArgumentName& name, const hal_buffer_t& buffer) {
  return name.Text().append(LabelWords(&buffer).c_str());
}

/// With the buffer's label, if there is a buffer.
HostString Named(const ArgumentName& name, const hal_buffer_t* buffer) {
  return buffer ? Named(name, *buffer) : name.Text();
}

/// Patterns of fills and counts of indirect dispatches are no larger; only bindings can be asked for more alignment.
constexpr uint32_t kLargestElement = 4;

/// A reference to a slot, for rules.
struct SlotLook {
  const hal_buffer_ref_t& given;
  uint32_t slot_count;
};

/// What a reference to a slot must be.
constexpr Rule<SlotLook, ArgumentName> kSlotRules[] = {
    {[](const SlotLook& look) { return look.given.reserved == 0; },
     [](const SlotLook& look, const ArgumentName& name) {
       return FailReserved({nullptr, {}, look.given}, name);
     }},
    {[](const SlotLook& look) { return look.given.slot != HAL_NO_SLOT; },
     [](const SlotLook&, const ArgumentName& name) {
       return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.buffer is NULL, and it names no slot; see hal_slot_ref()",
                   name.Text().c_str());
     }},
    {[](const SlotLook& look) { return look.given.slot < look.slot_count; },
     [](const SlotLook& look, const ArgumentName& name) {
       return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is slot %u, but the command buffer's binding_capacity is %u",
                   name.Text().c_str(), look.given.slot, look.slot_count);
     }},
    {[](const SlotLook& look) {
       return look.given.length == HAL_WHOLE_SIZE ||
              look.given.length <= std::numeric_limits<uint64_t>::max() - look.given.offset;
     },
     [](const SlotLook& look, const ArgumentName& name) {
       return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %" PRIu64 " bytes at offset %" PRIu64 ", which ends past 64 bits",
                   name.Text().c_str(), look.given.length, look.given.offset);
     }},
};

}  // namespace

Status FailNoBuffer(const RefLook&, const ArgumentName& name) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.buffer is NULL, and there is no binding table", name.Text().c_str());
}

Status FailReserved(const RefLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.reserved is %u; it must be 0", name.Text().c_str(), look.given.reserved);
}

Status FailBufferKind(const RefLook& look, const ArgumentName& name) {
  return FailKind(name.Text().append(".buffer").c_str(), look.given.buffer, HAL_OBJECT_KIND_BUFFER);
}

Status FailDevice(const RefLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "%s is a buffer of another device%s; hal_device_queue_copy() copies between two devices",
              Named(name, look.buffer()).c_str(), LabelWords(look.buffer().device).c_str());
}

Status FailUsage(const RefLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_PERMISSION_DENIED, "%s needs a buffer with usage %s, but it has %s",
              Named(name, look.buffer()).c_str(), UsageWords(look.use.usage).c_str(),
              UsageWords(look.buffer().usage).c_str());
}

Status FailReadOnly(const RefLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_PERMISSION_DENIED, "%s is memory that may only be read, and the kernel may write there",
              Named(name, look.buffer()).c_str());
}

Status FailDealloced(const RefLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "%s was freed by hal_device_queue_dealloca",
              Named(name, look.buffer()).c_str());
}

Status FailRange(const RefLook& look, const ArgumentName& name) {
  const HostString text = Named(name, look.buffer());
  const uint64_t size = look.buffer().length;
  if (look.given.length == HAL_WHOLE_SIZE) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s begins at byte %" PRIu64 " of a buffer of %" PRIu64 " bytes", text.c_str(),
                look.given.offset, size);
  }
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes",
              text.c_str(), look.given.length, look.given.offset, size);
}

Status FailAlignment(const RangeLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is at byte %" PRIu64 "; it must be a multiple of %u%s",
              Named(name, look.buffer).c_str(), look.offset, look.use.alignment,
              look.use.alignment > kLargestElement ? ", the device's binding_alignment" : "");
}

Status FailLength(const RangeLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "%s is %" PRIu64 " bytes long; with the device's max_binding_range it can be at most %" PRIu64,
              Named(name, look.buffer).c_str(), look.length, look.use.max_length);
}

Status FailLengthAlignment(const RangeLook& look, const ArgumentName& name) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is %" PRIu64 " bytes long; it must be a multiple of %u",
              Named(name, look.buffer).c_str(), look.length, look.use.length_alignment);
}

HostString ArgumentName::Text() const {
  HostString text(argument);
  if (index == kNoIndex) return text;
  std::array<char, 24> number;
  std::snprintf(number.data(), number.size(), "[%zu]", index);
  return text + number.data();
}

Status ResolveBufferRef(const ArgumentName& name, const hal_device_t* device, const BufferUse& use,
                        const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  HAL_TRY(RefuseFirst<kBufferRules>(RefLook{device, use, given}, name));
  *out = ResolveUnchecked(given);
  return RefuseFirst<kRangeRules>(RangeLook{use, out->offset, out->length, given.buffer}, name);
}

Status CheckSlotRef(const ArgumentName& name, uint32_t slot_count, const BufferUse& use,
                    const hal_buffer_ref_t& given) {
  HAL_TRY(RefuseFirst<kSlotRules>(SlotLook{given, slot_count}, name));
  const uint64_t known_length = given.length == HAL_WHOLE_SIZE ? 0 : given.length;
  return RefuseFirst<kRangeRules>(RangeLook{use, given.offset, known_length, nullptr}, name);
}

Status FailQueues(ArgumentName name, hal_queue_mask_t usable, hal_queue_mask_t asked) {
  return Fail(HAL_STATUS_PERMISSION_DENIED, "%s was made for queues 0x%" PRIx64 ", but is used on queues 0x%" PRIx64,
              name.Text().c_str(), usable, asked);
}

bool RangesMeet(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b) {
  if (a.slot != b.slot || (a.buffer != b.buffer && OriginalOf(a.buffer) != OriginalOf(b.buffer))) return false;
  // Compares distances, so that no sum of offset and length is needed.
  return a.offset <= b.offset ? b.offset - a.offset < a.length && b.length > 0
                              : a.offset - b.offset < b.length && a.length > 0;
}

}  // namespace halyard
