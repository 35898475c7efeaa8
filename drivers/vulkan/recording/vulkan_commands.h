// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a command is for Vulkan, now that its buffers are known.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_COMMANDS_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_COMMANDS_H_

#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "halyard/driver_api.h"
#include "vulkan/recording/vulkan_barriers.h"
#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {

class VulkanRecordingDevice;

/// Where commands are recorded, and with which buffers in their slots.
struct CommandContext {
  VulkanRecordingDevice& device;
  BindingTable table;
  VulkanRecording& recording;
  bool checks_counts = true;  ///< of indirect dispatches, which may be beyond what the device takes
  bool keeps_sets = false;    ///< the recording notes its descriptor sets, which may be written again
};

/// What of a recording is timed.
enum class Timing { kNothing, kWhole, kDispatches };

/// Makes the pipeline of a dispatch unless there is one, so that nothing is compiled once its waits have ended. What
/// fails is told when the dispatch is recorded.
void PreparePipeline(const hal_command_dispatch_t& dispatch) noexcept;
/// Whether a command can be recorded before its waits have ended: no queue allocation gives its buffers their memory.
bool HasAllMemory(const hal_command_t& command);

/// What a command uses the device for, whatever its slots stand for.
WorkMask WorkOf(const VulkanRecordingDevice& device, const hal_command_t& command);
/// Records the check of an indirect dispatch's counts. The dispatch comes behind the barrier kAfterCountChecks. Several
/// are checked in the order in which they are recorded.
Status RecordCountCheck(const CommandContext& context, const hal_command_dispatch_t& dispatch);
/// Records a fill, update, copy, strided copy, dispatch or debug group into the recording, which has begun. `index` is
/// the command's in its command buffer.
Status RecordCommand(const CommandContext& context, const hal_command_t& command, uint32_t index);
/// The whole recording of one command.
Status RecordAlone(VulkanRecordingDevice& device, const hal_command_t& command, Timing timing,
                   VulkanRecording& recording);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_COMMANDS_H_
