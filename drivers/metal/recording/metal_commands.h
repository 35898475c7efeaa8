// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a recorded command is for Metal, now that its buffers are known.
#ifndef HALYARD_METAL_RECORDING_METAL_COMMANDS_H_
#define HALYARD_METAL_RECORDING_METAL_COMMANDS_H_

#include <span>

#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "halyard/driver_api.h"
#include "metal/executable/metal_arguments.h"
#include "metal/recording/metal_encoding.h"
#include "metal/recording/metal_profiling.h"
#include "metal/recording/metal_staging.h"

namespace halyard::metal {

class MetalRecordingDevice;

/// The most bindings of a dispatch.
inline constexpr uint32_t kMaxBindings = 128;
/// The most bytes of constants: what setBytes takes.
inline constexpr uint32_t kMaxConstantsSize = 4096;

/// Where commands are encoded, and with which buffers in their slots.
struct CommandContext {
  MetalRecordingDevice& device;
  BindingTable table;
  MetalEncoding& encoding;
  MetalStaging& staging;
};

/// What a command buffer wrote when it was recorded: the argument buffers of a dispatch, one for each set of its
/// pipeline, or the data of an update. Nothing if that is done at each execution.
using FixedBytes = std::span<const StagedBytes>;

/// Which encoder a fill, update or copy of a command buffer runs in. One that works on a slot has its place before the
/// slot is known, so it runs as a kernel, which takes any offset.
PassKind KindOfRecorded(const MetalRecordingDevice& device, const hal_command_t& command);

/// The ranges of a dispatch's bindings. FAILED_PRECONDITION if one has no memory.
Status ResolveBindings(const hal_dispatch_params_t& params, BindingTable table, std::span<NativeRange> out);

/// Encodes a fill, update, copy or dispatch into the open pass.
Status EncodeCommand(const CommandContext& context, const hal_command_t& command, FixedBytes fixed);
/// The same as a pass of its own. If `times` is active, the pass of a dispatch is timed.
Status EncodeAlone(const CommandContext& context, const hal_command_t& command, DispatchTimes& times);
/// For a pass that runs only this command: the pass is timed if it is a dispatch. `index` is the command's in its
/// command buffer.
void TimeNext(MetalEncoding& encoding, const hal_command_t& command, uint32_t index, DispatchTimes& times);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_COMMANDS_H_
