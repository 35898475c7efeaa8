// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instantiated graphs of one segment of a command buffer, and their uses.
#ifndef HALYARD_STREAM_RECORDING_SEGMENT_GRAPHS_H_
#define HALYARD_STREAM_RECORDING_SEGMENT_GRAPHS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/recorded_commands.h"
#include "stream/native/device_event.h"
#include "stream/recording/graph_instance.h"
#include "stream/recording/graph_template.h"
#include "stream/recording/graph_width.h"

namespace halyard::stream {

class SegmentGraphs;
class StreamContext;

/// One execution's use of a graph, from before it is put into a stream until the device is done with it.
struct GraphUse {
  SegmentGraphs* graphs = nullptr;
  struct PooledGraph* graph = nullptr;  ///< NULL if the stream has to run the segment
  size_t first_dynamic = 0;             ///< of Replay's ranges
  bool measured = false;                ///< to be timed, for the width policy
  DeviceEventRef start;                 ///< if it was
  DeviceEventRef end;
};

/// A graph of the pool.
struct PooledGraph : HostObject {
  std::unique_ptr<GraphInstance> instance;
  HostVector<DeviceRange> dynamic;  ///< the ranges of its last use, for which it will be patched
  NativeStream stream = nullptr;    ///< the stream of its last use
  uint32_t users = 0;               ///< executions that are not done
  uint64_t acquired = 0;            ///< when it was acquired last
  bool fresh = true;                ///< it has never run
  bool retired = false;             ///< it could not be patched, or was patched too often: no other use follows
};

/// Makes graphs when they are needed, and keeps up to kMaxGraphs. Executions in different streams or with different
/// tables overlap in graphs of their own. Beyond the bound they share a graph and run one after the other. A graph with
/// indirect dispatches is never shared, because it reports rejected counts to one execution. Beyond the bound the
/// stream runs such a segment.
///
/// `mutex_` protects the pool and the width policy; graphs are made and destroyed without it. It is a leaf. The lock of
/// an instance (GraphInstance::Launch()) is taken under a lane's mutex.
class SegmentGraphs final : public HostObject {
 public:
  /// The most graphs of a segment, not counting those of a former width that are still running.
  static constexpr size_t kMaxGraphs = 4;

  /// The commands must outlive this object.
  SegmentGraphs(StreamContext& context, CommandList commands, GraphSegment segment);
  /// No use may be left. Runs on any thread.
  ~SegmentGraphs();

  const GraphSegment& segment() const { return template_.segment(); }
  size_t dynamic_count() const { return template_.dynamic_count(); }
  Status ResolveDynamic(std::span<const hal_buffer_ref_t> table, std::span<DeviceRange> out_ranges) const {
    return template_.ResolveDynamic(table, out_ranges);
  }

  /// Finds or makes a graph for an execution in a stream. Leaves `use->graph` NULL if no graph can hold the segment
  /// with this table. Within a NativeScope.
  Status Acquire(NativeStream stream, const GraphBindings& bindings, GraphUse* use);
  /// Puts the graph into the stream. Within a NativeScope.
  /// @param out_launched  false if the stream has to run the segment after all
  Status Launch(NativeStream stream, const GraphBindings& bindings, GraphUse& use, bool* out_launched);
  /// Called once the device is done with the use. Fails if the device rejected the counts of an indirect dispatch.
  Status CheckCounts(const GraphUse& use) const;
  /// The device is done with the use, or never had it.
  void Release(GraphUse& use) noexcept;

 private:
  using Pool = HostVector<std::unique_ptr<PooledGraph>>;

  bool IsCurrent(const PooledGraph& graph) const {
    return !graph.retired && graph.instance->width() == policy_.width();
  }
  bool IsShareable() const { return !segment().indirect; }
  bool CanBePatched(const PooledGraph& graph, std::span<const DeviceRange> dynamic) const {
    return template_.CanBePatched(graph.dynamic, dynamic);
  }
  PooledGraph* FindMatching(NativeStream stream, std::span<const DeviceRange> dynamic) const;
  PooledGraph* FindIdle(std::span<const DeviceRange> dynamic) const;
  PooledGraph* FindShared(NativeStream stream, std::span<const DeviceRange> dynamic) const;
  bool HasRoom() const;
  bool ComesAgain(std::span<const DeviceRange> dynamic) const;
  void TakeOutStale(Pool* out_stale);
  void TakeOutUnfit(std::span<const DeviceRange> dynamic, Pool* out_stale);
  void Use(PooledGraph& graph, NativeStream stream, std::span<const DeviceRange> dynamic, GraphUse* use);

  Status Make(std::unique_lock<std::mutex>& lock, const GraphBindings& bindings, PooledGraph** out_graph);
  Status Instantiate(uint32_t width, const GraphBindings& bindings, std::unique_ptr<GraphInstance>* out_instance);
  Status PrepareUpdates();
  double Microseconds(const GraphUse& use) noexcept;

  StreamContext& context_;
  const GraphTemplate template_;

  std::mutex mutex_;  // see above
  WidthPolicy policy_;
  Pool pool_;
  size_t making_ = 0;      // graphs that are being made
  uint64_t acquired_ = 0;  // uses so far
  // The tables that were replaced by patches last. A table that comes again gets a graph of its own, while there is
  // room.
  std::array<HostVector<DeviceRange>, kMaxGraphs - 1> replaced_;
  size_t next_replaced_ = 0;

  std::mutex updates_mutex_;  // protects what follows until it is set; native calls are made under it
  void* updates_ = nullptr;   // pinned: the data of updates
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_SEGMENT_GRAPHS_H_
