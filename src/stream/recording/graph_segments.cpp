// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_segments.h"

#include "driver_kit/queue/command_order.h"

namespace halyard::stream {
namespace {

using CanHold = std::function<bool(const hal_command_t&)>;

class Splitter {
 public:
  Splitter(CommandList commands, size_t min_nodes, IndirectMode indirect, HazardTracker* hazards,
           const CanHold& can_hold)
      : commands_(commands),
        min_nodes_(min_nodes),
        indirect_(indirect),
        can_hold_(can_hold),
        tracks_(hazards != nullptr),
        order_(hazards) {}

  HostVector<GraphSegment> Run() && {
    for (size_t i = 0; i < commands_.size(); ++i) Take(i);
    Close(commands_.size());
    return std::move(segments_);
  }

 private:
  void Take(size_t index) {
    if (IsWork(commands_[index])) {
      TakeWork(index);
    } else {
      order_.Take(commands_[index]);
    }
  }

  void TakeWork(size_t index) {
    const hal_command_t& command = commands_[index];
    const bool holds = can_hold_(command);
    const bool needs_host = IsIndirectDispatch(command) && (indirect_ == IndirectMode::kHost || !holds);
    if (needs_host || !holds) {
      Close(index);
      Open(index + 1, needs_host ? 1 : 0);
    } else if (!RunsNothing(command)) {
      current_.commands.push_back(static_cast<uint32_t>(index));
      current_.after.push_back(order_.AddWork(command));
      if (tracks_) current_.barriers.push_back(order_.after_barriers());
      current_.indirect |= IsIndirectDispatch(command);
    }
  }

  void Open(size_t begin, uint32_t stages) {
    current_.begin = begin;
    current_.stage += stages;
  }

  void Close(size_t end) {
    const uint32_t stage = current_.stage;
    current_.end = end;
    current_.edges = order_.BeginSegment();
    const bool pays = current_.commands.size() >= min_nodes_ || current_.indirect;
    if (!current_.commands.empty() && pays) segments_.push_back(std::move(current_));
    current_ = {};
    current_.stage = stage;
  }

  const CommandList commands_;
  const size_t min_nodes_;
  const IndirectMode indirect_;
  const CanHold& can_hold_;
  const bool tracks_;
  CommandOrder order_;
  GraphSegment current_;
  HostVector<GraphSegment> segments_;
};

}  // namespace

HostVector<GraphSegment> FindSegments(CommandList commands, size_t min_nodes, IndirectMode indirect,
                                      HazardTracker* hazards,
                                      const std::function<bool(const hal_command_t& command)>& can_hold) {
  return Splitter(commands, min_nodes, indirect, hazards, can_hold).Run();
}

}  // namespace halyard::stream
