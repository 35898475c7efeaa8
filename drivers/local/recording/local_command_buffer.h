// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers, cut into segments that may run at once.
#ifndef HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_COMMAND_BUFFER_H_
#define HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_COMMAND_BUFFER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/queue/tracked_hazards.h"
#include "halyard/driver_api.h"
#include "local/recording/local_commands.h"

namespace halyard::local {

/// It does not change once it has ended, so any number of submissions can run it at once.
class LocalCommandBuffer final : public hal_command_buffer_t, public HostObject {
 public:
  LocalCommandBuffer(const hal_command_buffer_vtable_t* vtable, ArenaPool& arenas,
                     const hal_command_buffer_params_t& params);

  Status Begin() { return kOk; }
  Status Record(const hal_command_t* command);
  Status End();

  const RecordedCommands& recorded() const { return commands_; }
  /// @param commands  those that were recorded, with the numbers of this execution
  Status Run(const CommandContext& context, CommandList commands) const {
    if (!hazards_.Allow(context.table)) return RunOneByOne(context, commands);
    return RunCommands(context, commands, segments_);
  }

 private:
  TrackedHazards hazards_;
  RecordedCommands commands_;
  HostVector<CommandSegment> segments_;
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_COMMAND_BUFFER_H_
