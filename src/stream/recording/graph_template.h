// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the graphs of one segment of a command buffer have in common.
#ifndef HALYARD_STREAM_RECORDING_GRAPH_TEMPLATE_H_
#define HALYARD_STREAM_RECORDING_GRAPH_TEMPLATE_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/recorded_commands.h"
#include "halyard/driver_api.h"
#include "stream/native/native_api.h"
#include "stream/recording/command_arguments.h"
#include "stream/recording/graph_segments.h"

namespace halyard::stream {

/// What one node does, with the buffers of one execution.
struct NodeArguments {
  enum class Kind { kLaunch, kIndirectLaunch, kCopy, kCopyRows, kFill };
  Kind kind = Kind::kLaunch;
  bool launches() const { return kind == Kind::kLaunch || kind == Kind::kIndirectLaunch; }
  DispatchArguments launch;
  NativeAddress counts = 0;  // of an indirect launch
  NativeCopy copy;
  NativeBox rows;
  NativeFill fill;
};

/// One execution of a segment.
struct GraphBindings {
  CommandList commands;  ///< all of the command buffer's, with their numbers
  std::span<const hal_buffer_ref_t> table;
  std::span<const DeviceRange> dynamic;  ///< where the dynamic ranges are
  std::span<const std::byte> numbers;    ///< the block that the numbers came from
};

/// A segment and its *dynamic ranges*: memory that differs between executions, namely slots of the binding table and
/// queue allocations. Executions differ only in the places and lengths of these ranges, which the template keeps in an
/// order of its own, and in the numbers of dispatches.
///
/// The template does not change, so any number of threads may use it.
class GraphTemplate {
 public:
  /// The commands must outlive the template.
  GraphTemplate(CommandList commands, GraphSegment segment);

  const GraphSegment& segment() const { return segment_; }
  size_t node_count() const { return segment_.commands.size(); }
  /// Workgroups of a direct dispatch, on average; 0 without any.
  double workgroups() const { return workgroups_; }

  size_t dynamic_count() const { return dynamic_.size(); }
  /// Finds where the dynamic ranges are in an execution.
  Status ResolveDynamic(std::span<const hal_buffer_ref_t> table, std::span<DeviceRange> out_ranges) const;
  /// Whether a node uses a dynamic range that differs between two executions.
  bool Differs(size_t node, std::span<const DeviceRange> a, std::span<const DeviceRange> b) const;
  /// Whether a node takes a number that differs between the blocks of two executions.
  bool HasOtherNumbers(size_t node, std::span<const std::byte> a, std::span<const std::byte> b) const;
  /// Whether no dispatch is given a workgroup count of 0, which a graph cannot hold.
  bool HoldsCounts(const CommandList& commands) const;
  /// Whether a graph made for one execution can be patched for another. Vendors refuse to patch a copy or fill to
  /// memory that was made in another way; launches may use any memory.
  bool CanBePatched(std::span<const DeviceRange> from, std::span<const DeviceRange> to) const;
  /// Whether a graph can hold every node in an execution: none is empty, none copies from host to host.
  Status Holds(std::span<const hal_buffer_ref_t> table, bool* out_holds) const;

  /// Bytes that the updates write, in all.
  uint64_t update_size() const { return update_size_; }
  /// Writes them to a block of that size.
  void WriteUpdates(void* block) const;
  /// Bytes of scratch memory that a node uses while it runs.
  Status ScratchSize(size_t node, uint64_t* out_bytes) const;
  /// What a node does. `updates` is where the device finds the block.
  Status Describe(size_t node, const GraphBindings& bindings, NativeAddress updates, NodeArguments* out) const;

 private:
  /// What is needed in addition to the command.
  struct Node {
    uint32_t first_dynamic = 0;  // of those in dynamic_uses_
    uint32_t dynamic_count = 0;
    uint64_t update_offset = 0;  // bytes, in the block
  };

  const hal_command_t& Command(size_t node) const { return commands_[segment_.commands[node]]; }
  void AddNode(const hal_command_t& command);
  void AddUse(const hal_buffer_ref_t& ref, bool transfers);

  const CommandList commands_;
  const GraphSegment segment_;
  HostVector<Node> nodes_;
  HostVector<hal_buffer_ref_t> dynamic_;
  HostVector<uint32_t> numbered_;                                               // nodes that take numbers
  HostVector<uint32_t> transferred_;                                            // those that copies and fills use
  HostMap<std::pair<const hal_buffer_t*, uint32_t>, uint32_t> dynamic_places_;  // buffer and slot → index in dynamic_
  HostVector<uint32_t> dynamic_uses_;                                           // of one node after the other
  uint64_t update_size_ = 0;                                                    // bytes
  double workgroups_ = 0;
};

/// Whether a graph can hold a fill, update, copy or dispatch, as far as that is known when it is recorded. How much
/// scratch memory an indirect dispatch takes is known once the host has read its counts.
/// Copies from host memory to host memory are left to the stream, where they are staged through the device, and so are
/// those with a larger pitch than the API takes. Where the API cannot patch copies of rows, those of slots and queue
/// allocations are left to the stream. Where graphs do not keep the patterns of fills, all fills are.
bool GraphCanHold(const NativeTraits& traits, const hal_command_t& command);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_TEMPLATE_H_
