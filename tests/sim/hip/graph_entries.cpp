// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: recording, instantiating, patching, launching.
#include <algorithm>

#include "hip/call.h"
#include "hip/copy_params.h"
#include "hip/entry_points.h"
#include "stream_api/graphs.h"
#include "stream_api/launches.h"
#include "stream_api/transfers.h"

namespace halyard::hip::abi {
namespace {

LaunchParams ParamsOf(const hipKernelNodeParams& params) {
  return {params.func,
          {params.gridDim.x, params.gridDim.y, params.gridDim.z},
          {params.blockDim.x, params.blockDim.y, params.blockDim.z},
          params.sharedMemBytes,
          params.kernelParams,
          params.extra};
}

// How many blocks a patched node runs of those asked for: the product with the block's size has 32 bits.
uint32_t Wrapped(uint32_t grid, uint32_t block) {
  const uint32_t items = grid * block;
  return block == 0 ? grid : items / block + (items % block == 0 ? 0 : 1);
}

// A patched node runs what is left of its grid, perhaps nothing.
Error PatchKernel(hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams* params) {
  const GraphExec::Step* step = FindStep(exec, node);
  if (step == nullptr || params == nullptr || step->kind != NodeKind::kKernel) return Error::kInvalidValue;
  LaunchParams launch = ParamsOf(*params);
  bool is_empty = false;
  for (size_t i = 0; i < launch.grid.size(); ++i) {
    if (uint64_t{launch.grid[i]} * launch.block[i] <= Runtime::Get().rules.most_items) continue;
    const uint32_t left = Wrapped(launch.grid[i], launch.block[i]);
    is_empty = is_empty || left == 0;
    launch.grid[i] = std::max(left, 1U);
  }
  Work work;
  const Error error = sim::MakeWork(&launch, &work);
  if (error != Error::kSuccess) return error;
  if (is_empty) work.run = nullptr;
  return ReplaceWork(exec, node, NodeKind::kKernel, std::move(work));
}

}  // namespace

// What AddWith() and PatchWith() look for.

static Error MakeWork(const hipKernelNodeParams* params, Work* work) {
  if (params == nullptr) return Error::kInvalidValue;
  const LaunchParams launch = ParamsOf(*params);
  return sim::MakeWork(&launch, work);
}

static Error MakeWork(const hipMemsetParams* params, Work* work) { return MakeRowFill(params, work); }

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned int flags) {
  return Call(__func__, [&] { return CreateGraph(graph, flags); });
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  return Call(__func__, [&] { return DestroyGraph(graph); });
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipKernelNodeParams* params) {
  return Call(__func__, [&] { return AddWith({node, graph, dependencies, count}, NodeKind::kKernel, params); });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                   size_t count, void* target, const void* source, size_t bytes, hipMemcpyKind) {
  return Call(__func__, [&] {
    const Copy copy = CopyOf(target, source, bytes, CopyKind::kAny);
    return AddWith({node, graph, dependencies, count}, NodeKind::kCopy, &copy);
  });
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipMemcpy3DParms* params) {
  return Call(__func__, [&] {
    CopyRows copy;
    const Error error = ReadCopy(params, &copy);
    return error == Error::kSuccess ? AddWith({node, graph, dependencies, count}, NodeKind::kCopy, &copy) : error;
  });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipMemsetParams* params) {
  return Call(__func__, [&] { return AddWith({node, graph, dependencies, count}, NodeKind::kFill, params); });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                size_t count) {
  return Call(__func__, [&] { return AddNodeTo({node, graph, dependencies, count}, NodeKind::kEmpty, {}); });
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*, size_t) {
  return Call(__func__, [&] { return InstantiateGraph(exec, graph); });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, [&] { return DestroyGraphExec(exec); });
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* params) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, [&] { return PatchKernel(exec, node, params); });
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* target, const void* source,
                                             size_t bytes, hipMemcpyKind) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, [&] {
    const Copy copy = CopyOf(target, source, bytes, CopyKind::kAny);
    return PatchWith(exec, node, NodeKind::kCopy, &copy);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms* params) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, [&] {
    CopyRows copy;
    const Error error = ReadCopy(params, &copy);
    return error == Error::kSuccess ? PatchWith(exec, node, NodeKind::kCopy, &copy) : error;
  });
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, [&] { return PatchWith(exec, node, NodeKind::kFill, params); });
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  const ExclusiveUse use = UseOf(exec);
  return Call(__func__, [&] { return LaunchGraph(exec, stream); });
}

}  // namespace halyard::hip::abi
