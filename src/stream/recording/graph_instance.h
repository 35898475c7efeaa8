// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instantiated graph.
#ifndef HALYARD_STREAM_RECORDING_GRAPH_INSTANCE_H_
#define HALYARD_STREAM_RECORDING_GRAPH_INSTANCE_H_

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/host_slots.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_context.h"
#include "stream/recording/graph_plan.h"
#include "stream/recording/graph_template.h"

namespace halyard::stream {

/// A graph of a segment, ready to be launched. Launch() patches only what differs from the last execution.
///
/// A graph with indirect dispatches is launched again only when its last launch is done and CheckCounts() was called.
///
/// Everything is within a NativeScope.
class GraphInstance final : public HostObject {
 public:
  /// @param shape    outlives the instance
  /// @param updates  where the device finds the data of updates
  static Status Create(StreamContext& context, const GraphTemplate& shape, NativeAddress updates, uint32_t width,
                       const GraphBindings& bindings, std::unique_ptr<GraphInstance>* out_instance);
  /// No launch may be in flight.
  ~GraphInstance();
  /// The API is shut down, and the graph was destroyed with it.
  void Forget() noexcept {
    exec_ = nullptr;
    graph_ = nullptr;
    last_launch_ = nullptr;
    scratch_ = 0;
  }

  /// Chains that it was made for, and the nodes on its longest path.
  uint32_t width() const { return width_; }
  uint32_t depth() const { return depth_; }
  /// Whether it was patched as often as the API allows.
  bool worn_out() const { return worn_out_.load(std::memory_order_relaxed); }

  /// Patches and launches, in one critical section: any number of threads may launch it with different bindings.
  /// `before` is called in that section, right before the launch.
  /// @param is_own        whether the stream is the device's, not the application's; used where launches may overlap
  /// @param out_launched  false if the vendor refuses the patch: the graph is of no use for these bindings
  template <class Before>
  Status Launch(NativeStream stream, bool is_own, const GraphBindings& bindings, Before&& before, bool* out_launched) {
    const std::lock_guard lock(mutex_);
    *out_launched = false;
    for (IndirectNode& node : indirect_) node.ClearRejection();
    if (Status status = TryPatch(bindings, out_launched); status != kOk || !*out_launched) return status;
    HAL_TRY(UploadIfNeeded(stream));
    before();
    return LaunchInOrder(stream, is_own);
  }
  /// Once a launch is done: OUT_OF_RANGE if the counts of an indirect dispatch were beyond the device's limits.
  Status CheckCounts(const hal_device_limits_t& limits) const;

 private:
  using Nodes = std::span<const NativeGraphNode>;

  /// A node with an indirect dispatch.
  struct IndirectNode {
    size_t node = 0;
    NativeIndirectNode native;
    HostSlot rejection;  // RejectedCounts, of the last launch

    void ClearRejection() { std::memset(rejection.data(), 0, sizeof(RejectedCounts)); }
  };

  /// Whether the nodes of a graph wait for those that hazards name. Each is a chain by itself then.
  static bool UsesEdges(const NativeApi& api, const GraphSegment& segment);

  GraphInstance(StreamContext& context, const GraphTemplate& shape, NativeAddress updates, uint32_t width)
      : context_(context),
        api_(context.api()),
        template_(shape),
        updates_(updates),
        width_(width),
        uses_edges_(UsesEdges(api_, shape.segment())),
        chains_(uses_edges_ ? static_cast<uint32_t>(shape.node_count()) : width) {}

  Status Build(const GraphBindings& bindings);
  Status ReserveScratch();
  Status Describe(size_t node, const GraphBindings& bindings, NodeArguments* out) const;
  Status AddNode(size_t node, Nodes before, const GraphBindings& bindings, NativeGraphNode* out_node);
  Status AddIndirectNode(size_t node, Nodes before, const NodeArguments& arguments, NativeGraphNode* out_node);
  Status UploadIfNeeded(NativeStream stream);
  Status LaunchInOrder(NativeStream stream, bool is_own);
  Status TryPatch(const GraphBindings& bindings, bool* out_patched);
  Status Patch(const GraphBindings& bindings);
  Status PatchNode(size_t node, const GraphBindings& bindings);
  Status PatchIndirectNode(size_t node, const NodeArguments& arguments);

  StreamContext& context_;
  NativeApi& api_;
  const GraphTemplate& template_;
  const NativeAddress updates_;
  const uint32_t width_;
  const bool uses_edges_;
  const uint32_t chains_;  // that share scratch memory
  uint32_t depth_ = 0;
  std::atomic<bool> worn_out_ = false;    // set under mutex_
  NativeGraph graph_ = nullptr;           // patches name its nodes
  HostVector<NativeGraphNode> nodes_;     // node → the graph's; of an indirect dispatch the launch
  HostVector<IndirectNode> indirect_;     // by rising node
  NativeAddress scratch_ = 0;             // memory of the nodes; launches come one after the other
  HostVector<uint64_t> scratch_offsets_;  // chain → where its part begins; empty without any

  std::mutex mutex_;  // protects what follows; native calls are made under it
  NativeGraphExec exec_ = nullptr;
  HostVector<DeviceRange> dynamic_;  // what the nodes were made or patched for
  HostVector<std::byte> numbers_;    // the same
  uint64_t patches_ = 0;             // of nodes
  bool torn_ = false;                // a patch failed: some nodes may differ from dynamic_ and numbers_
  bool uploaded_ = false;            // as it is now; of one with indirect dispatches
  // Where the API lets launches overlap:
  NativeEvent last_launch_ = nullptr;   // recorded after it
  NativeStream last_stream_ = nullptr;  // of the device; NULL if the application's
  bool launched_ = false;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_GRAPH_INSTANCE_H_
