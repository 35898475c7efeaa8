// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA graphs, and copies as they describe them, for CudaApi.
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

// A slice pitch is a number of rows.
size_t RowsOf(const CopyBox& box, const CopyPitch& pitch) {
  return box.depth > 1 ? pitch.slice / pitch.row : box.height;
}

// The members that copies of one device and of two have in common.
template <class Params>
void SetRows(const NativeBox& copy, Params* params) {
  const CopyBox& box = copy.box;
  params->srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  params->srcDevice = copy.source;
  params->srcPitch = box.source.row;
  params->srcHeight = RowsOf(box, box.source);
  params->dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  params->dstDevice = copy.target;
  params->dstPitch = box.target.row;
  params->dstHeight = RowsOf(box, box.target);
  params->WidthInBytes = box.width;
  params->Height = box.height;
  params->Depth = box.depth;
}

CUDA_MEMCPY3D Params(const NativeBox& copy) {
  CUDA_MEMCPY3D params{};
  SetRows(copy, &params);
  return params;
}

}  // namespace

Status CudaApi::CopyRows(NativeStream stream, const NativeBox& copy) {
  const CUDA_MEMCPY3D params = Params(copy);
  return HALYARD_CUDA(library_, cuMemcpy3DAsync_v2, (&params, reinterpret_cast<CUstream>(stream)));
}

Status CudaApi::CopyRowsPeer(NativeStream stream, const NativeBox& copy, const NativeApi& target_api,
                             const NativeApi& source_api) {
  CUDA_MEMCPY3D_PEER params{};
  SetRows(copy, &params);
  params.srcContext = static_cast<const CudaApi&>(source_api).context_;
  params.dstContext = static_cast<const CudaApi&>(target_api).context_;
  return HALYARD_CUDA(library_, cuMemcpy3DPeerAsync, (&params, reinterpret_cast<CUstream>(stream)));
}

Status CudaApi::AddCopyRows(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeBox& copy,
                            NativeGraphNode* out_node) {
  const CUDA_MEMCPY3D params = Params(copy);
  return CallInContext(CudaVendor::kAddCopy, out_node, graph, after.data(), after.size(), &params);
}

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
