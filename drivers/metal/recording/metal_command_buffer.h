// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of a Metal device: recorded, planned when they end, encoded at each execution.
#ifndef HALYARD_METAL_RECORDING_METAL_COMMAND_BUFFER_H_
#define HALYARD_METAL_RECORDING_METAL_COMMAND_BUFFER_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/check_beforehand.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/queue/tracked_hazards.h"
#include "halyard/driver_api.h"
#include "metal/executable/metal_executable.h"
#include "metal/recording/metal_commands.h"
#include "metal/recording/metal_debug_groups.h"
#include "metal/recording/metal_encoder_plan.h"

namespace halyard::metal {

class MetalRecordingDevice;

/// Metal's command buffers run once, so each execution encodes all of it. What does not change is done when the
/// recording ends: the plan of its encoders, and, of a command buffer that may run again, the argument buffers and data
/// that name no slot. Nothing changes afterwards, so any number of submissions can encode it at once.
class MetalCommandBuffer final : public hal_command_buffer_t, public HostObject {
 public:
  MetalCommandBuffer(MetalRecordingDevice& owner, const hal_command_buffer_params_t& params);
  ~MetalCommandBuffer();

  Status Begin() { return kOk; }
  Status Record(const hal_command_t* command) {
    HAL_TRY(CheckBeforehand<MetalExecutable>(*command));
    commands_.Append(*command);
    return kOk;
  }
  Status End();

  const RecordedCommands& recorded() const { return commands_; }

  /// Into the command buffer of a submission.
  /// @param commands  those that were recorded, with the numbers of this execution
  Status Encode(const CommandContext& context, CommandList commands) const;
  /// The same, one command after the other in encoders of their own, so that each dispatch has its times, if there are
  /// any.
  Status EncodeTimed(const CommandContext& context, CommandList commands, DispatchTimes& times) const;

 private:
  /// A command that runs something.
  struct Node {
    uint32_t command = 0;
    uint32_t group = 0;        // the debug group that it is in
    uint32_t first_fixed = 0;  // in fixed_
    uint32_t fixed_count = 0;
  };

  void PlanPasses();
  Status FixArguments();
  Status WriteFixed() const;
  Status EncodePass(const CommandContext& context, CommandList commands, const EncoderPlan& plan,
                    uint32_t number) const;

  MetalRecordingDevice& device_;
  const hal_command_buffer_flags_t given_flags_;
  TrackedHazards hazards_;
  RecordedCommands commands_;
  HostVector<Node> nodes_;
  DebugGroups groups_;
  EncoderPlan plan_;
  EncoderPlan plan_one_by_one_;  // if hazards are tracked: see TrackedHazards
  HostVector<StagedBytes> fixed_;
  OwnedBuffer fixed_memory_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_COMMAND_BUFFER_H_
