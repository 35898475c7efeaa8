// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps graphs for dispatches without graphs of their own, and reuses them for dispatches of the same shape.
#ifndef HALYARD_STREAM_RECORDING_KEPT_GRAPHS_H_
#define HALYARD_STREAM_RECORDING_KEPT_GRAPHS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "driver_kit/queue/recorded_commands.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_context.h"
#include "submission/queue_point.h"

namespace halyard::stream {

class StreamExecutable;

/// One dispatch of a list of dispatches: the part that cannot be patched.
struct ShapeNode {
  const StreamExecutable* executable = nullptr;
  uint32_t ordinal = 0;
  uint32_t after = 0;  ///< how many nodes it must run after, as PlanGraph() takes it

  bool operator==(const ShapeNode&) const = default;
};

/// The kernels of a list of dispatches, and their order. Lists of the same shape can use one graph.
struct LaunchShape {
  HostVector<ShapeNode> nodes;
  uint64_t hash = 0;

  void Clear();
  void Add(const ShapeNode& node);
  bool Uses(const StreamExecutable& executable) const;
  bool operator==(const LaunchShape& other) const { return hash == other.hash && nodes == other.nodes; }
};

/// A graph of dispatches, whose sizes, constants and buffers are patched for each launch. All of its launches go into
/// one stream, which keeps them apart. Everything is within a NativeScope.
class LaunchGraph final : public HostObject {
 public:
  /// The dispatches of one execution: commands[indices[node]].
  struct Dispatches {
    CommandList commands;
    std::span<const uint32_t> indices;
    BindingTable table;
  };

  explicit LaunchGraph(NativeApi& api) : api_(api) {}
  /// No launch may be in flight.
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  Status Build(const LaunchShape& shape, const Dispatches& dispatches);
  /// Patches what differs from the last launch. After a failure the graph must be patched before it is launched again.
  Status Patch(const Dispatches& dispatches);
  /// False once the vendor has refused something: the graph is of no use any more.
  bool intact() const { return intact_; }
  Status Launch(NativeStream stream) { return api_.LaunchGraph(exec_, stream); }
  /// The API is shut down, and the graph was destroyed with it.
  void Abandon() noexcept {
    exec_ = nullptr;
    graph_ = nullptr;
  }

 private:
  Status AddNode(size_t node, std::span<const NativeGraphNode> before, const Dispatches& dispatches,
                 NativeGraphNode* out_made);
  /// Notes what a native call has returned.
  Status Noted(Status status) {
    intact_ &= status == kOk;
    return status;
  }

  NativeApi& api_;
  bool intact_ = true;
  NativeGraph graph_ = nullptr;  // patches name its nodes
  NativeGraphExec exec_ = nullptr;
  HostVector<NativeGraphNode> nodes_;
  HostVector<std::byte> keys_;       // of each node, one after the other: what it was made or patched for
  HostVector<size_t> key_offsets_;   // where each begins, and the end
  HostVector<std::byte> candidate_;  // of the node that Patch() checks
};

/// The graphs of one lane.
///
/// For the second list of a shape, the lane makes a graph, which takes as long as launching the list once more. For
/// later lists it patches that graph. So a shape that comes once costs nothing, and a frequent shape takes a fraction
/// of the time. A single dispatch is a list too.
///
/// `mutex_` protects everything; native calls are made under it. It is taken with the lane's mutex held, or with none;
/// it is a leaf.
class LaneGraphs final : public HostObject {
 public:
  /// The commands of one execution from `begin` on.
  struct Part {
    CommandList commands;
    size_t begin = 0;
    BindingTable table;
    size_t min_nodes = 1;  ///< fewer dispatches are the stream's
  };
  /// The result of Run().
  struct Outcome {
    bool launched = false;  ///< `end` is the first command after the graph
    size_t end = 0;         ///< where the dispatches ended; no use in another Run() before it
  };

  /// The most graphs that a lane keeps, and their nodes together. CUDA takes about 120 KiB of device memory for a small
  /// graph, and 3 to 4 KiB for each node of a large one.
  static constexpr size_t kMaxGraphs = 32;
  static constexpr size_t kMaxNodes = 8192;

  LaneGraphs(StreamContext& context, uint32_t lane) : context_(context), lane_(lane) {}
  /// Within a NativeScope, with nothing in flight.
  ~LaneGraphs() = default;
  LaneGraphs(const LaneGraphs&) = delete;
  LaneGraphs& operator=(const LaneGraphs&) = delete;

  /// The calls of Run() that follow belong to this submission of the lane.
  void BeginSubmission(uint64_t epoch) { epoch_ = epoch; }
  /// Launches the contiguous dispatches at the beginning as a graph, if one exists or is worth making. If that fails,
  /// the caller can put them into the stream. Within a NativeScope, with the lane's mutex.
  /// @return a failure of the launch itself, and DEVICE_LOST
  Status Run(NativeStream stream, const Part& part, Outcome* out);

  /// An executable is being destroyed. No submission in flight uses it.
  void Forget(const StreamExecutable& executable) noexcept;
  /// Frees the graphs that are not in use.
  void Trim() noexcept;

 private:
  struct Entry {
    LaunchShape shape;
    std::unique_ptr<LaunchGraph> graph;  // NULL until the shape comes again
    bool refused = false;                // the vendor could not make, patch or launch it
    uint64_t epoch = 0;                  // of its last launch
    uint64_t last_use = 0;               // in uses_; 0 for never
  };

  static constexpr size_t kEntries = 2 * kMaxGraphs;

  size_t Scan(CommandList commands, size_t begin);
  Entry* FindOrRemember();
  Status Prepare(Entry& entry, const LaunchGraph::Dispatches& dispatches, bool* out_ready);
  bool MakeRoom(size_t nodes);
  bool IsIdle(const Entry& entry) const { return !entry.graph || context_.IsCompleted({lane_, entry.epoch}); }
  bool IsStale(const Entry& entry) const;
  template <class IsGone>
  void Free(const IsGone& is_gone) noexcept;

  StreamContext& context_;
  const uint32_t lane_;
  uint64_t epoch_ = 0;  // used with the lane's mutex

  std::mutex mutex_;                     // protects what follows
  std::array<Entry, kEntries> entries_;  // a shape's is near its hash modulo their number
  uint64_t uses_ = 0;                    // calls of Run() with dispatches
  LaunchShape scanned_;                  // of the dispatches that Run() scans
  HostVector<uint32_t> indices_;         // the same: node → its command
};

/// The LaneGraphs of all lanes of a device.
class KeptGraphs final : public HostObject {
 public:
  KeptGraphs(StreamContext& context, size_t lanes);

  /// A thread that hands work to a lane. CUDA lets threads launch kernels in parallel, but not graphs. So a thread that
  /// is not alone launches a graph only in place of four kernels or more.
  class Submitter {
   public:
    explicit Submitter(KeptGraphs& graphs)
        : graphs_(graphs),
          is_alone_(!graphs.counts_submitters_ || graphs.submitters_.fetch_add(1, std::memory_order_relaxed) == 0) {}
    ~Submitter() {
      if (graphs_.counts_submitters_) graphs_.submitters_.fetch_sub(1, std::memory_order_relaxed);
    }
    Submitter(const Submitter&) = delete;
    Submitter& operator=(const Submitter&) = delete;
    size_t min_nodes() const { return is_alone_ ? 1 : 4; }

   private:
    KeptGraphs& graphs_;
    const bool is_alone_;
  };

  LaneGraphs& OfLane(size_t lane) { return *lanes_[lane]; }
  void Forget(const StreamExecutable& executable) noexcept {
    for (const auto& lane : lanes_) lane->Forget(executable);
  }
  void Trim() noexcept {
    for (const auto& lane : lanes_) lane->Trim();
  }

 private:
  HostVector<std::unique_ptr<LaneGraphs>> lanes_;
  const bool counts_submitters_;  // false where no graphs are kept
  std::atomic<uint32_t> submitters_{0};
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_KEPT_GRAPHS_H_
