// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/command_order.h"

#include <algorithm>

namespace halyard {

bool IsIndirectDispatch(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_DISPATCH && (command.u.dispatch.params->flags & HAL_DISPATCH_INDIRECT) != 0;
}

bool IsWork(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_FILL || command.type == HAL_COMMAND_TYPE_UPDATE ||
         command.type == HAL_COMMAND_TYPE_COPY || command.type == HAL_COMMAND_TYPE_DISPATCH ||
         command.type == HAL_COMMAND_TYPE_COPY_STRIDED;
}

// Both sides of a copy have the same length, so that it is enough if one has none.
bool RunsNothing(const hal_command_t& command) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return command.u.fill.target.length == 0;
    case HAL_COMMAND_TYPE_UPDATE:
      return command.u.update.target.length == 0;
    case HAL_COMMAND_TYPE_COPY:
      return command.u.copy.source.length == 0 || command.u.copy.target.length == 0;
    case HAL_COMMAND_TYPE_COPY_STRIDED:
      return command.u.copy_strided.params->target.length == 0;
    case HAL_COMMAND_TYPE_DISPATCH: {
      if (IsIndirectDispatch(command)) return false;
      const hal_dim3_t& count = command.u.dispatch.params->workgroup_count;
      return count.x == 0 || count.y == 0 || count.z == 0;
    }
    default:
      return false;
  }
}

void CommandOrder::Take(const hal_command_t& command) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_BARRIER:
      after_ = node_count_;
      break;
    case HAL_COMMAND_TYPE_SIGNAL_EVENT:
      signals_[command.u.event.event] = {segment_, node_count_};
      break;
    case HAL_COMMAND_TYPE_WAIT_EVENTS:
      for (size_t i = 0; i < command.u.wait_events.event_count; ++i) WaitFor(command.u.wait_events.events[i]);
      break;
    default:
      break;
  }
}

void CommandOrder::WaitFor(const hal_event_t* event) {
  const auto signal = signals_.find(event);
  if (signal == signals_.end()) {
    after_ = node_count_;  // an unvalidated command buffer that is wrong: it shall not race
  } else if (signal->second.segment == segment_) {
    after_ = std::max(after_, signal->second.node_count);
  }
}

void CommandOrder::BeginSegment() {
  ++segment_;
  node_count_ = 0;
  after_ = 0;
}

}  // namespace halyard
