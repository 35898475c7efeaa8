// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/command_order.h"

#include <algorithm>

#include "driver_kit/queue/command.h"

namespace halyard {

bool IsIndirectDispatch(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_DISPATCH && IsIndirect(command.u.dispatch);
}

bool IsWork(const hal_command_t& command) { return !Is<commands::NoWork>(command); }

// Both sides of a copy have the same length, so that it is enough if one has none.
bool RunsNothing(const hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_DISPATCH) {
    const hal_dim3_t& count = command.u.dispatch.params->workgroup_count;
    return !IsIndirect(command.u.dispatch) && (count.x == 0 || count.y == 0 || count.z == 0);
  }
  bool is_empty = false;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse) { is_empty |= ref.length == 0; });
  return is_empty;
}

void CommandOrder::Take(const hal_command_t& command) {
  Visit(command, Overloaded{
                     [&](commands::Barrier) { after_ = node_count_; },
                     [&](commands::SignalEvent signal) {
                       signals_[signal.event] = {segment_, node_count_};
                     },
                     [&](commands::WaitEvents wait) {
                       for (size_t i = 0; i < wait.count; ++i) WaitFor(wait.events[i]);
                     },
                     [](commands::Label) {},
                     [](const commands::Work auto&) {},
                 });
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
