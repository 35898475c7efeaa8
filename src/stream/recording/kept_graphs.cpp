// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/kept_graphs.h"

#include <algorithm>
#include <utility>

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/command_order.h"
#include "stream/recording/command_arguments.h"
#include "stream/recording/graph_builder.h"
#include "stream/recording/graph_plan.h"
#include "stream/recording/stream_executable.h"

namespace halyard::stream {
namespace {

// Chains of a graph. Eight use up the rate at which a device starts nodes, and a launch of more costs the host time;
// see graph_width.h. Nothing is measured here.
constexpr uint32_t kWidth = 8;
// A graph that was not used for so many lists makes room for another one. With fewer, shapes in turn of which there are
// too many would take each other's places.
constexpr uint64_t kStale = 1024;
// Places where a shape may be, from its hash on.
constexpr uint64_t kPlaces = 4;

// Scratch memory belongs to one execution, and attributes of a launch cannot be patched.
bool CanBeKept(const hal_command_t& command) {
  if (IsIndirectDispatch(command)) return false;
  const hal_command_dispatch_t& dispatch = command.u.dispatch;
  const StreamExport& kernel = static_cast<const StreamExecutable*>(dispatch.executable)->Export(dispatch.ordinal);
  return !kernel.rules.any() && !kernel.takes_scratch && !kernel.takes_tensor_maps;
}

const hal_command_dispatch_t& DispatchOf(const LaunchGraph::Dispatches& dispatches, size_t node) {
  return dispatches.commands[dispatches.indices[node]].u.dispatch;
}

Status Resolve(const LaunchGraph::Dispatches& dispatches, size_t node, DispatchArguments* out) {
  const hal_command_dispatch_t& dispatch = DispatchOf(dispatches, node);
  return out->Resolve(dispatch, dispatches.table, dispatch.params->workgroup_count);
}

}  // namespace

void LaunchShape::Clear() {
  nodes.clear();
  hash = 0;
}

void LaunchShape::Add(const ShapeNode& node) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  nodes.push_back(node);
  hash = (hash ^ reinterpret_cast<uintptr_t>(node.executable)) * kMultiplier;
  hash = (hash ^ (uint64_t{node.ordinal} << 32 | node.after)) * kMultiplier;
  hash ^= hash >> 32;
}

bool LaunchShape::Uses(const StreamExecutable& executable) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const ShapeNode& n) { return n.executable == &executable; });
}

LaunchGraph::~LaunchGraph() {
  if (exec_) api_.DestroyGraphExec(exec_);
  if (graph_) api_.DestroyGraph(graph_);
}

Status LaunchGraph::Build(const LaunchShape& shape, const Dispatches& dispatches) {
  HostVector<uint32_t> after;
  for (const ShapeNode& node : shape.nodes) after.push_back(node.after);
  nodes_.resize(after.size());
  HAL_TRY(Noted(api_.CreateGraph(&graph_)));
  const GraphPlan plan = PlanGraph(after, std::min(kWidth, api_.traits().max_graph_chains));
  const auto add_node = [&](size_t node, std::span<const NativeGraphNode> before, NativeGraphNode* out_made) {
    return AddNode(node, before, dispatches, out_made);
  };
  const auto add_join = [&](std::span<const NativeGraphNode> before, NativeGraphNode* out_made) {
    return Noted(api_.AddJoin(graph_, before, out_made));
  };
  HAL_TRY(AddVertices(plan, add_node, add_join));
  key_offsets_.push_back(keys_.size());
  return Noted(api_.InstantiateGraph(graph_, &exec_));
}

// Nodes are added in the order of the commands.
Status LaunchGraph::AddNode(size_t node, std::span<const NativeGraphNode> before, const Dispatches& dispatches,
                            NativeGraphNode* out_made) {
  DispatchArguments arguments;
  HAL_TRY(Resolve(dispatches, node, &arguments));
  key_offsets_.push_back(keys_.size());
  arguments.AppendKey(*DispatchOf(dispatches, node).params, &keys_);
  const Status status = Noted(api_.AddLaunch(graph_, before, arguments.launch(), out_made));
  nodes_[node] = *out_made;
  return status;
}

Status LaunchGraph::Patch(const Dispatches& dispatches) {
  DispatchArguments arguments;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    HAL_TRY(Resolve(dispatches, node, &arguments));
    candidate_.clear();
    arguments.AppendKey(*DispatchOf(dispatches, node).params, &candidate_);
    const std::span<std::byte> key =
        std::span(keys_).subspan(key_offsets_[node], key_offsets_[node + 1] - key_offsets_[node]);
    if (std::ranges::equal(key, candidate_)) continue;
    // An unvalidated recording may have another number of constants or bindings than the one before.
    if (key.size() != candidate_.size()) return FailWith(HAL_STATUS_INTERNAL, "a dispatch has other arguments");
    HAL_TRY(Noted(api_.PatchLaunch(exec_, nodes_[node], arguments.launch())));
    std::ranges::copy(candidate_, key.begin());
  }
  return kOk;
}

Status LaneGraphs::Run(NativeStream stream, const Part& part, Outcome* out) {
  const std::lock_guard lock(mutex_);
  try {
    out->end = Scan(part.commands, part.begin);
  } catch (const std::bad_alloc&) {  // the stream needs no memory for it
    indices_.clear();
  }
  if (indices_.empty() || indices_.size() < part.min_nodes) return kOk;
  ++uses_;
  Entry* const entry = FindOrRemember();
  if (!entry) return kOk;
  bool ready = false;
  HAL_TRY(Prepare(*entry, {part.commands, indices_, part.table}, &ready));
  if (!ready) return kOk;
  entry->epoch = epoch_;
  out->launched = true;
  const Status status = entry->graph->Launch(stream);
  entry->refused = status != kOk;
  return status;
}

// Events end a list as well: the stream's order is enough for them.
size_t LaneGraphs::Scan(CommandList commands, size_t begin) {
  scanned_.Clear();
  indices_.clear();
  uint32_t after = 0;
  size_t i = begin;
  for (; i < commands.size() && indices_.size() < kMaxNodes / 2; ++i) {
    const hal_command_t& command = commands[i];
    if (command.type == HAL_COMMAND_TYPE_BARRIER) {
      after = static_cast<uint32_t>(indices_.size());
    } else if (command.type == HAL_COMMAND_TYPE_DISPATCH) {
      if (!CanBeKept(command)) break;
      if (RunsNothing(command)) continue;
      const hal_command_dispatch_t& dispatch = command.u.dispatch;
      scanned_.Add({static_cast<const StreamExecutable*>(dispatch.executable), dispatch.ordinal, after});
      indices_.push_back(static_cast<uint32_t>(i));
    } else if (command.type != HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP && command.type != HAL_COMMAND_TYPE_END_DEBUG_GROUP) {
      break;
    }
  }
  return i;
}

bool LaneGraphs::IsStale(const Entry& entry) const { return uses_ - entry.last_use >= kStale; }

// NULL if it is new, or has no place. A place without a graph is taken before one with a graph, the oldest first.
LaneGraphs::Entry* LaneGraphs::FindOrRemember() {
  Entry* place = nullptr;
  for (uint64_t i = 0; i < kPlaces; ++i) {
    Entry& entry = entries_[(scanned_.hash + i) % kEntries];
    if (entry.shape == scanned_) {
      entry.last_use = uses_;
      return &entry;
    }
    const bool is_free = !entry.graph || (IsStale(entry) && IsIdle(entry));
    const auto rank = [](const Entry& each) { return std::pair(each.graph != nullptr, each.last_use); };
    if (is_free && (!place || rank(entry) < rank(*place))) place = &entry;
  }
  if (!place) return nullptr;
  place->graph.reset();
  place->refused = false;
  place->last_use = uses_;
  std::swap(place->shape, scanned_);  // which keeps the memory of both
  return nullptr;
}

// What fails here, the stream does again, and says so if it fails there as well.
Status LaneGraphs::Prepare(Entry& entry, const LaunchGraph::Dispatches& dispatches, bool* out_ready) {
  if (entry.refused && IsIdle(entry)) entry.graph.reset();
  if (entry.refused) return kOk;
  if (!entry.graph && !MakeRoom(indices_.size())) return kOk;
  Failure failure(Guard([&] {
    if (entry.graph) {
      const Status patched = entry.graph->Patch(dispatches);
      entry.refused = !entry.graph->intact();
      return patched;
    }
    auto made = std::make_unique<LaunchGraph>(context_.api());
    const Status built = made->Build(entry.shape, dispatches);
    entry.refused = !made->intact();
    if (built == kOk) entry.graph = std::move(made);
    return built;
  }));
  *out_ready = !failure;
  return failure.code() == HAL_STATUS_DEVICE_LOST ? failure.Take() : kOk;
}

// Whether a graph of so many nodes may be made.
bool LaneGraphs::MakeRoom(size_t nodes) {
  while (true) {
    size_t graphs = 0;
    size_t held = 0;
    Entry* oldest = nullptr;
    for (Entry& entry : entries_) {
      if (!entry.graph) continue;
      ++graphs;
      held += entry.shape.nodes.size();
      if (!oldest || entry.last_use < oldest->last_use) oldest = &entry;
    }
    if (graphs < kMaxGraphs && held + nodes <= kMaxNodes) return true;
    if (!oldest || !IsStale(*oldest) || !IsIdle(*oldest)) return false;
    oldest->graph.reset();
  }
}

void LaneGraphs::Forget(const StreamExecutable& executable) noexcept {
  Free([&](const Entry& entry) { return entry.shape.Uses(executable); });
}

void LaneGraphs::Trim() noexcept {
  Free([this](const Entry& entry) { return IsIdle(entry); });
}

template <class IsGone>
void LaneGraphs::Free(const IsGone& is_gone) noexcept {
  const std::lock_guard lock(mutex_);
  if (uses_ == 0) return;
  const NativeScope scope(context_.api());
  for (Entry& entry : entries_) {
    if (entry.shape.nodes.empty() || !is_gone(entry)) continue;
    if (!scope.entered() && entry.graph) entry.graph->Abandon();
    entry = {};
  }
  if (scanned_.nodes.capacity() > kMaxNodes / 8) scanned_ = {};
}

KeptGraphs::KeptGraphs(StreamContext& context, size_t lanes) : counts_submitters_(context.keeps_graphs()) {
  for (uint32_t lane = 0; lane < lanes; ++lane) lanes_.push_back(std::make_unique<LaneGraphs>(context, lane));
  context.set_kept_graphs(this);
}

}  // namespace halyard::stream
