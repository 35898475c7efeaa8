// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP graphs, for HipApi.
#include <memory>
#include <utility>

#include "hip/hip_api.h"

namespace halyard::hip {
namespace {

using After = std::span<const NativeGraphNode>;

/// HIP lets launches of one executable graph overlap, which NativeApi rules out. So each launch comes after the event
/// of the one before. A thread that launches it holds the lock of its GraphInstance.
struct OrderedExec : HostObject {
  hipGraphExec_t exec = nullptr;
  hipEvent_t last = nullptr;      // recorded after the last launch
  NativeStream stream = nullptr;  // where that was
  bool launched = false;          // so that `stream` says something
};

OrderedExec& Ordered(NativeGraphExec handle) { return *reinterpret_cast<OrderedExec*>(handle); }
hipGraphExec_t Native(NativeGraphExec handle) { return Ordered(handle).exec; }
hipGraphNode_t Native(NativeGraphNode handle) { return reinterpret_cast<hipGraphNode_t>(handle); }
hipGraphNode_t* Native(NativeGraphNode* out_node) { return reinterpret_cast<hipGraphNode_t*>(out_node); }

/// A graph, and what a new node comes after.
struct Place {
  Place(NativeGraph of, After nodes)
      : graph(reinterpret_cast<hipGraph_t>(of)),
        after(reinterpret_cast<const hipGraphNode_t*>(nodes.data())),
        count(nodes.size()) {}

  hipGraph_t graph;
  const hipGraphNode_t* after;
  size_t count;
};

dim3 Native(const hal_dim3_t& size) { return {size.x, size.y, size.z}; }

hipKernelNodeParams Params(const NativeLaunch& launch) {
  return {.blockDim = Native(launch.workgroup_size),
          .extra = nullptr,
          .func = launch.function,
          .gridDim = Native(launch.workgroup_count),
          .kernelParams = launch.parameters,
          .sharedMemBytes = launch.dynamic_local_memory};
}

hipMemsetParams Params(const NativeFill& fill) {
  const uint32_t used = fill.size == 4 ? UINT32_MAX : (1u << (8 * fill.size)) - 1;
  return {.dst = reinterpret_cast<void*>(fill.target),
          .elementSize = fill.size,
          .height = 1,
          .pitch = 0,
          .value = fill.pattern & used,
          .width = fill.count};
}

}  // namespace

Status HipApi::AddLaunch(NativeGraph graph, After after, const NativeLaunch& launch, NativeGraphNode* out_node) {
  const Place at(graph, after);
  const hipKernelNodeParams params = Params(launch);
  return HALYARD_HIP(library_, hipGraphAddKernelNode, (Native(out_node), at.graph, at.after, at.count, &params));
}

Status HipApi::AddCopy(NativeGraph graph, After after, const NativeCopy& copy, NativeGraphNode* out_node) {
  const Place at(graph, after);
  return HALYARD_HIP(library_, hipGraphAddMemcpyNode1D,
                     (Native(out_node), at.graph, at.after, at.count, reinterpret_cast<void*>(copy.target),
                      reinterpret_cast<const void*>(copy.source), copy.length, hipMemcpyDefault));
}

Status HipApi::AddFill(NativeGraph graph, After after, const NativeFill& fill, NativeGraphNode* out_node) {
  const Place at(graph, after);
  const hipMemsetParams params = Params(fill);
  return HALYARD_HIP(library_, hipGraphAddMemsetNode, (Native(out_node), at.graph, at.after, at.count, &params));
}

Status HipApi::InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) {
  const Exemption exempt(library_);
  auto made = std::make_unique<OrderedExec>();
  HAL_TRY(HALYARD_HIP(library_, hipEventCreateWithFlags, (&made->last, hipEventDisableTiming)));
  const Status status = HALYARD_HIP(library_, hipGraphInstantiate,
                                    (&made->exec, reinterpret_cast<hipGraph_t>(graph), nullptr, nullptr, 0));
  if (status != kOk) {
    library_.Ignore(library_.hipEventDestroy(made->last));
    return status;
  }
  *out_exec = reinterpret_cast<NativeGraphExec>(made.release());
  return kOk;
}

void HipApi::DestroyGraphExec(NativeGraphExec exec) {
  const Exemption exempt(library_);
  const std::unique_ptr<OrderedExec> ended(&Ordered(exec));
  library_.Ignore(library_.hipGraphExecDestroy(ended->exec));
  library_.Ignore(library_.hipEventDestroy(ended->last));
}

Status HipApi::PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) {
  const hipKernelNodeParams params = Params(launch);
  return HALYARD_HIP(library_, hipGraphExecKernelNodeSetParams, (Native(exec), Native(node), &params));
}

Status HipApi::PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) {
  return HALYARD_HIP(library_, hipGraphExecMemcpyNodeSetParams1D,
                     (Native(exec), Native(node), reinterpret_cast<void*>(copy.target),
                      reinterpret_cast<const void*>(copy.source), copy.length, hipMemcpyDefault));
}

Status HipApi::PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) {
  const hipMemsetParams params = Params(fill);
  return HALYARD_HIP(library_, hipGraphExecMemsetNodeSetParams, (Native(exec), Native(node), &params));
}

// In one stream launches come in order anyway; NULL is a stream too. The event is recorded after each launch, because a
// stream of the application may be gone when the next one comes. Not known here: another stream of the application at
// the address of one that is gone, and the per-thread stream of another thread. Both have the handle of the last
// launch.
Status HipApi::LaunchGraph(NativeGraphExec exec, NativeStream stream) {
  OrderedExec& ordered = Ordered(exec);
  if (ordered.launched && ordered.stream != stream) {
    HAL_TRY(Call(HipVendor::kWaitEvent, stream, ordered.last, 0));
  }
  HAL_TRY(HALYARD_HIP(library_, hipGraphLaunch, (ordered.exec, reinterpret_cast<hipStream_t>(stream))));
  ordered.launched = true;
  ordered.stream = stream;
  return Call(HipVendor::kRecordEvent, ordered.last, stream);
}

}  // namespace halyard::hip
