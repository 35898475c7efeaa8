// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA graphs, for CudaApi.
#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

using After = std::span<const NativeGraphNode>;

CUgraph Native(NativeGraph handle) { return reinterpret_cast<CUgraph>(handle); }
CUgraphNode Native(NativeGraphNode handle) { return reinterpret_cast<CUgraphNode>(handle); }
CUgraphExec Native(NativeGraphExec handle) { return reinterpret_cast<CUgraphExec>(handle); }
// The same handles, each of the other's type.
const CUgraphNode* Native(After nodes) { return reinterpret_cast<const CUgraphNode*>(nodes.data()); }
CUgraphNode* Native(NativeGraphNode* out_node) { return reinterpret_cast<CUgraphNode*>(out_node); }

CUDA_KERNEL_NODE_PARAMS Params(const NativeLaunch& launch) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = reinterpret_cast<CUfunction>(launch.function);
  params.gridDimX = launch.workgroup_count.x;
  params.gridDimY = launch.workgroup_count.y;
  params.gridDimZ = launch.workgroup_count.z;
  params.blockDimX = launch.workgroup_size.x;
  params.blockDimY = launch.workgroup_size.y;
  params.blockDimZ = launch.workgroup_size.z;
  params.sharedMemBytes = launch.dynamic_local_memory;
  params.kernelParams = launch.parameters;
  return params;
}

// One row of bytes. CUDA finds out what memory the addresses belong to.
CUDA_MEMCPY3D Params(const NativeCopy& copy) {
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  params.srcDevice = copy.source;
  params.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  params.dstDevice = copy.target;
  params.WidthInBytes = copy.length;
  params.Height = 1;
  params.Depth = 1;
  return params;
}

CUDA_MEMSET_NODE_PARAMS Params(const NativeFill& fill) {
  CUDA_MEMSET_NODE_PARAMS params{};
  params.dst = fill.target;
  params.value = fill.size == 4 ? fill.pattern : fill.pattern & ((1u << (8 * fill.size)) - 1);
  params.elementSize = fill.size;
  params.width = fill.count;
  params.height = 1;
  return params;
}

}  // namespace

Status CudaApi::AddLaunch(NativeGraph graph, After after, const NativeLaunch& launch, NativeGraphNode* out_node) {
  const CUDA_KERNEL_NODE_PARAMS params = Params(launch);
  return HALYARD_CUDA(library_, cuGraphAddKernelNode_v2,
                      (Native(out_node), Native(graph), Native(after), after.size(), &params));
}

Status CudaApi::AddCopy(NativeGraph graph, After after, const NativeCopy& copy, NativeGraphNode* out_node) {
  const CUDA_MEMCPY3D params = Params(copy);
  return HALYARD_CUDA(library_, cuGraphAddMemcpyNode,
                      (Native(out_node), Native(graph), Native(after), after.size(), &params, context_));
}

Status CudaApi::AddFill(NativeGraph graph, After after, const NativeFill& fill, NativeGraphNode* out_node) {
  const CUDA_MEMSET_NODE_PARAMS params = Params(fill);
  return HALYARD_CUDA(library_, cuGraphAddMemsetNode,
                      (Native(out_node), Native(graph), Native(after), after.size(), &params, context_));
}

Status CudaApi::InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) {
  const CaptureExemption exempt(library_);
  CUgraphExec made = nullptr;
  HAL_TRY(HALYARD_CUDA(library_, cuGraphInstantiateWithFlags, (&made, Native(graph), 0)));
  *out_exec = reinterpret_cast<NativeGraphExec>(made);
  return kOk;
}

void CudaApi::DestroyGraphExec(NativeGraphExec exec) {
  const CaptureExemption exempt(library_);
  static_cast<void>(library_.cuGraphExecDestroy(Native(exec)));
}

Status CudaApi::PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) {
  const CUDA_KERNEL_NODE_PARAMS params = Params(launch);
  return HALYARD_CUDA(library_, cuGraphExecKernelNodeSetParams_v2, (Native(exec), Native(node), &params));
}

Status CudaApi::PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) {
  const CUDA_MEMCPY3D params = Params(copy);
  return HALYARD_CUDA(library_, cuGraphExecMemcpyNodeSetParams, (Native(exec), Native(node), &params, context_));
}

Status CudaApi::PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) {
  const CUDA_MEMSET_NODE_PARAMS params = Params(fill);
  return HALYARD_CUDA(library_, cuGraphExecMemsetNodeSetParams, (Native(exec), Native(node), &params, context_));
}

Status CudaApi::LaunchGraph(NativeGraphExec exec, NativeStream stream) {
  return HALYARD_CUDA(library_, cuGraphLaunch, (Native(exec), reinterpret_cast<CUstream>(stream)));
}

}  // namespace halyard::cuda
