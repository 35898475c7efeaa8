// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_instance.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "driver_kit/device/limit_checks.h"
#include "stream/memory/stream_memory.h"
#include "stream/recording/graph_builder.h"

namespace halyard::stream {
namespace {

HostString NameOf(const GraphTemplate& shape, size_t node) {
  char text[48];
  std::snprintf(text, sizeof(text), "command %u as a node of a graph: ", shape.segment().commands[node]);
  return text;
}

static_assert(sizeof(RejectedCounts) <= HostSlot::kSize && std::is_trivially_copyable_v<RejectedCounts>);

Status FailRejected(const hal_device_limits_t& limits, const RejectedCounts& rejected) {
  HAL_TRY(CheckWorkgroupCount(limits, rejected.counts));
  const auto& [x, y, z] = rejected.counts;
  return Fail(HAL_STATUS_INTERNAL, "the device cannot set a grid of %ux%ux%u, error %u", x, y, z, rejected.code - 1);
}

}  // namespace

// Chains have more nodes in order than hazards ask for, but some APIs run only so many nodes at once.
bool GraphInstance::UsesEdges(const NativeApi& api, const GraphSegment& segment) {
  return !segment.edges.empty() && api.traits().max_graph_chains == UINT32_MAX;
}

Status GraphInstance::Create(StreamContext& context, const GraphTemplate& shape, NativeAddress updates, uint32_t width,
                             const GraphBindings& bindings, std::unique_ptr<GraphInstance>* out_instance) {
  std::unique_ptr<GraphInstance> instance(new GraphInstance(context, shape, updates, width));
  HAL_TRY(instance->Build(bindings));
  *out_instance = std::move(instance);
  return kOk;
}

GraphInstance::~GraphInstance() {
  if (exec_) api_.DestroyGraphExec(exec_);
  if (graph_) api_.DestroyGraph(graph_);
  if (last_launch_) api_.DestroyEvent(last_launch_);
  if (scratch_ != 0) context_.memory().ReturnDevice(scratch_);
}

Status GraphInstance::Build(const GraphBindings& bindings) {
  const GraphSegment& segment = template_.segment();
  const GraphPlan plan = uses_edges_ ? PlanGraph(segment.edges, segment.barriers) : PlanGraph(segment.after, width_);
  depth_ = plan.depth;
  dynamic_.assign(bindings.dynamic.begin(), bindings.dynamic.end());
  numbers_.assign(bindings.numbers.begin(), bindings.numbers.end());
  nodes_.resize(template_.node_count());
  HAL_TRY(ReserveScratch());
  HAL_TRY(api_.CreateGraph(&graph_));
  const auto add_node = [&](uint32_t node, Nodes before, NativeGraphNode* out_made) {
    const Failure failure(AddNode(node, before, bindings, out_made));
    nodes_[node] = *out_made;
    return failure ? Annotate(failure, NameOf(template_, node)) : kOk;
  };
  const auto add_join = [&](Nodes before, NativeGraphNode* out_made) { return api_.AddJoin(graph_, before, out_made); };
  HAL_TRY(AddVertices(plan, add_node, add_join));
  if (api_.traits().graph_launches_overlap) HAL_TRY(api_.CreateEvent(NativeEventKind::kOrder, &last_launch_));
  return api_.InstantiateGraph(graph_, &exec_);
}

// Nodes of one chain use the same memory, one after the other.
Status GraphInstance::ReserveScratch() {
  const auto count = static_cast<uint32_t>(template_.node_count());
  HostVector<uint64_t> needed(std::min(std::max(chains_, 1u), count));  // [chain] bytes
  for (uint32_t node = 0; node < count; ++node) {
    uint64_t bytes = 0;
    if (Failure failure(template_.ScratchSize(node, &bytes)); failure) {
      return Annotate(failure, NameOf(template_, node));
    }
    uint64_t& most = needed[ChainOf(node, chains_)];
    most = std::max(most, bytes);
  }
  uint64_t total = 0;
  for (uint64_t& bytes : needed) total += std::exchange(bytes, total);
  if (total == 0) return kOk;
  scratch_offsets_ = std::move(needed);
  return Annotate(context_.memory().BorrowDevice(total, &scratch_), "scratch memory of a graph: ");
}

Status GraphInstance::Describe(size_t node, const GraphBindings& bindings, NodeArguments* out) const {
  HAL_TRY(template_.Describe(node, bindings, updates_, out));
  if (out->launches() && out->launch.scratch_size() != 0) {
    out->launch.SetScratch(scratch_ + scratch_offsets_[ChainOf(static_cast<uint32_t>(node), chains_)]);
  }
  return kOk;
}

Status GraphInstance::AddNode(size_t node, Nodes before, const GraphBindings& bindings, NativeGraphNode* out_node) {
  NodeArguments arguments;
  HAL_TRY(Describe(node, bindings, &arguments));
  switch (arguments.kind) {
    case NodeArguments::Kind::kLaunch:
      return api_.AddLaunch(graph_, before, arguments.launch.launch(), out_node);
    case NodeArguments::Kind::kIndirectLaunch:
      return AddIndirectNode(node, before, arguments, out_node);
    case NodeArguments::Kind::kCopy:
      return api_.AddCopy(graph_, before, arguments.copy, out_node);
    case NodeArguments::Kind::kCopyRows:
      return api_.AddCopyRows(graph_, before, arguments.rows, out_node);
    default:
      return api_.AddFill(graph_, before, arguments.fill, out_node);
  }
}

// Nodes are added in the order of the commands.
Status GraphInstance::AddIndirectNode(size_t node, Nodes before, const NodeArguments& arguments,
                                      NativeGraphNode* out_node) {
  IndirectNode made;
  made.node = node;
  HAL_TRY(context_.slots().Acquire(&made.rejection));
  made.ClearRejection();
  const NativeIndirectLaunch launch = {arguments.launch.launch(), arguments.counts, made.rejection.address()};
  HAL_TRY(api_.AddIndirectLaunch(graph_, before, launch, &made.native));
  *out_node = made.native.launch;
  indirect_.push_back(std::move(made));
  return kOk;
}

Status GraphInstance::CheckCounts(const hal_device_limits_t& limits) const {
  for (const IndirectNode& indirect : indirect_) {
    RejectedCounts rejected;
    std::memcpy(&rejected, indirect.rejection.data(), sizeof(rejected));
    if (rejected.code == 0) continue;
    return Annotate(FailRejected(limits, rejected), "indirect dispatch: ");
  }
  return kOk;
}

Status GraphInstance::UploadIfNeeded(NativeStream stream) {
  if (indirect_.empty() || uploaded_) return kOk;
  HAL_TRY(api_.UploadGraph(exec_, stream));
  uploaded_ = true;
  return kOk;
}

// In one stream of the device launches come in order anyway. A handle of the application's tells nothing: it may be the
// per-thread stream of another thread, or a stream at the address of one that is gone. For the same reason the event is
// recorded after each launch, and not when the next one comes.
Status GraphInstance::LaunchInOrder(NativeStream stream, bool is_own) {
  if (launched_ && !(is_own && last_stream_ == stream)) HAL_TRY(api_.WaitEvent(stream, last_launch_));
  HAL_TRY(api_.LaunchGraph(exec_, stream));
  if (!last_launch_) return kOk;
  const Status status = api_.RecordEvent(last_launch_, stream);
  if (status != kOk) api_.SynchronizeStream(stream).Ignore();  // no later launch could wait for this one
  launched_ = status == kOk;
  last_stream_ = is_own ? stream : nullptr;
  return status;
}

Status GraphInstance::TryPatch(const GraphBindings& bindings, bool* out_patched) {
  *out_patched = true;
  const bool same_ranges = std::equal(dynamic_.begin(), dynamic_.end(), bindings.dynamic.begin());
  if (!torn_ && same_ranges && std::ranges::equal(numbers_, bindings.numbers)) return kOk;
  Failure failure(Patch(bindings));
  *out_patched = !failure;
  return failure.code() == HAL_STATUS_DEVICE_LOST ? failure.Take() : kOk;
}

Status GraphInstance::Patch(const GraphBindings& bindings) {
  const bool all = std::exchange(torn_, true);
  uploaded_ = false;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (!all && !template_.Differs(node, dynamic_, bindings.dynamic) &&
        !template_.HasOtherNumbers(node, numbers_, bindings.numbers)) {
      continue;
    }
    ++patches_;
    if (Failure failure(PatchNode(node, bindings)); failure) return Annotate(failure, NameOf(template_, node));
  }
  if (patches_ >= api_.traits().max_graph_patches) worn_out_.store(true, std::memory_order_relaxed);
  std::copy(bindings.dynamic.begin(), bindings.dynamic.end(), dynamic_.begin());
  numbers_.assign(bindings.numbers.begin(), bindings.numbers.end());
  torn_ = false;
  return kOk;
}

Status GraphInstance::PatchNode(size_t node, const GraphBindings& bindings) {
  NodeArguments arguments;
  HAL_TRY(Describe(node, bindings, &arguments));
  switch (arguments.kind) {
    case NodeArguments::Kind::kLaunch:
      return api_.PatchLaunch(exec_, nodes_[node], arguments.launch.launch());
    case NodeArguments::Kind::kIndirectLaunch:
      return PatchIndirectNode(node, arguments);
    case NodeArguments::Kind::kCopy:
      return api_.PatchCopy(exec_, nodes_[node], arguments.copy);
    case NodeArguments::Kind::kCopyRows:
      return api_.PatchCopyRows(exec_, nodes_[node], arguments.rows);
    default:
      return api_.PatchFill(exec_, nodes_[node], arguments.fill);
  }
}

Status GraphInstance::PatchIndirectNode(size_t node, const NodeArguments& arguments) {
  const auto found = std::lower_bound(indirect_.begin(), indirect_.end(), node,
                                      [](const IndirectNode& each, size_t wanted) { return each.node < wanted; });
  const NativeIndirectLaunch launch = {arguments.launch.launch(), arguments.counts, found->rejection.address()};
  return api_.PatchIndirectLaunch(exec_, found->native, launch);
}

}  // namespace halyard::stream
