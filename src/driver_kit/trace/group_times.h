// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The debug groups of one execution of a command buffer, as its dispatches show them.
#ifndef HALYARD_DRIVER_KIT_TRACE_GROUP_TIMES_H_
#define HALYARD_DRIVER_KIT_TRACE_GROUP_TIMES_H_

#include <cstdint>
#include <limits>
#include <mutex>
#include <string_view>

#include "base/host_memory.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/trace/profiling_session.h"
#include "halyard/driver_api.h"

namespace halyard {

/// From when to when a command buffer's debug groups ran: from the first of their dispatches to the last.
class GroupTimes : public HostObject {
 public:
  /// The groups of `commands`, whose labels must outlive this object.
  explicit GroupTimes(const CommandList& commands);

  /// A dispatch ran, the command with this index. Thread-safe.
  void Note(uint32_t command, uint64_t start, uint64_t end) noexcept;
  /// Records the groups that ran, outer ones before inner ones. `shared` is what they have in common. No dispatch is
  /// noted any more.
  void Report(ProfilingSession& session, const hal_profiling_record_t& shared);

 private:
  static constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

  struct Group {
    hal_string_view_t label{};
    uint32_t parent = kNoGroup;  // comes before it
    uint32_t depth = 0;
    uint32_t command = 0;  // that began it
    uint64_t start = std::numeric_limits<uint64_t>::max();
    uint64_t end = 0;

    void Include(uint64_t from, uint64_t to);
  };

  HostVector<Group> groups_;               // as they begin
  HostVector<uint32_t> group_of_command_;  // the innermost one
  std::mutex mutex_;                       // protects the times; a leaf
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_GROUP_TIMES_H_
