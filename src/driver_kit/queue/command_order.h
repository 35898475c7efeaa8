// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the barriers and events of a command buffer amount to, and its hazards if it tracks them: one number for each
// command that runs something.
#ifndef HALYARD_DRIVER_KIT_QUEUE_COMMAND_ORDER_H_
#define HALYARD_DRIVER_KIT_QUEUE_COMMAND_ORDER_H_

#include <cstdint>

#include "base/host_memory.h"
#include "driver_kit/queue/hazards.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Whether the workgroup count of the command is in a buffer.
bool IsIndirectDispatch(const hal_command_t& command);
/// Whether it runs something: a transfer or a dispatch.
bool IsWork(const hal_command_t& command);
/// Whether it has no bytes or workgroups, whatever its slots and numbers stand for.
bool RunsNothing(const hal_command_t& command);

/// Goes through a command buffer in order and numbers its *nodes*, the commands that run something. Each node must come
/// after a number of the nodes before it, which never falls.
///
/// Of several signals of an event, which only an unvalidated command buffer has, the last counts.
class CommandOrder {
 public:
  /// @param hazards  what finds the hazards of a command buffer that tracks them; NULL for one that does not
  explicit CommandOrder(HazardTracker* hazards) : hazards_(hazards) {}

  /// A command that is no work.
  void Take(const hal_command_t& command);
  /// The next node is this command. Returns how many nodes it must come after.
  uint32_t AddWork(const hal_command_t& command);
  /// The next node is a label, which nothing orders.
  void AddLabel();
  /// How many nodes the next one must come after because of barriers and events alone.
  uint32_t after_barriers() const { return after_barriers_; }
  /// Numbers begin again: what comes now is ordered after all that came before by other means. Returns the edges of
  /// the nodes up to here; none without hazards.
  NodeEdges BeginSegment();

 private:
  /// Where an event was signalled last.
  struct SignalPlace {
    uint32_t segment = 0;
    uint32_t node_count = 0;  // nodes of that segment before it
  };

  void WaitFor(const hal_event_t* event);

  uint32_t segment_ = 0;
  uint32_t node_count_ = 0;
  uint32_t after_barriers_ = 0;
  uint32_t after_ = 0;  // because of hazards, too
  HazardTracker* const hazards_;
  HostMap<const hal_event_t*, SignalPlace> signals_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_COMMAND_ORDER_H_
