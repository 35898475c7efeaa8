// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA graphs, for CudaApi.
#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

using stream::NativeGraph;
using stream::NativeGraphExec;
using stream::NativeGraphNode;
using After = std::span<const NativeGraphNode>;

abi::Graph Native(NativeGraph handle) { return reinterpret_cast<abi::Graph>(handle); }
abi::GraphNode Native(NativeGraphNode handle) { return reinterpret_cast<abi::GraphNode>(handle); }
abi::GraphExec Native(NativeGraphExec handle) { return reinterpret_cast<abi::GraphExec>(handle); }
// The same handles, each of the other's type.
const abi::GraphNode* Native(After nodes) { return reinterpret_cast<const abi::GraphNode*>(nodes.data()); }
abi::GraphNode* Native(NativeGraphNode* out_node) { return reinterpret_cast<abi::GraphNode*>(out_node); }

abi::KernelNodeParams Params(const stream::NativeLaunch& launch) {
  abi::KernelNodeParams params{};
  params.function = reinterpret_cast<abi::Function>(launch.function);
  params.grid_dim_x = launch.workgroup_count.x;
  params.grid_dim_y = launch.workgroup_count.y;
  params.grid_dim_z = launch.workgroup_count.z;
  params.block_dim_x = launch.workgroup_size.x;
  params.block_dim_y = launch.workgroup_size.y;
  params.block_dim_z = launch.workgroup_size.z;
  params.shared_mem_bytes = launch.dynamic_local_memory;
  params.kernel_params = launch.parameters;
  return params;
}

// One row of bytes. CUDA finds out what memory the addresses belong to.
abi::Memcpy3d Params(const stream::NativeCopy& copy) {
  abi::Memcpy3d params{};
  params.src_memory_type = abi::MemoryType::kUnified;
  params.src_device = copy.source;
  params.dst_memory_type = abi::MemoryType::kUnified;
  params.dst_device = copy.target;
  params.width_in_bytes = copy.length;
  params.height = 1;
  params.depth = 1;
  return params;
}

abi::MemsetNodeParams Params(const stream::NativeFill& fill) {
  abi::MemsetNodeParams params{};
  params.dst = fill.target;
  params.value = fill.size == 4 ? fill.pattern : fill.pattern & ((1u << (8 * fill.size)) - 1);
  params.element_size = fill.size;
  params.width = fill.count;
  params.height = 1;
  return params;
}

}  // namespace

Status CudaApi::CreateGraph(NativeGraph* out_graph) {
  abi::Graph made = nullptr;
  if (Status status = HALYARD_CUDA(cuda_, GraphCreate, (&made, 0)); status != kOk) return status;
  *out_graph = reinterpret_cast<NativeGraph>(made);
  return kOk;
}

void CudaApi::DestroyGraph(NativeGraph graph) { static_cast<void>(cuda_.GraphDestroy(Native(graph))); }

Status CudaApi::AddLaunch(NativeGraph graph, After after, const stream::NativeLaunch& launch,
                          NativeGraphNode* out_node) {
  const abi::KernelNodeParams params = Params(launch);
  return HALYARD_CUDA(cuda_, GraphAddKernelNode,
                      (Native(out_node), Native(graph), Native(after), after.size(), &params));
}

Status CudaApi::AddCopy(NativeGraph graph, After after, const stream::NativeCopy& copy, NativeGraphNode* out_node) {
  const abi::Memcpy3d params = Params(copy);
  return HALYARD_CUDA(cuda_, GraphAddMemcpyNode,
                      (Native(out_node), Native(graph), Native(after), after.size(), &params, context_));
}

Status CudaApi::AddFill(NativeGraph graph, After after, const stream::NativeFill& fill, NativeGraphNode* out_node) {
  const abi::MemsetNodeParams params = Params(fill);
  return HALYARD_CUDA(cuda_, GraphAddMemsetNode,
                      (Native(out_node), Native(graph), Native(after), after.size(), &params, context_));
}

Status CudaApi::AddJoin(NativeGraph graph, After after, NativeGraphNode* out_node) {
  return HALYARD_CUDA(cuda_, GraphAddEmptyNode, (Native(out_node), Native(graph), Native(after), after.size()));
}

Status CudaApi::InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) {
  const CaptureExemption exempt(cuda_);
  abi::GraphExec made = nullptr;
  if (Status status = HALYARD_CUDA(cuda_, GraphInstantiate, (&made, Native(graph), 0)); status != kOk) return status;
  *out_exec = reinterpret_cast<NativeGraphExec>(made);
  return kOk;
}

void CudaApi::DestroyGraphExec(NativeGraphExec exec) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.GraphExecDestroy(Native(exec)));
}

Status CudaApi::PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const stream::NativeLaunch& launch) {
  const abi::KernelNodeParams params = Params(launch);
  return HALYARD_CUDA(cuda_, GraphExecKernelNodeSetParams, (Native(exec), Native(node), &params));
}

Status CudaApi::PatchCopy(NativeGraphExec exec, NativeGraphNode node, const stream::NativeCopy& copy) {
  const abi::Memcpy3d params = Params(copy);
  return HALYARD_CUDA(cuda_, GraphExecMemcpyNodeSetParams, (Native(exec), Native(node), &params, context_));
}

Status CudaApi::PatchFill(NativeGraphExec exec, NativeGraphNode node, const stream::NativeFill& fill) {
  const abi::MemsetNodeParams params = Params(fill);
  return HALYARD_CUDA(cuda_, GraphExecMemsetNodeSetParams, (Native(exec), Native(node), &params, context_));
}

Status CudaApi::LaunchGraph(NativeGraphExec exec, stream::NativeStream stream) {
  return HALYARD_CUDA(cuda_, GraphLaunch, (Native(exec), reinterpret_cast<abi::Stream>(stream)));
}

}  // namespace halyard::cuda
