// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/command_validation.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstring>

#include "core/validation/checks.h"

namespace halyard {
namespace {

constexpr size_t kNoIndex = ArgumentName::kNoIndex;

Status ResolveSlotRef(CommandContext& context, const ArgumentName& name, const BufferUse& use,
                      const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  HAL_TRY(CheckSlotRef(name, context.slot_count, use, given));
  context.commands->RequireSlot(given, use);
  *out = given;
  return kOk;
}

bool IsOfPeer(const CommandContext& context, const hal_buffer_ref_t& given) {
  return context.takes_peer && given.buffer && IsWhatItSays(given.buffer) && given.buffer->device != context.device;
}

/// One side at most is another device's, so that the operation belongs to a device that takes part in it.
Status ResolvePeerRef(CommandContext& context, const ArgumentName& name, const BufferUse& use,
                      const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  hal_device_t* const peer = given.buffer->device;
  if (context.peer) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "%s%s and the source are buffers of other devices; %s the device of one of them", name.Text().c_str(),
                LabelWords(given.buffer).c_str(),
                context.commands ? "record the copy in a command buffer of" : "submit the copy to");
  }
  context.peer = peer;
  HAL_TRY(ResolveBufferRef(name, peer, use, given, out));
  if (context.commands && std::atomic_ref(out->buffer->state).load(std::memory_order_relaxed) != 0) {
    context.commands->AddQueueAllocation(out->buffer);
  }
  return kOk;
}

uint32_t RepeatPattern(const void* pattern, size_t size) {
  uint32_t bytes = 0;
  std::memcpy(&bytes, pattern, std::min(size, sizeof(bytes)));
  if (size == 1) return bytes * 0x01010101u;
  if (size == 2) return bytes * 0x00010001u;
  return bytes;
}

Status CheckPattern(const void* pattern, size_t size) {
  HAL_TRY(CheckNotNull("pattern", pattern));
  if (size == 1 || size == 2 || size == 4) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "pattern_size is %zu; it must be 1, 2 or 4", size);
}

Status CheckUpdateData(const void* data, const hal_buffer_ref_t& target) {
  if (target.length == HAL_WHOLE_SIZE) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "target.length is HAL_WHOLE_SIZE of a slot; give a number of bytes");
  }
  if (target.length > HAL_UPDATE_MAX_LENGTH) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "target has %" PRIu64 " bytes; an update carries at most %" PRIu64,
                target.length, uint64_t{HAL_UPDATE_MAX_LENGTH});
  }
  return target.length > 0 ? CheckNotNull("data", data) : kOk;
}

/// HAL_WHOLE_SIZE in numbers, where that is known before execution. A range that lies outside stays as it is and is
/// refused when it is resolved.
uint64_t KnownLength(const hal_buffer_ref_t& ref) {
  if (ref.length != HAL_WHOLE_SIZE || !ref.buffer || ref.offset > ref.buffer->length) return ref.length;
  return ref.buffer->length - ref.offset;
}

/// HAL_WHOLE_SIZE on one side of a copy means the other's length.
void AgreeOnLength(hal_buffer_ref_t& source, hal_buffer_ref_t& target) {
  if (source.length == HAL_WHOLE_SIZE && target.length == HAL_WHOLE_SIZE) {
    source.length = KnownLength(source);
    target.length = KnownLength(target);
  }
  if (source.length == HAL_WHOLE_SIZE) source.length = target.length;
  if (target.length == HAL_WHOLE_SIZE) target.length = source.length;
}

Status CheckCopyLengths(const hal_buffer_ref_t& source, const hal_buffer_ref_t& target) {
  if (source.length == target.length) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "source has %" PRIu64 " bytes, but target has %" PRIu64, source.length,
              target.length);
}

Status CheckNoOverlap(CommandContext& context, const hal_command_copy_t& copy) {
  if (Overlap(copy.source, copy.target)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "source and target overlap: %" PRIu64 " bytes from byte %" PRIu64 " to byte %" PRIu64,
                copy.source.length, copy.source.offset, copy.target.offset);
  }
  const bool slots = !copy.source.buffer || !copy.target.buffer;
  const bool same_slot = !copy.source.buffer && !copy.target.buffer && copy.source.slot == copy.target.slot;
  if (slots && !same_slot) context.commands->AddSlotCopy(copy);
  return kOk;
}

Status CheckEvent(const CommandContext& context, const ArgumentName& name, hal_event_t* event) {
  if (!event || !IsWhatItSays(event)) return FailKind(name.Text().c_str(), event, HAL_OBJECT_KIND_EVENT);
  if (event->device == context.device) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s%s is an event of another device%s", name.Text().c_str(),
              LabelWords(event).c_str(), LabelWords(event->device).c_str());
}

Status CheckWaitEvent(const CommandContext& context, hal_event_t* event, size_t index) {
  HAL_TRY(CheckEvent(context, {"events", index}, event));
  if (context.commands->IsSignalled(event)) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "events[%zu]%s is not signalled at this point of the command buffer",
              index, LabelWords(event).c_str());
}

}  // namespace

Status ResolveUnusualRef(CommandContext& context, const char* argument, size_t index, BufferUse use,
                         const hal_buffer_ref_t& given, hal_buffer_ref_t* out) {
  const ArgumentName name = {argument, index};
  if (!given.buffer && context.commands) return ResolveSlotRef(context, name, use, given, out);
  if (IsOfPeer(context, given)) return ResolvePeerRef(context, name, use, given, out);
  HAL_TRY(ResolveBufferRef(name, context.device, use, given, out));
  if (context.commands && std::atomic_ref(out->buffer->state).load(std::memory_order_relaxed) != 0) {
    context.commands->AddQueueAllocation(out->buffer);
  }
  return NarrowQueues(name, given.buffer->queues, &context.queues);
}

Status MakeBarrier(hal_command_t* out) {
  out->type = HAL_COMMAND_TYPE_BARRIER;
  return kOk;
}

Status MakeFill(CommandContext& context, const hal_buffer_ref_t& target, const void* pattern, size_t pattern_size,
                hal_command_t* out) {
  if (context.validated) {
    HAL_TRY(CheckPattern(pattern, pattern_size));
  }
  const auto size = static_cast<uint32_t>(pattern_size);
  const BufferUse use = {HAL_BUFFER_USAGE_TRANSFER_TARGET, size, size};
  out->type = HAL_COMMAND_TYPE_FILL;
  out->u.fill = {{}, RepeatPattern(pattern, pattern_size), size};
  return ResolveCommandRef(context, "target", kNoIndex, use, target, &out->u.fill.target);
}

Status MakeUpdate(CommandContext& context, const void* data, const hal_buffer_ref_t& target, hal_command_t* out) {
  const BufferUse use = {HAL_BUFFER_USAGE_TRANSFER_TARGET};
  out->type = HAL_COMMAND_TYPE_UPDATE;
  out->u.update = {{}, data};
  Status status = ResolveCommandRef(context, "target", kNoIndex, use, target, &out->u.update.target);
  if (status != kOk || !context.validated) return status;
  return CheckUpdateData(data, out->u.update.target);
}

Status MakeCopy(CommandContext& context, const hal_buffer_ref_t& source, const hal_buffer_ref_t& target,
                hal_command_t* out) {
  hal_buffer_ref_t agreed_source = source;
  hal_buffer_ref_t agreed_target = target;
  AgreeOnLength(agreed_source, agreed_target);
  out->type = HAL_COMMAND_TYPE_COPY;
  hal_command_copy_t& copy = out->u.copy = {};
  Status status =
      ResolveCommandRef(context, "source", kNoIndex, {HAL_BUFFER_USAGE_TRANSFER_SOURCE}, agreed_source, &copy.source);
  if (status != kOk) return status;
  status =
      ResolveCommandRef(context, "target", kNoIndex, {HAL_BUFFER_USAGE_TRANSFER_TARGET}, agreed_target, &copy.target);
  if (status != kOk || !context.validated) return status;
  if (status = CheckCopyLengths(copy.source, copy.target); status != kOk) return status;
  return CheckNoOverlap(context, copy);
}

Status MakeSignalEvent(const CommandContext& context, hal_event_t* event, hal_command_t* out) {
  out->type = HAL_COMMAND_TYPE_SIGNAL_EVENT;
  out->u.event = {event};
  if (!context.validated) return kOk;
  HAL_TRY(CheckEvent(context, {"event"}, event));
  if (context.commands->SignalEvent(event)) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "event%s is signalled already", LabelWords(event).c_str());
}

Status MakeWaitEvents(const CommandContext& context, size_t event_count, hal_event_t* const* events,
                      hal_command_t* out) {
  out->type = HAL_COMMAND_TYPE_WAIT_EVENTS;
  out->u.wait_events = {events, event_count};
  if (!context.validated || event_count == 0) return kOk;
  HAL_TRY(CheckNotNull("events", events));
  for (size_t i = 0; i < event_count; ++i) {
    HAL_TRY(CheckWaitEvent(context, events[i], i));
  }
  return kOk;
}

Status MakeBeginDebugGroup(const CommandContext& context, hal_string_view_t label, hal_command_t* out) {
  if (context.validated && label.size > 0) {
    HAL_TRY(CheckNotNull("label.data", label.data));
  }
  context.commands->OpenGroup(label);
  out->type = HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP;
  out->u.debug_group = {label};
  return kOk;
}

Status MakeEndDebugGroup(const CommandContext& context, hal_command_t* out) {
  out->type = HAL_COMMAND_TYPE_END_DEBUG_GROUP;
  if (context.commands->CloseGroup()) return kOk;
  return FailWith(HAL_STATUS_FAILED_PRECONDITION, "no debug group is open");
}

}  // namespace halyard
