// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/recording/local_command_buffer.h"

#include "driver_kit/queue/command_order.h"
#include "local/executable/local_executable.h"
#include "local/memory/local_buffer.h"

namespace halyard::local {

LocalCommandBuffer::LocalCommandBuffer(const hal_command_buffer_vtable_t* vtable, ArenaPool& arenas,
                                       const hal_command_buffer_params_t& params)
    : hal_command_buffer_t{}, hazards_(params, HazardDriverOf<LocalBuffer, LocalExecutable>()), commands_(arenas) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, vtable);
}

Status LocalCommandBuffer::Record(const hal_command_t* command) {
  commands_.Append(*command);
  return kOk;
}

// A segment ends where a command must come after one that is in it.
Status LocalCommandBuffer::End() {
  std::optional<HazardTracker> tracker = hazards_.MakeTracker();
  CommandOrder order(tracker ? &*tracker : nullptr);
  const CommandList commands = commands_.commands();
  uint32_t nodes = 0;
  uint32_t first_node = 0;  // of the segment
  for (uint32_t i = 0; i < commands.size(); ++i) {
    if (!IsWork(commands[i])) {
      order.Take(commands[i]);
      continue;
    }
    if (order.AddWork(commands[i]) > first_node || segments_.empty()) {
      segments_.push_back({i, i});
      first_node = nodes;
    }
    segments_.back().end = i + 1;
    ++nodes;
  }
  hazards_.Seal();
  return kOk;
}

}  // namespace halyard::local
