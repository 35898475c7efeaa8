// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/recording/local_command_buffer.h"

#include "driver_kit/queue/command.h"

namespace halyard::local {
namespace {

// A wait for events orders at least what a barrier in its place would not need to: treating it as one is always right,
// and since a segment's commands share all cores anyway, rarely slower.
bool Separates(const hal_command_t& command) {
  return Visit(command, Overloaded{
                            [](commands::Barrier) { return true; },
                            [](commands::WaitEvents) { return true; },
                            [](commands::SignalEvent) { return false; },
                            [](commands::Label) { return false; },
                            [](const commands::Work auto&) { return false; },
                        });
}

}  // namespace

LocalCommandBuffer::LocalCommandBuffer(const hal_command_buffer_vtable_t* vtable, ArenaPool& arenas)
    : hal_command_buffer_t{}, commands_(arenas) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, vtable);
}

Status LocalCommandBuffer::Record(const hal_command_t* command) {
  commands_.Append(*command);
  return kOk;
}

Status LocalCommandBuffer::End() {
  const CommandList commands = commands_.commands();
  CommandSegment segment{0, 0};
  for (uint32_t i = 0; i <= commands.size(); ++i) {
    if (i < commands.size() && !Separates(commands[i])) continue;
    segment.end = i;
    if (segment.begin < segment.end) segments_.push_back(segment);
    segment.begin = i + 1;
  }
  return kOk;
}

}  // namespace halyard::local
