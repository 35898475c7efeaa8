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
    const bool is_known = !IsIndirect(command.u.dispatch) && !TakesNumbers(command.u.dispatch);
    return is_known && (count.x == 0 || count.y == 0 || count.z == 0);
  }
  bool is_empty = false;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse) { is_empty |= ref.length == 0; });
  return is_empty;
}

void CommandOrder::Take(const hal_command_t& command) {
  Visit(command, Overloaded{
                     [&](commands::Barrier) { after_barriers_ = node_count_; },
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
    after_barriers_ = node_count_;  // an unvalidated command buffer that is wrong: it shall not race
  } else if (signal->second.segment == segment_) {
    after_barriers_ = std::max(after_barriers_, signal->second.node_count);
  }
}

uint32_t CommandOrder::AddWork(const hal_command_t& command) {
  ++node_count_;
  after_ = std::max(after_, after_barriers_);
  if (hazards_) after_ = std::max(after_, hazards_->Add(command));
  return after_;
}

void CommandOrder::AddLabel() {
  ++node_count_;
  if (hazards_) hazards_->AddLabel();
}

NodeEdges CommandOrder::BeginSegment() {
  ++segment_;
  node_count_ = 0;
  after_barriers_ = after_ = 0;
  return hazards_ ? hazards_->BeginSegment() : NodeEdges();
}

}  // namespace halyard
