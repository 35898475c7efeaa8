// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of stream devices.
#ifndef HALYARD_STREAM_RECORDING_STREAM_COMMAND_BUFFER_H_
#define HALYARD_STREAM_RECORDING_STREAM_COMMAND_BUFFER_H_

#include <memory>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/check_beforehand.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/queue/tracked_hazards.h"
#include "halyard/driver_api.h"
#include "stream/recording/peer_commands.h"
#include "stream/recording/segment_graphs.h"
#include "stream/recording/stream_executable.h"

namespace halyard::stream {

class StreamContext;

/// A list of commands. Each execution replays them into a stream or runs them as graphs, as the device's options say.
/// The list does not change once it has ended, so any number of submissions can run it at once.
class StreamCommandBuffer final : public hal_command_buffer_t, public HostObject {
 public:
  StreamCommandBuffer(StreamContext& owner, const hal_command_buffer_params_t& params);

  Status Begin() { return kOk; }
  Status Record(const hal_command_t* command) {
    HAL_TRY(CheckBeforehand<StreamExecutable>(*command));
    HAL_TRY(OpenPeers(context_, *command));
    commands_.Append(*command);
    return kOk;
  }
  /// Finds the segments for graphs. The graphs are made when they are needed.
  Status End();

  const RecordedCommands& recorded() const { return commands_; }
  /// The segments that are to run as graphs in an execution with this table, in order. Without them the stream runs one
  /// command after the other.
  std::span<const std::unique_ptr<SegmentGraphs>> GraphsFor(BindingTable table) const {
    return hazards_.Allow(table) ? graphs_ : std::span<const std::unique_ptr<SegmentGraphs>>();
  }
  /// Whether its dispatches may run as graphs that the lane keeps, because it has no graphs of its own.
  bool keeps_graphs() const;

 private:
  StreamContext& context_;
  const hal_command_buffer_flags_t given_flags_;
  TrackedHazards hazards_;
  RecordedCommands commands_;
  HostVector<std::unique_ptr<SegmentGraphs>> graphs_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_STREAM_COMMAND_BUFFER_H_
