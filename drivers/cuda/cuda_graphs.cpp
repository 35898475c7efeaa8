// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA graphs, for CudaApi.
#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

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

}  // namespace

Status CudaApi::AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                        NativeGraphNode* out_node) {
  const CUDA_MEMCPY3D params = Params(copy);
  return CallInContext(CudaVendor::kAddCopy, out_node, graph, after.data(), after.size(), &params);
}

Status CudaApi::InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) {
  return ExemptCall(CudaVendor::kInstantiateGraph, out_exec, graph, 0);
}

Status CudaApi::PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) {
  const CUDA_MEMCPY3D params = Params(copy);
  return CallInContext(CudaVendor::kPatchCopy, exec, node, &params);
}

}  // namespace halyard::cuda
