// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every declaration of cuda_abi.h with the vendor's headers, while compiling; and every exported name with the
// Toolkit's stand-in for the driver library, while running.
#include "cuda/abi/cuda_abi.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <string>
#include <type_traits>
#include <vector>

#include "abi/vendor_types.h"

namespace cu = halyard::cuda::abi;

// Constants. The lists of cuda_abi.h name the vendor's constant beside each value, so none can be left out here.
#define SAME_VALUE(name, vendor, value) static_assert((value) == (vendor), #vendor " has a different value");
#if CUDA_VERSION >= 13000
#define SAME_NEW_VALUE(name, vendor, value) SAME_VALUE(name, vendor, value)
#else
#define SAME_NEW_VALUE(name, vendor, value)
#endif
#define SAME_ENUM(list, ours, theirs) list(SAME_VALUE, SAME_NEW_VALUE) HALYARD_SAME_TYPE(ours, theirs)

SAME_ENUM(HALYARD_CUDA_RESULTS, cu::Result, CUresult);
SAME_ENUM(HALYARD_CUDA_DEVICE_ATTRIBUTES, cu::DeviceAttribute, CUdevice_attribute);
SAME_ENUM(HALYARD_CUDA_P2P_ATTRIBUTES, cu::P2pAttribute, CUdevice_P2PAttribute);
SAME_ENUM(HALYARD_CUDA_CONTEXT_FLAGS, cu::ContextFlags, CUctx_flags);
SAME_ENUM(HALYARD_CUDA_PROC_ADDRESS_RESULTS, cu::ProcAddressResult, CUdriverProcAddressQueryResult);
SAME_ENUM(HALYARD_CUDA_PROC_ADDRESS_FLAGS, cu::ProcAddressFlags, CUdriverProcAddress_flags);
SAME_ENUM(HALYARD_CUDA_STREAM_FLAGS, cu::StreamFlags, CUstream_flags);
SAME_ENUM(HALYARD_CUDA_STREAM_CAPTURE_STATUSES, cu::StreamCaptureStatus, CUstreamCaptureStatus);
SAME_ENUM(HALYARD_CUDA_STREAM_CAPTURE_MODES, cu::StreamCaptureMode, CUstreamCaptureMode);
SAME_ENUM(HALYARD_CUDA_EVENT_FLAGS, cu::EventFlags, CUevent_flags);
SAME_ENUM(HALYARD_CUDA_WAIT_VALUE_FLAGS, cu::WaitValueFlags, CUstreamWaitValue_flags);
SAME_ENUM(HALYARD_CUDA_WRITE_VALUE_FLAGS, cu::WriteValueFlags, CUstreamWriteValue_flags);
SAME_ENUM(HALYARD_CUDA_STREAM_MEM_OPS, cu::StreamMemOp, CUstreamBatchMemOpType);
SAME_ENUM(HALYARD_CUDA_MEMORY_TYPES, cu::MemoryType, CUmemorytype);
SAME_ENUM(HALYARD_CUDA_POINTER_ATTRIBUTES, cu::PointerAttribute, CUpointer_attribute);
SAME_ENUM(HALYARD_CUDA_MEM_ADVICES, cu::MemAdvice, CUmem_advise);
SAME_ENUM(HALYARD_CUDA_MEM_ATTACH_FLAGS, cu::MemAttachFlags, CUmemAttach_flags);
SAME_ENUM(HALYARD_CUDA_MEM_LOCATION_TYPES, cu::MemLocationType, CUmemLocationType);
SAME_ENUM(HALYARD_CUDA_MEM_ALLOCATION_TYPES, cu::MemAllocationType, CUmemAllocationType);
SAME_ENUM(HALYARD_CUDA_MEM_HANDLE_TYPES, cu::MemHandleType, CUmemAllocationHandleType);
SAME_ENUM(HALYARD_CUDA_MEM_ACCESS_FLAGS, cu::MemAccessFlags, CUmemAccess_flags);
SAME_ENUM(HALYARD_CUDA_MEM_POOL_ATTRIBUTES, cu::MemPoolAttribute, CUmemPool_attribute);
SAME_ENUM(HALYARD_CUDA_JIT_OPTIONS, cu::JitOption, CUjit_option);
SAME_ENUM(HALYARD_CUDA_JIT_INPUT_TYPES, cu::JitInputType, CUjitInputType);
SAME_ENUM(HALYARD_CUDA_FUNCTION_ATTRIBUTES, cu::FunctionAttribute, CUfunction_attribute);
SAME_ENUM(HALYARD_CUDA_LAUNCH_ATTRIBUTES, cu::LaunchAttributeId, CUlaunchAttributeID);
SAME_ENUM(HALYARD_CUDA_GRAPH_NODE_TYPES, cu::GraphNodeType, CUgraphNodeType);
SAME_ENUM(HALYARD_CUDA_GRAPH_INSTANTIATE_FLAGS, cu::GraphInstantiateFlags, CUgraphInstantiate_flags);

static_assert(cu::kMemHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(cu::kMemHostAllocDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(cu::kMemHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
static_assert(cu::kMemHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(cu::kMemHostRegisterDeviceMap == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(cu::kMemHostRegisterReadOnly == CU_MEMHOSTREGISTER_READ_ONLY);
static_assert(cu::kDeviceCpu == CU_DEVICE_CPU);
static_assert(cu::kLaunchParamEnd == CU_LAUNCH_PARAM_END_AS_INT);
static_assert(cu::kLaunchParamBufferPointer == CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT);
static_assert(cu::kLaunchParamBufferSize == CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT);

// Handles.
HALYARD_SAME_HANDLE(cu::Context, CUcontext);
HALYARD_SAME_HANDLE(cu::Module, CUmodule);
HALYARD_SAME_HANDLE(cu::LinkState, CUlinkState);
HALYARD_SAME_HANDLE(cu::Function, CUfunction);
HALYARD_SAME_HANDLE(cu::Kernel, CUkernel);
HALYARD_SAME_HANDLE(cu::Array, CUarray);
HALYARD_SAME_HANDLE(cu::Event, CUevent);
HALYARD_SAME_HANDLE(cu::Stream, CUstream);
HALYARD_SAME_HANDLE(cu::MemPool, CUmemoryPool);
HALYARD_SAME_HANDLE(cu::Graph, CUgraph);
HALYARD_SAME_HANDLE(cu::GraphNode, CUgraphNode);
HALYARD_SAME_HANDLE(cu::GraphExec, CUgraphExec);
static_assert(std::is_same_v<cu::Device, CUdevice> && std::is_same_v<cu::DevicePtr, CUdeviceptr>);
static_assert(std::is_same_v<cu::HostFn, CUhostFn>);

// Structs.
HALYARD_SAME_TYPE(cu::Uuid, CUuuid);
HALYARD_SAME_MEMBER(cu::Uuid, bytes, CUuuid, bytes);

using TheirMemOp = CUstreamBatchMemOpParams;
HALYARD_SAME_TYPE(cu::StreamMemOpParams, TheirMemOp);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, operation, TheirMemOp, operation);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, wait_value.operation, TheirMemOp, waitValue.operation);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, wait_value.address, TheirMemOp, waitValue.address);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, wait_value.value, TheirMemOp, waitValue.value);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, wait_value.value64, TheirMemOp, waitValue.value64);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, wait_value.flags, TheirMemOp, waitValue.flags);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, wait_value.alias, TheirMemOp, waitValue.alias);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, write_value.operation, TheirMemOp, writeValue.operation);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, write_value.address, TheirMemOp, writeValue.address);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, write_value.value, TheirMemOp, writeValue.value);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, write_value.value64, TheirMemOp, writeValue.value64);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, write_value.flags, TheirMemOp, writeValue.flags);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, write_value.alias, TheirMemOp, writeValue.alias);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, flush_remote_writes.flags, TheirMemOp, flushRemoteWrites.flags);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, memory_barrier.flags, TheirMemOp, memoryBarrier.flags);
HALYARD_SAME_MEMBER(cu::StreamMemOpParams, pad, TheirMemOp, pad);

HALYARD_SAME_TYPE(cu::MemLocation, CUmemLocation);
HALYARD_SAME_MEMBER(cu::MemLocation, type, CUmemLocation, type);
HALYARD_SAME_MEMBER(cu::MemLocation, id, CUmemLocation, id);

HALYARD_SAME_TYPE(cu::MemPoolProps, CUmemPoolProps);
HALYARD_SAME_MEMBER(cu::MemPoolProps, alloc_type, CUmemPoolProps, allocType);
HALYARD_SAME_MEMBER(cu::MemPoolProps, handle_types, CUmemPoolProps, handleTypes);
HALYARD_SAME_MEMBER(cu::MemPoolProps, location, CUmemPoolProps, location);
HALYARD_SAME_MEMBER(cu::MemPoolProps, win32_security_attributes, CUmemPoolProps, win32SecurityAttributes);
#if CUDA_VERSION >= 13000  // what was reserved before
HALYARD_SAME_MEMBER(cu::MemPoolProps, max_size, CUmemPoolProps, maxSize);
HALYARD_SAME_MEMBER(cu::MemPoolProps, usage, CUmemPoolProps, usage);
HALYARD_SAME_MEMBER(cu::MemPoolProps, reserved, CUmemPoolProps, reserved);
#endif

HALYARD_SAME_TYPE(cu::MemAccessDesc, CUmemAccessDesc);
HALYARD_SAME_MEMBER(cu::MemAccessDesc, location, CUmemAccessDesc, location);
HALYARD_SAME_MEMBER(cu::MemAccessDesc, flags, CUmemAccessDesc, flags);

HALYARD_SAME_TYPE(cu::Memcpy3d, CUDA_MEMCPY3D);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_x_in_bytes, CUDA_MEMCPY3D, srcXInBytes);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_y, CUDA_MEMCPY3D, srcY);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_z, CUDA_MEMCPY3D, srcZ);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_lod, CUDA_MEMCPY3D, srcLOD);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_memory_type, CUDA_MEMCPY3D, srcMemoryType);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_host, CUDA_MEMCPY3D, srcHost);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_device, CUDA_MEMCPY3D, srcDevice);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_array, CUDA_MEMCPY3D, srcArray);
HALYARD_SAME_MEMBER(cu::Memcpy3d, reserved0, CUDA_MEMCPY3D, reserved0);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_pitch, CUDA_MEMCPY3D, srcPitch);
HALYARD_SAME_MEMBER(cu::Memcpy3d, src_height, CUDA_MEMCPY3D, srcHeight);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_x_in_bytes, CUDA_MEMCPY3D, dstXInBytes);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_y, CUDA_MEMCPY3D, dstY);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_z, CUDA_MEMCPY3D, dstZ);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_lod, CUDA_MEMCPY3D, dstLOD);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_memory_type, CUDA_MEMCPY3D, dstMemoryType);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_host, CUDA_MEMCPY3D, dstHost);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_device, CUDA_MEMCPY3D, dstDevice);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_array, CUDA_MEMCPY3D, dstArray);
HALYARD_SAME_MEMBER(cu::Memcpy3d, reserved1, CUDA_MEMCPY3D, reserved1);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_pitch, CUDA_MEMCPY3D, dstPitch);
HALYARD_SAME_MEMBER(cu::Memcpy3d, dst_height, CUDA_MEMCPY3D, dstHeight);
HALYARD_SAME_MEMBER(cu::Memcpy3d, width_in_bytes, CUDA_MEMCPY3D, WidthInBytes);
HALYARD_SAME_MEMBER(cu::Memcpy3d, height, CUDA_MEMCPY3D, Height);
HALYARD_SAME_MEMBER(cu::Memcpy3d, depth, CUDA_MEMCPY3D, Depth);

HALYARD_SAME_TYPE(cu::LaunchAttributeValue, CUlaunchAttributeValue);
HALYARD_SAME_MEMBER(cu::LaunchAttributeValue, pad, CUlaunchAttributeValue, pad);
HALYARD_SAME_MEMBER(cu::LaunchAttributeValue, cooperative, CUlaunchAttributeValue, cooperative);
HALYARD_SAME_MEMBER(cu::LaunchAttributeValue, programmatic_stream_serialization_allowed, CUlaunchAttributeValue,
                    programmaticStreamSerializationAllowed);
HALYARD_SAME_MEMBER(cu::LaunchAttributeValue, priority, CUlaunchAttributeValue, priority);
#if CUDA_VERSION >= 12040
HALYARD_SAME_HANDLE(cu::DeviceGraphNode, CUgraphDeviceNode);
HALYARD_SAME_MEMBER(cu::LaunchAttributeValue, device_updatable_kernel_node.device_updatable, CUlaunchAttributeValue,
                    deviceUpdatableKernelNode.deviceUpdatable);
HALYARD_SAME_MEMBER(cu::LaunchAttributeValue, device_updatable_kernel_node.device_node, CUlaunchAttributeValue,
                    deviceUpdatableKernelNode.devNode);
#endif

HALYARD_SAME_TYPE(cu::LaunchAttribute, CUlaunchAttribute);
HALYARD_SAME_MEMBER(cu::LaunchAttribute, id, CUlaunchAttribute, id);
HALYARD_SAME_MEMBER(cu::LaunchAttribute, pad, CUlaunchAttribute, pad);
HALYARD_SAME_MEMBER(cu::LaunchAttribute, value, CUlaunchAttribute, value);

HALYARD_SAME_TYPE(cu::LaunchConfig, CUlaunchConfig);
HALYARD_SAME_MEMBER(cu::LaunchConfig, grid_dim_x, CUlaunchConfig, gridDimX);
HALYARD_SAME_MEMBER(cu::LaunchConfig, grid_dim_y, CUlaunchConfig, gridDimY);
HALYARD_SAME_MEMBER(cu::LaunchConfig, grid_dim_z, CUlaunchConfig, gridDimZ);
HALYARD_SAME_MEMBER(cu::LaunchConfig, block_dim_x, CUlaunchConfig, blockDimX);
HALYARD_SAME_MEMBER(cu::LaunchConfig, block_dim_y, CUlaunchConfig, blockDimY);
HALYARD_SAME_MEMBER(cu::LaunchConfig, block_dim_z, CUlaunchConfig, blockDimZ);
HALYARD_SAME_MEMBER(cu::LaunchConfig, shared_mem_bytes, CUlaunchConfig, sharedMemBytes);
HALYARD_SAME_MEMBER(cu::LaunchConfig, stream, CUlaunchConfig, hStream);
HALYARD_SAME_MEMBER(cu::LaunchConfig, attributes, CUlaunchConfig, attrs);
HALYARD_SAME_MEMBER(cu::LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);

using TheirKernelNode = CUDA_KERNEL_NODE_PARAMS_v2;
HALYARD_SAME_TYPE(cu::KernelNodeParams, TheirKernelNode);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, function, TheirKernelNode, func);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, grid_dim_x, TheirKernelNode, gridDimX);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, grid_dim_y, TheirKernelNode, gridDimY);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, grid_dim_z, TheirKernelNode, gridDimZ);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, block_dim_x, TheirKernelNode, blockDimX);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, block_dim_y, TheirKernelNode, blockDimY);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, block_dim_z, TheirKernelNode, blockDimZ);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, shared_mem_bytes, TheirKernelNode, sharedMemBytes);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, kernel_params, TheirKernelNode, kernelParams);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, extra, TheirKernelNode, extra);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, kernel, TheirKernelNode, kern);
HALYARD_SAME_MEMBER(cu::KernelNodeParams, context, TheirKernelNode, ctx);

using TheirMemsetNode = CUDA_MEMSET_NODE_PARAMS_v1;
HALYARD_SAME_TYPE(cu::MemsetNodeParams, TheirMemsetNode);
HALYARD_SAME_MEMBER(cu::MemsetNodeParams, dst, TheirMemsetNode, dst);
HALYARD_SAME_MEMBER(cu::MemsetNodeParams, pitch, TheirMemsetNode, pitch);
HALYARD_SAME_MEMBER(cu::MemsetNodeParams, value, TheirMemsetNode, value);
HALYARD_SAME_MEMBER(cu::MemsetNodeParams, element_size, TheirMemsetNode, elementSize);
HALYARD_SAME_MEMBER(cu::MemsetNodeParams, width, TheirMemsetNode, width);
HALYARD_SAME_MEMBER(cu::MemsetNodeParams, height, TheirMemsetNode, height);

using TheirHostNode = CUDA_HOST_NODE_PARAMS_v1;
HALYARD_SAME_TYPE(cu::HostNodeParams, TheirHostNode);
HALYARD_SAME_MEMBER(cu::HostNodeParams, fn, TheirHostNode, fn);
HALYARD_SAME_MEMBER(cu::HostNodeParams, user_data, TheirHostNode, userData);

// Functions. The vendor's PFN_ types carry the version that brought each signature, which is what our table names.
#if CUDA_VERSION >= 12040
#define COMPARED(version) true
#else
#define COMPARED(version) ((version) <= CUDA_VERSION)
using PFN_cuFuncGetParamInfo_v12040 = void*;
#if CUDA_VERSION < 12020
using PFN_cuMemPrefetchAsync_v12020 = void*;
using PFN_cuMemAdvise_v12020 = void*;
#endif
#endif
#define SAME_FUNCTION(name, base, suffix, version, need, signature)                                               \
  static_assert(                                                                                                  \
      !COMPARED(version) || std::is_same_v<halyard::abi_test::VendorType<cu::name##Fn>, PFN_##base##_v##version>, \
      #base #suffix " has a different signature");                                                                \
  static_assert((version) <= cu::kMinimumDriverVersion || cu::Need::need == cu::Need::kOptional,                  \
                #base #suffix " is newer than the oldest driver");
HALYARD_CUDA_FUNCTIONS(SAME_FUNCTION)

namespace {

using ::testing::IsEmpty;

TEST(CudaAbiTest, LibraryExportsEverySymbol) {
  void* library = dlopen(HALYARD_CUDA_STUB, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "the Toolkit's stand-in for libcuda.so is not here: " << dlerror();
  std::vector<std::string> missing;
  for (const cu::FunctionInfo& function : cu::kFunctions) {
    if (dlsym(library, function.symbol) == nullptr) missing.emplace_back(function.symbol);
  }
  dlclose(library);
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
