// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: operations with dependencies, recorded once and launched often.
#ifndef HALYARD_TESTS_SIM_ENGINE_GRAPH_H_
#define HALYARD_TESTS_SIM_ENGINE_GRAPH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/completion.h"
#include "engine/event.h"
#include "engine/stream.h"
#include "engine/work.h"

namespace halyard::sim {

enum class NodeKind { kKernel, kCopy, kFill, kHostFunction, kEmpty, kRecordEvent, kWaitForEvent };

struct Graph;

// What the device may change of a kernel node that is device-updatable. There is one executable graph of its graph at
// most, whose launches run one after the other. Nothing runs before an upload has brought the host's parameters.
struct DeviceNode {
  // As the functions that kernels call: kInvalidValue, and no change, if a dimension is 0 or too large.
  Error SetGrid(const std::array<uint32_t, 3>& wanted);

  bool enabled = false;
  std::array<uint32_t, 3> grid = {0, 0, 0};
  std::array<uint32_t, 3> most = {0, 0, 0};  // the device's limits
};

struct Node {
  Graph* graph = nullptr;
  NodeKind kind = NodeKind::kEmpty;
  std::shared_ptr<const Work> work;
  std::shared_ptr<Event> event;  // of those that record or wait
  std::vector<std::shared_ptr<Node>> dependencies;
  std::shared_ptr<DeviceNode> device;  // of those that are device-updatable
};

struct Graph {
  Graph() = default;
  // Of a long chain each node would otherwise end inside the one that comes after it, on a stack too small for that.
  ~Graph() {
    for (const auto& node : nodes) node->dependencies.clear();
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::vector<std::shared_ptr<Node>> nodes;
  bool instantiated = false;
};

// How many nodes can surely run side by side: those that the same number of nodes must come before.
size_t WidthOf(const Graph& graph);
// Whether the device may change some node.
bool IsUpdatable(const Graph& graph);

// Adds a node; the dependencies must be nodes of the graph.
std::shared_ptr<Node> AddNode(Graph& graph, NodeKind kind, Work work, std::vector<std::shared_ptr<Node>> dependencies);

// A graph ready to run. The nodes are copies; a patch replaces what one does from the next launch on.
class GraphExec : public Needed {
 public:
  struct Step {
    NodeKind kind;
    std::shared_ptr<const Work> work;
    std::shared_ptr<Event> event;
    std::vector<size_t> next;  // steps that depend on this one
    size_t dependencies = 0;
    bool enabled = true;
    std::shared_ptr<DeviceNode> device;    // of a device-updatable node
    std::shared_ptr<Completion> recorded;  // of a launch: what a step that records an event finishes
  };

  // Null if the dependencies form a cycle.
  static std::shared_ptr<GraphExec> Make(const Graph& graph);

  // The copy of a node; null if the graph did not have it then.
  Step* Find(const Node* node);
  // Brings what the host has set of device-updatable nodes to the device, after earlier launches.
  void Upload(Stream& stream, const std::shared_ptr<GraphExec>& self);
  // The host has set something of a step.
  void Patched(const Step& step) { uploaded_ = uploaded_ && step.device == nullptr; }
  // A patch of a kernel is about to keep memory of the device, if the rules say so. kOutOfMemory.
  Error KeepPatch(Device& device);
  // The memory of all patches is free again.
  void FreePatches();
  // How many nodes can surely run side by side.
  size_t width() const { return width_; }
  // Whether the device knows all that the host has set.
  bool uploaded() const { return uploaded_; }
  // Runs it once what was submitted before is done, earlier launches of itself included.
  void Launch(Stream& stream, const std::shared_ptr<GraphExec>& self);

 private:
  friend class ExclusiveUse;

  std::vector<Step> steps_;
  std::unordered_map<const Node*, size_t> places_;
  std::shared_ptr<Completion> last_;  // of the last launch or upload
  bool uploaded_ = true;
  size_t width_ = 0;
  Device* patched_ = nullptr;  // whose memory patches keep
  size_t patch_bytes_ = 0;
  std::atomic<std::thread::id> user_{};
};

// Holds that no two threads call something with one executable graph at the same time. Taken without the runtime's lock
// and kept for a random while, so that an overlap is likely to be seen.
class ExclusiveUse {
 public:
  explicit ExclusiveUse(std::shared_ptr<GraphExec> exec);
  ExclusiveUse(const ExclusiveUse&) = delete;
  ExclusiveUse& operator=(const ExclusiveUse&) = delete;
  ~ExclusiveUse();

 private:
  std::shared_ptr<GraphExec> exec_;
  bool owner_ = false;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_GRAPH_H_
