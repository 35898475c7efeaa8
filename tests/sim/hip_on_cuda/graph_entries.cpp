// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: recording, instantiating, patching, launching.
#include "hip/entry_points.h"
#include "hip_on_cuda/call.h"
#include "hip_on_cuda/copy_params.h"
#include "hip_on_cuda/launch_limits.h"

namespace halyard::hip::abi {
namespace {

CUDA_KERNEL_NODE_PARAMS ParamsOf(const hipKernelNodeParams& launch) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = static_cast<CUfunction>(launch.func);
  params.gridDimX = launch.gridDim.x;
  params.gridDimY = launch.gridDim.y;
  params.gridDimZ = launch.gridDim.z;
  params.blockDimX = launch.blockDim.x;
  params.blockDimY = launch.blockDim.y;
  params.blockDimZ = launch.blockDim.z;
  params.sharedMemBytes = launch.sharedMemBytes;
  params.kernelParams = launch.kernelParams;
  params.extra = launch.extra;
  return params;
}

CUDA_MEMSET_NODE_PARAMS ParamsOf(const hipMemsetParams& fill) {
  return {.dst = ToVendor<CUdeviceptr>(fill.dst),
          .pitch = fill.pitch,
          .value = fill.value,
          .elementSize = fill.elementSize,
          .width = fill.width,
          .height = fill.height};
}

}  // namespace

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned int flags) {
  return Forward(&CudaFunctions::cuGraphCreate, graph, flags);
}

hipError_t hipGraphDestroy(hipGraph_t graph) { return Forward(&CudaFunctions::cuGraphDestroy, graph); }

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipKernelNodeParams* params) {
  if (!CountsFit(params->gridDim, params->blockDim)) return Noted(hipErrorInvalidConfiguration);
  const CUDA_KERNEL_NODE_PARAMS launch = ParamsOf(*params);
  return Forward(&CudaFunctions::cuGraphAddKernelNode_v2, node, graph, dependencies, count, &launch);
}

// Here and below, the context is that of the calling thread's device.
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                   size_t count, void* target, const void* source, size_t bytes, hipMemcpyKind) {
  return Call([&](const CudaFunctions& cuda) {
    const CUDA_MEMCPY3D copy = CopyParamsOf(target, source, bytes);
    return cuda.cuGraphAddMemcpyNode(ToVendor<CUgraphNode*>(node), ToVendor<CUgraph>(graph),
                                     ToVendor<const CUgraphNode*>(dependencies), count, &copy, CurrentContext());
  });
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipMemcpy3DParms* params) {
  return Call([&](const CudaFunctions& cuda) {
    const CUDA_MEMCPY3D copy = CopyParamsOf(*params);
    return cuda.cuGraphAddMemcpyNode(ToVendor<CUgraphNode*>(node), ToVendor<CUgraph>(graph),
                                     ToVendor<const CUgraphNode*>(dependencies), count, &copy, CurrentContext());
  });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipMemsetParams* params) {
  return Call([&](const CudaFunctions& cuda) {
    const CUDA_MEMSET_NODE_PARAMS fill = ParamsOf(*params);
    return cuda.cuGraphAddMemsetNode(ToVendor<CUgraphNode*>(node), ToVendor<CUgraph>(graph),
                                     ToVendor<const CUgraphNode*>(dependencies), count, &fill, CurrentContext());
  });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                size_t count) {
  return Forward(&CudaFunctions::cuGraphAddEmptyNode, node, graph, dependencies, count);
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*, size_t) {
  return Forward(&CudaFunctions::cuGraphInstantiateWithFlags, exec, graph, 0);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) { return Forward(&CudaFunctions::cuGraphExecDestroy, exec); }

// HIP would multiply in 32 bits and run what is left. Refusing shows a driver that does not check.
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* params) {
  if (!CountsFit(params->gridDim, params->blockDim)) return Noted(hipErrorInvalidConfiguration);
  const CUDA_KERNEL_NODE_PARAMS launch = ParamsOf(*params);
  return Forward(&CudaFunctions::cuGraphExecKernelNodeSetParams_v2, exec, node, &launch);
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* target, const void* source,
                                             size_t bytes, hipMemcpyKind) {
  return Call([&](const CudaFunctions& cuda) {
    const CUDA_MEMCPY3D copy = CopyParamsOf(target, source, bytes);
    return cuda.cuGraphExecMemcpyNodeSetParams(ToVendor<CUgraphExec>(exec), ToVendor<CUgraphNode>(node), &copy,
                                               CurrentContext());
  });
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms* params) {
  return Call([&](const CudaFunctions& cuda) {
    const CUDA_MEMCPY3D copy = CopyParamsOf(*params);
    return cuda.cuGraphExecMemcpyNodeSetParams(ToVendor<CUgraphExec>(exec), ToVendor<CUgraphNode>(node), &copy,
                                               CurrentContext());
  });
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params) {
  return Call([&](const CudaFunctions& cuda) {
    const CUDA_MEMSET_NODE_PARAMS fill = ParamsOf(*params);
    return cuda.cuGraphExecMemsetNodeSetParams(ToVendor<CUgraphExec>(exec), ToVendor<CUgraphNode>(node), &fill,
                                               CurrentContext());
  });
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return Forward(&CudaFunctions::cuGraphLaunch, exec, stream);
}

}  // namespace halyard::hip::abi
