// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_segments.h"

#include <algorithm>

namespace halyard::stream {
namespace {

bool IsWork(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_FILL || command.type == HAL_COMMAND_TYPE_UPDATE ||
         command.type == HAL_COMMAND_TYPE_COPY || command.type == HAL_COMMAND_TYPE_DISPATCH;
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
    case HAL_COMMAND_TYPE_DISPATCH: {
      if (IsIndirect(command)) return false;
      const hal_dim3_t& count = command.u.dispatch.params->workgroup_count;
      return count.x == 0 || count.y == 0 || count.z == 0;
    }
    default:
      return false;
  }
}

class Splitter {
 public:
  Splitter(std::span<const hal_command_t> commands, size_t min_nodes, IndirectMode indirect,
           bool (*can_hold)(const hal_command_t&))
      : commands_(commands), min_nodes_(min_nodes), indirect_(indirect), can_hold_(can_hold) {}

  HostVector<GraphSegment> Run() && {
    for (size_t i = 0; i < commands_.size(); ++i) Take(i);
    Close(commands_.size());
    return std::move(segments_);
  }

 private:
  /// Where an event was signalled last.
  struct SignalPlace {
    size_t segment_begin = 0;
    uint32_t node_count = 0;  // nodes of that segment before it
  };

  void Take(size_t index) {
    const hal_command_t& command = commands_[index];
    switch (command.type) {
      case HAL_COMMAND_TYPE_BARRIER:
        after_ = NodeCount();
        break;
      case HAL_COMMAND_TYPE_SIGNAL_EVENT:
        signals_[command.u.event.event] = {current_.begin, NodeCount()};
        break;
      case HAL_COMMAND_TYPE_WAIT_EVENTS:
        for (size_t i = 0; i < command.u.wait_events.event_count; ++i) WaitFor(command.u.wait_events.events[i]);
        break;
      default:
        if (IsWork(command)) TakeWork(index);
        break;
    }
  }

  // The state of an event is known here, so that a reset has nothing to do: the next signal replaces the last.
  void WaitFor(const hal_event_t* event) {
    const auto signal = signals_.find(event);
    if (signal == signals_.end()) {
      after_ = NodeCount();  // an unvalidated command buffer that is wrong: it shall not race
    } else if (signal->second.segment_begin == current_.begin) {
      after_ = std::max(after_, signal->second.node_count);
    }
  }

  void TakeWork(size_t index) {
    const hal_command_t& command = commands_[index];
    const bool needs_host = IsIndirect(command) && indirect_ == IndirectMode::kHost;
    if (needs_host || !can_hold_(command)) {
      Close(index);
      Open(index + 1, needs_host ? 1 : 0);
    } else if (!RunsNothing(command)) {
      current_.commands.push_back(static_cast<uint32_t>(index));
      current_.after.push_back(after_);
      current_.indirect |= IsIndirect(command);
    }
  }

  void Open(size_t begin, uint32_t stages) {
    current_.begin = begin;
    current_.stage += stages;
    after_ = 0;
  }

  void Close(size_t end) {
    const uint32_t stage = current_.stage;
    current_.end = end;
    const bool pays = current_.commands.size() >= min_nodes_ || current_.indirect;
    if (!current_.commands.empty() && pays) segments_.push_back(std::move(current_));
    current_ = {};
    current_.stage = stage;
  }

  uint32_t NodeCount() const { return static_cast<uint32_t>(current_.commands.size()); }

  const std::span<const hal_command_t> commands_;
  const size_t min_nodes_;
  const IndirectMode indirect_;
  bool (*const can_hold_)(const hal_command_t&);
  GraphSegment current_;
  uint32_t after_ = 0;  // what the next node must come after
  HostMap<const hal_event_t*, SignalPlace> signals_;
  HostVector<GraphSegment> segments_;
};

}  // namespace

bool IsIndirect(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_DISPATCH && (command.u.dispatch.params->flags & HAL_DISPATCH_INDIRECT) != 0;
}

HostVector<GraphSegment> FindSegments(std::span<const hal_command_t> commands, size_t min_nodes, IndirectMode indirect,
                                      bool (*can_hold)(const hal_command_t& command)) {
  return Splitter(commands, min_nodes, indirect, can_hold).Run();
}

}  // namespace halyard::stream
