// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/group_times.h"

#include <algorithm>

#include "driver_kit/queue/command.h"

namespace halyard {

GroupTimes::GroupTimes(const CommandList& commands) {
  group_of_command_.reserve(commands.size());
  uint32_t current = kNoGroup;
  for (const hal_command_t& command : commands) {
    Visit(command, Overloaded{
                       [&](commands::BeginGroup begin) {
                         Group group;
                         group.label = begin.label;
                         group.parent = current;
                         group.depth = current == kNoGroup ? 0 : groups_[current].depth + 1;
                         group.command = static_cast<uint32_t>(group_of_command_.size());
                         current = static_cast<uint32_t>(groups_.size());
                         groups_.push_back(group);
                       },
                       [&](commands::EndGroup) {
                         if (current != kNoGroup) current = groups_[current].parent;
                       },
                       [](commands::Order) {},
                       [](const commands::Work auto&) {},
                   });
    group_of_command_.push_back(current);
  }
}

void GroupTimes::Group::Include(uint64_t from, uint64_t to) {
  start = std::min(start, from);
  end = std::max(end, to);
}

void GroupTimes::Note(uint32_t command, uint64_t start, uint64_t end) noexcept {
  if (command >= group_of_command_.size() || group_of_command_[command] == kNoGroup) return;
  const std::lock_guard lock(mutex_);
  groups_[group_of_command_[command]].Include(start, end);
}

void GroupTimes::Report(ProfilingSession& session, const hal_profiling_record_t& shared) {
  for (size_t i = groups_.size(); i > 0; --i) {  // inner groups first: they are a part of the outer ones
    const Group& group = groups_[i - 1];
    if (group.parent != kNoGroup) groups_[group.parent].Include(group.start, group.end);
  }
  hal_profiling_record_t record = shared;
  record.kind = HAL_PROFILING_RECORD_KIND_DEBUG_GROUP;
  for (const Group& group : groups_) {
    if (group.start > group.end) continue;
    record.name = group.label;
    record.command = group.command;
    record.depth = group.depth;
    record.start_time = group.start;
    record.end_time = group.end;
    session.Record(record);
  }
}

}  // namespace halyard
