// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts recorded commands into a stream, one after the other or as graphs.
#ifndef HALYARD_STREAM_RECORDING_STREAM_COMMANDS_H_
#define HALYARD_STREAM_RECORDING_STREAM_COMMANDS_H_

#include <cstdint>
#include <memory>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/recorded_commands.h"
#include "halyard/driver_api.h"
#include "stream/native/host_slots.h"
#include "stream/native/native_api.h"
#include "stream/native/timing.h"
#include "stream/recording/command_arguments.h"
#include "stream/recording/kept_graphs.h"
#include "stream/recording/segment_graphs.h"

namespace halyard::stream {

class StreamContext;

/// One execution of a list of commands, in one or more *stages*. If the host must read the counts of an indirect
/// dispatch, a stage ends after the commands that bring the counts to the host. The next stage begins when these are
/// done. In a graph, the device may read the counts instead.
///
/// A stream runs its work in order, so barriers and events need nothing more. In a graph, edges express them.
class Replay {
 public:
  using Graphs = std::span<const std::unique_ptr<SegmentGraphs>>;

  /// The commands, the table, the numbers and the graphs must stay until Clear().
  /// @param commands  with their numbers, which come from the block `numbers`
  /// @param graphs  the segments that run as graphs, in order; ignored while dispatches are reported, each by itself
  void Begin(StreamContext& context, CommandList commands, std::span<const hal_buffer_ref_t> table,
             std::span<const std::byte> numbers, Graphs graphs, Timing* timing);
  /// Also runs dispatches as graphs that the lane keeps. For commands without graphs of their own.
  void KeepGraphs() { keeps_graphs_ = true; }
  void Clear() noexcept;

  /// Sets the graphs for KeepGraphs(). Called before Continue() puts commands into the lane's own stream.
  /// @param min_nodes  fewer dispatches are launched one by one
  void UseKept(LaneGraphs& kept, size_t min_nodes) {
    kept_ = keeps_graphs_ ? &kept : nullptr;
    min_kept_nodes_ = min_nodes;
  }
  /// Finds or makes the graphs of the next stage, for this stream. Takes time. Within a NativeScope.
  Status PrepareStage(NativeStream stream);
  /// Puts commands into the stream, until the end or until a count must be read. Within a NativeScope.
  Status Continue(NativeStream stream);
  bool finished() const { return next_ == commands_.size(); }
  /// Whether the stream alone is not enough, because the host must read the counts of an indirect dispatch.
  bool needs_host() const;
  /// Whether the work in the stream can fail although the device works: the device reads counts, and may reject them.
  bool checks_counts() const;
  /// Fails if the device has rejected counts. Called once the device is done with the work in the stream.
  Status CheckCounts() const;
  /// Whether the last Continue() has put anything into the stream.
  bool has_enqueued() const { return has_enqueued_; }

 private:
  GraphBindings Bindings(const GraphUse& use) const;
  /// Whether it is memory of another device.
  bool IsForeign(const DeviceRange& range) const { return range.owner && range.owner != context_; }
  /// The device whose memory it is. Memory of the host is anyone's, so this device stands for it.
  const NativeApi& OwnerOf(const DeviceRange& range) const;
  Status CopyPeer(NativeStream stream, const DeviceRange& source, const DeviceRange& target);
  Status CopyRowsPeer(NativeStream stream, const NativeBox& copy, const DeviceCopy& ranges);
  Status PrepareGraph(SegmentGraphs& graphs, NativeStream stream);
  Status RunGraph(NativeStream stream, bool* out_ran);
  Status RunKept(NativeStream stream, bool* out_ran);

  struct Enqueue;
  Status Fill(NativeStream stream, const hal_command_fill_t& fill);
  Status FillUnaligned(NativeStream stream, const NativeFill& fill);
  Status Update(NativeStream stream, const hal_command_update_t& update);
  Status Copy(NativeStream stream, const hal_command_copy_t& copy);
  Status CopyStrided(NativeStream stream, const hal_strided_copy_params_t& copy);
  Status CopyRows(NativeStream stream, const NativeBox& copy);
  Status CopyRowsThroughDevice(NativeStream stream, const NativeBox& copy);
  template <class Bring>
  Status CopyThroughDevice(NativeStream stream, const DeviceRange& target, const Bring& bring);
  Status Dispatch(NativeStream stream, const hal_command_dispatch_t& dispatch, const hal_dim3_t& count);
  Status Launch(NativeStream stream, const NativeLaunch& launch, const hal_export_info_t& info);
  Status FetchCount(NativeStream stream, const hal_command_dispatch_t& dispatch);
  Status TakeCount(hal_dim3_t* out_count);

  StreamContext* context_ = nullptr;
  CommandList commands_;
  std::span<const hal_buffer_ref_t> table_;
  std::span<const std::byte> numbers_;
  Timing* timing_ = nullptr;  // NULL unless dispatches are reported
  size_t next_ = 0;           // command
  bool has_enqueued_ = false;
  bool keeps_graphs_ = false;
  LaneGraphs* kept_ = nullptr;  // NULL unless it keeps them
  size_t min_kept_nodes_ = 0;
  size_t asked_to_ = 0;  // command; kept_ was asked for those before
  HostSlot count_;       // of commands_[next_], which is indirect, once it was fetched

  Graphs graphs_;
  uint32_t stage_ = 0;               // the next one to be prepared
  HostVector<GraphUse> uses_;        // of graphs_, as far as they are prepared
  size_t next_use_ = 0;              // the first of uses_ that has not been reached yet
  HostVector<DeviceRange> dynamic_;  // of each use, one after the other
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_STREAM_COMMANDS_H_
