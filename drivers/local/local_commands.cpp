// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/local_commands.h"

#include <cinttypes>
#include <cstring>

#include "driver_kit/object/vtable.h"
#include "local/local_buffer.h"
#include "local/local_dispatch.h"
#include "local/local_loop.h"

namespace halyard::local {
namespace {

// Fills a multiple of the pattern's size; the pattern is repeated to four bytes already.
void FillBytes(MemoryRange target, const hal_command_fill_t& fill) {
  if (fill.pattern_size == 1) {
    std::memset(target.data, static_cast<int>(fill.pattern & 0xFF), target.length);
    return;
  }
  const auto* const pattern = reinterpret_cast<const char*>(&fill.pattern);
  uint64_t offset = 0;
  for (; offset + sizeof(fill.pattern) <= target.length; offset += sizeof(fill.pattern)) {
    std::memcpy(target.data + offset, pattern, sizeof(fill.pattern));
  }
  std::memcpy(target.data + offset, pattern, target.length - offset);
}

Status RunFill(const CommandContext& context, const hal_command_fill_t& fill) {
  Pins pins;
  MemoryRange target{};
  if (Status status = Resolve(context, fill.target, pins, &target); status != kOk) return status;
  // Only a slot's range can still be uneven here: its length is known from the table alone.
  if (target.length % fill.pattern_size != 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "fill: %" PRIu64 " bytes are no multiple of the pattern's %u bytes",
                target.length, fill.pattern_size);
  }
  if (target.length > 0) FillBytes(target, fill);
  return kOk;
}

Status RunUpdate(const CommandContext& context, const hal_command_update_t& update) {
  Pins pins;
  MemoryRange target{};
  if (Status status = Resolve(context, update.target, pins, &target); status != kOk) return status;
  if (target.length > 0) std::memcpy(target.data, update.data, target.length);
  return kOk;
}

// A reference that says "the rest of the slot" takes the other side's length.
void MatchLengths(const hal_command_copy_t& copy, MemoryRange* source, MemoryRange* target) {
  if (copy.source.length == HAL_WHOLE_SIZE && target->length < source->length) source->length = target->length;
  if (copy.target.length == HAL_WHOLE_SIZE && source->length < target->length) target->length = source->length;
}

Status RunCopy(const CommandContext& context, const hal_command_copy_t& copy) {
  Pins pins;
  MemoryRange source{};
  MemoryRange target{};
  if (Status status = Resolve(context, copy.source, pins, &source); status != kOk) return status;
  if (Status status = Resolve(context, copy.target, pins, &target); status != kOk) return status;
  MatchLengths(copy, &source, &target);
  if (source.length != target.length) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "copy: the source has %" PRIu64 " bytes, the target %" PRIu64, source.length,
                target.length);
  }
  if (source.length > 0) std::memmove(target.data, source.data, source.length);
  return kOk;
}

}  // namespace

Status Resolve(const CommandContext& context, const hal_buffer_ref_t& ref, Pins& pins, MemoryRange* out) {
  hal_buffer_ref_t direct = ref;
  if (!ref.buffer) {
    if (ref.slot >= context.table.size() || !context.table[ref.slot].buffer) {
      return Fail(HAL_STATUS_OUT_OF_RANGE, "the binding table has no buffer in slot %u", ref.slot);
    }
    const hal_buffer_ref_t& slot = context.table[ref.slot];
    direct = {slot.buffer, 0, 0, slot.offset + ref.offset,
              ref.length == HAL_WHOLE_SIZE ? slot.length - ref.offset : ref.length};
  }
  char* const data = pins.Add(static_cast<LocalBuffer*>(direct.buffer)->storage());
  if (!data && direct.length > 0) {
    return FailWith(
        HAL_STATUS_FAILED_PRECONDITION,
        "a queue allocation is used outside its life: order the use after its alloca and before its dealloca");
  }
  *out = {data ? data + direct.offset : nullptr, direct.length};
  return kOk;
}

Status RunCommand(const CommandContext& context, const hal_command_t& command, uint32_t index) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return RunFill(context, command.u.fill);
    case HAL_COMMAND_TYPE_UPDATE:
      return RunUpdate(context, command.u.update);
    case HAL_COMMAND_TYPE_COPY:
      return RunCopy(context, command.u.copy);
    case HAL_COMMAND_TYPE_DISPATCH:
      return RunDispatch(context, command.u.dispatch, index);
    default:
      return kOk;  // barriers and events have become segments; debug groups are for tools
  }
}

Status RunCommands(const CommandContext& context, std::span<const hal_command_t> commands,
                   std::span<const CommandSegment> segments) {
  for (const CommandSegment& segment : segments) {
    const auto run = [&](uint64_t begin, uint64_t end) {
      Status status = kOk;
      for (uint64_t i = segment.begin + begin; i < segment.begin + end && status == kOk; ++i) {
        status = RunCommand(context, commands[i], static_cast<uint32_t>(i));
      }
      return status;
    };
    const uint64_t count = segment.end - segment.begin;
    if (Status status = RunLoop(context.executor, count, run); status != kOk) return status;
  }
  return kOk;
}

}  // namespace halyard::local
