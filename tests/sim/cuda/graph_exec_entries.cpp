// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable graphs: instantiating, patching, launching.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/graph_params.h"
#include "stream_api/graphs.h"

namespace halyard::cuda::abi {
namespace {

bool CanBeDisabled(sim::NodeKind kind) {
  return kind == sim::NodeKind::kKernel || kind == sim::NodeKind::kCopy || kind == sim::NodeKind::kFill;
}

}  // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return Call(__func__, Requires::kContext, [&] {
    const bool by_device = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
    return by_device ? Error::kNotSupported : InstantiateGraph(exec, graph);
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kInit, [&] { return DestroyGraphExec(exec); });
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindStream(stream);
    const auto uploaded = Runtime::Get().execs.Find(exec);
    if (found == nullptr || uploaded == nullptr) return Error::kInvalidValue;
    uploaded->Upload(*found, uploaded);
    return Error::kSuccess;
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kContext, [&] { return LaunchGraph(exec, stream); });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kContext, [&] { return PatchWith(exec, node, sim::NodeKind::kKernel, params); });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* params, CUcontext) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kInit, [&] {
    // CUDA's documentation: copies of several rows cannot be changed.
    const bool has_rows = params != nullptr && (params->Height > 1 || params->Depth > 1);
    return has_rows ? Error::kInvalidValue : PatchWith(exec, node, sim::NodeKind::kCopy, params);
  });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kInit, [&] { return PatchWith(exec, node, sim::NodeKind::kFill, params); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kInit, [&] { return PatchWith(exec, node, sim::NodeKind::kHostFunction, params); });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kInit, [&] {
    sim::GraphExec::Step* step = FindStep(exec, node);
    if (step == nullptr || !CanBeDisabled(step->kind)) return Error::kInvalidValue;
    step->enabled = enabled != 0;
    Runtime::Get().execs.Find(exec)->Patched(*step);
    return Error::kSuccess;
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int* enabled) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, Requires::kInit, [&] {
    const sim::GraphExec::Step* step = FindStep(exec, node);
    if (step == nullptr || enabled == nullptr) return Error::kInvalidValue;
    *enabled = step->enabled ? 1 : 0;
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
