// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/segment_graphs.h"

#include <algorithm>
#include <utility>

#include "driver_kit/object/vtable.h"
#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
namespace {

// Workgroups of a usual size that one compute unit runs at the same time.
constexpr uint32_t kWorkgroupsPerUnit = 16;

GraphShape ShapeOf(const NativeApi& api, const GraphTemplate& recorded) {
  const NativeTraits& traits = api.traits();
  const GraphSegment& segment = recorded.segment();
  const uint32_t widest = segment.edges.empty() ? WidestPart(segment.after) : 1;  // edges are no chains
  return {widest, recorded.workgroups(), traits.compute_units * kWorkgroupsPerUnit, traits.max_graph_chains};
}

}  // namespace

SegmentGraphs::SegmentGraphs(StreamContext& context, CommandList commands, GraphSegment segment)
    : context_(context), template_(commands, std::move(segment)), policy_(ShapeOf(context.api(), template_)) {}

SegmentGraphs::~SegmentGraphs() {
  if (pool_.empty() && !updates_) return;
  const NativeScope scope(context_.api());
  if (!scope.entered()) {
    for (const std::unique_ptr<PooledGraph>& graph : pool_) graph->instance->Forget();
    return;
  }
  pool_.clear();
  if (updates_) context_.memory().ReturnHost(updates_, template_.update_size());
}

Status SegmentGraphs::Acquire(NativeStream stream, const GraphBindings& bindings, GraphUse* use) {
  if (!template_.HoldsCounts(bindings.commands)) return kOk;
  Pool stale;  // destroyed without the lock
  std::unique_lock lock(mutex_);
  TakeOutStale(&stale);
  PooledGraph* graph = FindMatching(stream, bindings.dynamic);
  if (!graph) {
    bool holds = false;
    if (Status status = template_.Holds(bindings.table, &holds); status != kOk || !holds) return status;
    if (!ComesAgain(bindings.dynamic) || !HasRoom()) graph = FindIdle(bindings.dynamic);
  }
  if (!graph && !HasRoom()) TakeOutUnfit(bindings.dynamic, &stale);
  if (!graph && HasRoom()) HAL_TRY(Make(lock, bindings, &graph));
  if (!graph) graph = FindShared(stream, bindings.dynamic);
  // With none, every graph is busy, and for memory of another kind or not shareable: the stream can do it as well.
  if (graph) Use(*graph, stream, bindings.dynamic, use);
  return kOk;
}

// One that will not have to be patched, and that the device runs in this order anyway, or at once.
PooledGraph* SegmentGraphs::FindMatching(NativeStream stream, std::span<const DeviceRange> dynamic) const {
  for (const std::unique_ptr<PooledGraph>& graph : pool_) {
    if (graph->users != 0 && (graph->stream != stream || !IsShareable())) continue;
    if (IsCurrent(*graph) && std::equal(dynamic.begin(), dynamic.end(), graph->dynamic.begin())) return graph.get();
  }
  return nullptr;
}

// The one whose last use is longest ago: another table than its own is likelier to come back soon.
PooledGraph* SegmentGraphs::FindIdle(std::span<const DeviceRange> dynamic) const {
  PooledGraph* found = nullptr;
  for (const std::unique_ptr<PooledGraph>& graph : pool_) {
    if (graph->users != 0 || !IsCurrent(*graph) || !CanBePatched(*graph, dynamic)) continue;
    if (!found || graph->acquired < found->acquired) found = graph.get();
  }
  return found;
}

// One that works already: best in this stream, whose order keeps the two apart without making anyone wait.
PooledGraph* SegmentGraphs::FindShared(NativeStream stream, std::span<const DeviceRange> dynamic) const {
  PooledGraph* found = nullptr;
  if (!IsShareable()) return nullptr;
  for (const std::unique_ptr<PooledGraph>& graph : pool_) {
    if (!IsCurrent(*graph) || !CanBePatched(*graph, dynamic)) continue;
    const auto rank = [stream](const PooledGraph& each) { return std::pair(each.stream != stream, each.users); };
    if (!found || rank(*graph) < rank(*found)) found = graph.get();
  }
  return found;
}

bool SegmentGraphs::HasRoom() const {
  const auto current = std::count_if(pool_.begin(), pool_.end(),
                                     [this](const std::unique_ptr<PooledGraph>& graph) { return IsCurrent(*graph); });
  return static_cast<size_t>(current) + making_ < kMaxGraphs;
}

bool SegmentGraphs::ComesAgain(std::span<const DeviceRange> dynamic) const {
  return std::any_of(replaced_.begin(), replaced_.end(),
                     [&](const HostVector<DeviceRange>& table) { return std::ranges::equal(table, dynamic); });
}

void SegmentGraphs::TakeOutStale(Pool* out_stale) {
  const auto is_stale = [&](const std::unique_ptr<PooledGraph>& graph) {
    return graph->users == 0 && !IsCurrent(*graph);
  };
  if (std::none_of(pool_.begin(), pool_.end(), is_stale)) return;
  out_stale->reserve(pool_.size());  // nothing may be thrown half-way
  std::erase_if(pool_, [&](std::unique_ptr<PooledGraph>& graph) {
    if (!is_stale(graph)) return false;
    out_stale->push_back(std::move(graph));
    return true;
  });
}

void SegmentGraphs::TakeOutUnfit(std::span<const DeviceRange> dynamic, Pool* out_stale) {
  const auto unfit = std::find_if(pool_.begin(), pool_.end(), [&](const std::unique_ptr<PooledGraph>& graph) {
    return graph->users == 0 && !CanBePatched(*graph, dynamic);
  });
  if (unfit == pool_.end()) return;
  out_stale->push_back(std::move(*unfit));
  pool_.erase(unfit);
}

void SegmentGraphs::Use(PooledGraph& graph, NativeStream stream, std::span<const DeviceRange> dynamic, GraphUse* use) {
  if (!std::ranges::equal(graph.dynamic, dynamic)) {
    replaced_[next_replaced_].swap(graph.dynamic);
    next_replaced_ = (next_replaced_ + 1) % replaced_.size();
    graph.dynamic.assign(dynamic.begin(), dynamic.end());
  }
  graph.stream = stream;
  graph.acquired = ++acquired_;
  ++graph.users;
  use->graph = &graph;
  use->measured = policy_.WantsTimes() && !graph.fresh;
  graph.fresh = false;
}

// Making takes time, and the lock is not held meanwhile.
Status SegmentGraphs::Make(std::unique_lock<std::mutex>& lock, const GraphBindings& bindings, PooledGraph** out_graph) {
  pool_.reserve(pool_.size() + kMaxGraphs);
  ++making_;
  const uint32_t width = policy_.width();
  lock.unlock();
  auto graph = std::unique_ptr<PooledGraph>();
  const Status status = Guard([&] {
    graph = std::make_unique<PooledGraph>();
    graph->dynamic.assign(bindings.dynamic.begin(), bindings.dynamic.end());
    return Instantiate(width, bindings, &graph->instance);
  });
  lock.lock();
  --making_;
  if (status != kOk) return status;
  *out_graph = graph.get();
  pool_.push_back(std::move(graph));
  return kOk;
}

Status SegmentGraphs::Instantiate(uint32_t width, const GraphBindings& bindings,
                                  std::unique_ptr<GraphInstance>* out_instance) {
  HAL_TRY(PrepareUpdates());
  const auto updates = static_cast<NativeAddress>(reinterpret_cast<uintptr_t>(updates_));
  return GraphInstance::Create(context_, template_, updates, width, bindings, out_instance);
}

Status SegmentGraphs::PrepareUpdates() {
  const std::lock_guard lock(updates_mutex_);
  if (updates_ || template_.update_size() == 0) return kOk;
  HAL_TRY(context_.memory().BorrowHost(template_.update_size(), &updates_));
  template_.WriteUpdates(updates_);
  return kOk;
}

Status SegmentGraphs::Launch(NativeStream stream, const GraphBindings& bindings, GraphUse& use, bool* out_launched) {
  const auto record = [&](DeviceEventRef* out) {
    DeviceEventRef event;
    if (!Succeeds(Guard([&] { return context_.timed_events().Acquire(&event); }))) return;
    if (Succeeds(context_.api().RecordEvent(event.native(), stream))) *out = std::move(event);
  };
  const auto before = [&] {
    if (use.measured) record(&use.start);
  };
  // Looked up only where it matters, as this is on the path of every launch.
  const bool is_own = !context_.api().traits().graph_launches_overlap || context_.Owns(stream);
  const Status status = use.graph->instance->Launch(stream, is_own, bindings, before, out_launched);
  if (status != kOk) return status;
  if (use.start) record(&use.end);
  if (*out_launched && !use.graph->instance->worn_out()) return kOk;
  const std::lock_guard lock(mutex_);
  use.graph->retired = true;  // the next execution makes a graph for what it has
  return kOk;
}

Status SegmentGraphs::CheckCounts(const GraphUse& use) const {
  if (!use.graph || !segment().indirect) return kOk;
  return use.graph->instance->CheckCounts(context_.limits());
}

void SegmentGraphs::Release(GraphUse& use) noexcept {
  if (!use.graph) return;
  const double microseconds = Microseconds(use);
  const std::lock_guard lock(mutex_);
  const GraphInstance& instance = *use.graph->instance;
  if (microseconds > 0) policy_.AddTime(instance.width(), instance.depth(), microseconds);
  --use.graph->users;
  use.graph = nullptr;
}

double SegmentGraphs::Microseconds(const GraphUse& use) noexcept {
  if (!use.end) return 0;
  const NativeScope scope(context_.api());
  float milliseconds = 0;
  if (!scope.entered()) return 0;
  if (!Succeeds(context_.api().EventMilliseconds(use.start.native(), use.end.native(), &milliseconds))) return 0;
  return double{1e3} * milliseconds;
}

}  // namespace halyard::stream
