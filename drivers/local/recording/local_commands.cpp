// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/recording/local_commands.h"

#include <cstring>

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/command.h"
#include "driver_kit/queue/copy_box.h"
#include "local/executor/local_loop.h"
#include "local/recording/local_dispatch.h"

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

Status Run(const CommandContext& context, const hal_command_fill_t& fill) {
  Pins pins;
  BufferRange range;
  MemoryRange target{};
  HAL_TRY(ResolveFill(fill, context.table, &range));
  HAL_TRY(pins.Add(range, &target));
  if (target.length > 0) FillBytes(target, fill);
  return kOk;
}

Status Run(const CommandContext& context, const hal_command_update_t& update) {
  Pins pins;
  MemoryRange target{};
  HAL_TRY(Resolve(context, update.target, pins, &target));
  if (target.length > 0) std::memcpy(target.data, update.data, target.length);
  return kOk;
}

/// The memory of a copy's two sides, of rows or not.
template <class Copy>
Status ResolveSides(const CommandContext& context, const Copy& copy, Pins& pins, MemoryRange* source,
                    MemoryRange* target) {
  CopyRanges ranges;
  HAL_TRY(ResolveCopy(copy, context.table, &ranges));
  HAL_TRY(pins.Add(ranges.source, source));
  return pins.Add(ranges.target, target);
}

Status Run(const CommandContext& context, const hal_command_copy_t& copy) {
  Pins pins;
  MemoryRange source{};
  MemoryRange target{};
  HAL_TRY(ResolveSides(context, copy, pins, &source, &target));
  if (source.length > 0) std::memmove(target.data, source.data, source.length);
  return kOk;
}

// Rows one after the other: those without gaps are one.
Status Run(const CommandContext& context, const hal_strided_copy_params_t& copy) {
  Pins pins;
  MemoryRange source{};
  MemoryRange target{};
  HAL_TRY(ResolveSides(context, copy, pins, &source, &target));
  const CopyBox box = BoxOf(copy);
  ForEachRow(box, [&](uint64_t from, uint64_t to) { std::memmove(target.data + to, source.data + from, box.width); });
  return kOk;
}

}  // namespace

Status Resolve(const CommandContext& context, const hal_buffer_ref_t& ref, Pins& pins, MemoryRange* out) {
  BufferRange range;
  HAL_TRY(Resolve(ref, context.table, &range));
  return pins.Add(range, out);
}

Status RunCommand(const CommandContext& context, const hal_command_t& command, uint32_t index) {
  // Barriers and events have become segments; debug groups are for tools.
  return VisitWork(command, Overloaded{
                                [&](const hal_command_dispatch_t& one) { return RunDispatch(context, one, index); },
                                [&](const auto& transfer) { return Run(context, transfer); },
                            });
}

Status RunOneByOne(const CommandContext& context, CommandList commands) {
  for (uint32_t i = 0; i < commands.size(); ++i) HAL_TRY(RunCommand(context, commands[i], i));
  return kOk;
}

Status RunCommands(const CommandContext& context, CommandList commands, std::span<const CommandSegment> segments) {
  for (const CommandSegment& segment : segments) {
    const auto run = [&](uint64_t begin, uint64_t end) {
      Status status = kOk;
      for (uint64_t i = segment.begin + begin; i < segment.begin + end && status == kOk; ++i) {
        status = RunCommand(context, commands[i], static_cast<uint32_t>(i));
      }
      return status;
    };
    const uint64_t count = segment.end - segment.begin;
    HAL_TRY(RunLoop(context.executor, count, run));
  }
  return kOk;
}

}  // namespace halyard::local
