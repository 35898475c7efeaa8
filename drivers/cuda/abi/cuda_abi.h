// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The part of the CUDA driver API that Halyard uses, declared here so that no CUDA Toolkit is needed to build.
///
/// Every name is the vendor's, in a namespace of ours: halyard::cuda::abi::CUstream. So a file may include <cuda.h> as
/// well, after this header, since some constants are macros there; tests/abi/cuda_abi_test.cpp does, and compares every
/// declaration. Enumerations and functions stand in lists that can be expanded more than once; HALYARD_CUresult is that
/// of CUresult:
///
///     X(name, value)
///     N(name, value)    // not in the headers of CUDA 12.0; compared with those of 13.0
///
/// Structs change between CUDA versions by new names (`..._v2`). The version meant is fixed by the version number of
/// the function that takes the struct, see HALYARD_CUDA_FUNCTIONS.
///
/// The calling convention is the platform's own on every 64-bit system, so none is spelt out.
#ifndef HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_H_
#define HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_H_

#include "cuda/abi/cuda_abi_types.h"

namespace halyard::cuda::abi {

/// The oldest driver that has every required function: CUDA 12.0. The vendor counts 1000 * major + 10 * minor.
inline constexpr int kMinimumDriverVersion = 12000;

/// Whether the CUDA driver of Halyard can do without a function.
enum class Need {
  kRequired,  ///< part of CUDA 12.0
  kOptional,  ///< newer, or only there for what a device may lack: the pointer may be null
};

/// Every function used: X(name, version suffix, version, need, signature). All return CUresult.
///
/// `version` is the CUDA version that brought the signature: to be passed to cuGetProcAddress() together with the plain
/// name, so that a newer driver does not hand out a newer signature. The library exports the function under the plain
/// name with the suffix.
#define HALYARD_CUDA_FUNCTIONS(X)   \
  HALYARD_CUDA_DEVICE_FUNCTIONS(X)  \
  HALYARD_CUDA_CONTEXT_FUNCTIONS(X) \
  HALYARD_CUDA_STREAM_FUNCTIONS(X)  \
  HALYARD_CUDA_EVENT_FUNCTIONS(X)   \
  HALYARD_CUDA_MEMORY_FUNCTIONS(X)  \
  HALYARD_CUDA_POOL_FUNCTIONS(X)    \
  HALYARD_CUDA_VIRTUAL_FUNCTIONS(X) \
  HALYARD_CUDA_IPC_FUNCTIONS(X)     \
  HALYARD_CUDA_MODULE_FUNCTIONS(X)  \
  HALYARD_CUDA_GRAPH_FUNCTIONS(X)

#define HALYARD_CUDA_DEVICE_FUNCTIONS(X)                                                                      \
  X(cuGetProcAddress, _v2, 12000, kRequired,                                                                  \
    (const char* name, void** function, int version, uint64_t flags, CUdriverProcAddressQueryResult* result)) \
  X(cuInit, , 2000, kRequired, (unsigned int flags))                                                          \
  X(cuDriverGetVersion, , 2020, kRequired, (int* version))                                                    \
  X(cuGetErrorName, , 6000, kRequired, (CUresult error, const char** text))                                   \
  X(cuGetErrorString, , 6000, kRequired, (CUresult error, const char** text))                                 \
  X(cuDeviceGet, , 2000, kRequired, (CUdevice * device, int ordinal))                                         \
  X(cuDeviceGetCount, , 2000, kRequired, (int* count))                                                        \
  X(cuDeviceGetName, , 2000, kRequired, (char* name, int capacity, CUdevice device))                          \
  X(cuDeviceGetUuid, _v2, 11040, kRequired, (CUuuid * uuid, CUdevice device))                                 \
  X(cuDeviceGetPCIBusId, , 4010, kRequired, (char* text, int capacity, CUdevice device))                      \
  X(cuDeviceGetByPCIBusId, , 4010, kRequired, (CUdevice * device, const char* text))                          \
  X(cuDeviceTotalMem, _v2, 3020, kRequired, (size_t * bytes, CUdevice device))                                \
  X(cuDeviceGetAttribute, , 2000, kRequired, (int* value, CUdevice_attribute attribute, CUdevice device))     \
  X(cuDeviceCanAccessPeer, , 4000, kRequired, (int* can, CUdevice device, CUdevice peer))                     \
  X(cuDeviceGetP2PAttribute, , 8000, kRequired,                                                               \
    (int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to))

#define HALYARD_CUDA_CONTEXT_FUNCTIONS(X)                                                               \
  X(cuDevicePrimaryCtxRetain, , 7000, kRequired, (CUcontext * context, CUdevice device))                \
  X(cuDevicePrimaryCtxRelease, _v2, 11000, kRequired, (CUdevice device))                                \
  X(cuDevicePrimaryCtxSetFlags, _v2, 11000, kRequired, (CUdevice device, unsigned int flags))           \
  X(cuDevicePrimaryCtxGetState, , 7000, kRequired, (CUdevice device, unsigned int* flags, int* active)) \
  X(cuCtxPushCurrent, _v2, 4000, kRequired, (CUcontext context))                                        \
  X(cuCtxPopCurrent, _v2, 4000, kRequired, (CUcontext * context))                                       \
  X(cuCtxSetCurrent, , 4000, kRequired, (CUcontext context))                                            \
  X(cuCtxGetCurrent, , 4000, kRequired, (CUcontext * context))                                          \
  X(cuCtxGetDevice, , 2000, kRequired, (CUdevice * device))                                             \
  X(cuCtxSynchronize, , 2000, kRequired, ())                                                            \
  X(cuCtxGetStreamPriorityRange, , 5050, kRequired, (int* least, int* greatest))                        \
  X(cuCtxEnablePeerAccess, , 4000, kRequired, (CUcontext peer, unsigned int flags))                     \
  X(cuCtxDisablePeerAccess, , 4000, kRequired, (CUcontext peer))

#define HALYARD_CUDA_STREAM_FUNCTIONS(X)                                                                  \
  X(cuStreamCreate, , 2000, kRequired, (CUstream * stream, unsigned int flags))                           \
  X(cuStreamCreateWithPriority, , 5050, kRequired, (CUstream * stream, unsigned int flags, int priority)) \
  X(cuStreamDestroy, _v2, 4000, kRequired, (CUstream stream))                                             \
  X(cuStreamGetCtx, , 9020, kRequired, (CUstream stream, CUcontext * context))                            \
  X(cuStreamIsCapturing, , 10000, kRequired, (CUstream stream, CUstreamCaptureStatus * status))           \
  X(cuStreamBeginCapture, _v2, 10010, kRequired, (CUstream stream, CUstreamCaptureMode mode))             \
  X(cuStreamEndCapture, , 10000, kRequired, (CUstream stream, CUgraph * graph))                           \
  X(cuThreadExchangeStreamCaptureMode, , 10010, kRequired, (CUstreamCaptureMode * mode))                  \
  X(cuStreamQuery, , 2000, kRequired, (CUstream stream))                                                  \
  X(cuStreamSynchronize, , 2000, kRequired, (CUstream stream))                                            \
  X(cuStreamWaitEvent, , 3020, kRequired, (CUstream stream, CUevent event, unsigned int flags))           \
  X(cuStreamWriteValue64, _v2, 11070, kRequired,                                                          \
    (CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags))                           \
  X(cuStreamWaitValue64, _v2, 11070, kRequired,                                                           \
    (CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags))                           \
  X(cuStreamBatchMemOp, _v2, 11070, kRequired,                                                            \
    (CUstream stream, unsigned int count, CUstreamBatchMemOpParams* params, unsigned int flags))          \
  X(cuLaunchHostFunc, , 10000, kRequired, (CUstream stream, CUhostFn fn, void* user_data))

#define HALYARD_CUDA_EVENT_FUNCTIONS(X)                                      \
  X(cuEventCreate, , 2000, kRequired, (CUevent * event, unsigned int flags)) \
  X(cuEventDestroy, _v2, 4000, kRequired, (CUevent event))                   \
  X(cuEventRecord, , 2000, kRequired, (CUevent event, CUstream stream))      \
  X(cuEventQuery, , 2000, kRequired, (CUevent event))                        \
  X(cuEventSynchronize, , 2000, kRequired, (CUevent event))                  \
  X(cuEventElapsedTime, , 2000, kRequired, (float* milliseconds, CUevent start, CUevent end))

#define HALYARD_CUDA_MEMORY_FUNCTIONS(X)                                                                             \
  X(cuMemGetInfo, _v2, 3020, kRequired, (size_t * free, size_t * total))                                             \
  X(cuMemAlloc, _v2, 3020, kRequired, (CUdeviceptr * address, size_t bytes))                                         \
  X(cuMemFree, _v2, 3020, kRequired, (CUdeviceptr address))                                                          \
  X(cuMemGetAddressRange, _v2, 3020, kRequired, (CUdeviceptr * base, size_t * bytes, CUdeviceptr address))           \
  X(cuMemHostAlloc, , 2020, kRequired, (void** memory, size_t bytes, unsigned int flags))                            \
  X(cuMemFreeHost, , 2000, kRequired, (void* memory))                                                                \
  X(cuMemHostRegister, _v2, 6050, kRequired, (void* memory, size_t bytes, unsigned int flags))                       \
  X(cuMemHostUnregister, , 4000, kRequired, (void* memory))                                                          \
  X(cuMemHostGetDevicePointer, _v2, 3020, kRequired, (CUdeviceptr * address, void* memory, unsigned int flags))      \
  X(cuMemAllocManaged, , 6000, kRequired, (CUdeviceptr * address, size_t bytes, unsigned int flags))                 \
  X(cuMemPrefetchAsync, , 8000, kRequired, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream))    \
  X(cuMemPrefetchAsync, _v2, 12020, kOptional,                                                                       \
    (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags, CUstream stream))                \
  X(cuMemAdvise, , 8000, kRequired, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device))       \
  X(cuMemAdvise, _v2, 12020, kOptional,                                                                              \
    (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location))                                \
  X(cuPointerGetAttribute, , 4000, kRequired, (void* data, CUpointer_attribute attribute, CUdeviceptr address))      \
  X(cuPointerGetAttributes, , 7000, kRequired,                                                                       \
    (unsigned int count, CUpointer_attribute* attributes, void** data, CUdeviceptr address))                         \
  X(cuMemcpyAsync, , 4000, kRequired, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))             \
  X(cuMemcpyHtoDAsync, _v2, 3020, kRequired, (CUdeviceptr dst, const void* src, size_t bytes, CUstream stream))      \
  X(cuMemcpyDtoHAsync, _v2, 3020, kRequired, (void* dst, CUdeviceptr src, size_t bytes, CUstream stream))            \
  X(cuMemcpyDtoDAsync, _v2, 3020, kRequired, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))      \
  X(cuMemcpyPeerAsync, , 4000, kRequired,                                                                            \
    (CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes, CUstream stream)) \
  X(cuMemcpy3DAsync, _v2, 3020, kRequired, (const CUDA_MEMCPY3D* params, CUstream stream))                           \
  X(cuMemcpy3DPeerAsync, , 4000, kRequired, (const CUDA_MEMCPY3D_PEER* params, CUstream stream))                     \
  X(cuMemsetD8Async, , 3020, kRequired, (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream))       \
  X(cuMemsetD16Async, , 3020, kRequired, (CUdeviceptr dst, unsigned short value, size_t count, CUstream stream))     \
  X(cuMemsetD32Async, , 3020, kRequired, (CUdeviceptr dst, unsigned int value, size_t count, CUstream stream))

#define HALYARD_CUDA_POOL_FUNCTIONS(X)                                                                          \
  X(cuMemPoolCreate, , 11020, kRequired, (CUmemoryPool * pool, const CUmemPoolProps* props))                    \
  X(cuMemPoolDestroy, , 11020, kRequired, (CUmemoryPool pool))                                                  \
  X(cuMemPoolSetAttribute, , 11020, kRequired, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value)) \
  X(cuMemPoolGetAttribute, , 11020, kRequired, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value)) \
  X(cuMemPoolSetAccess, , 11020, kRequired, (CUmemoryPool pool, const CUmemAccessDesc* accesses, size_t count)) \
  X(cuMemPoolTrimTo, , 11020, kRequired, (CUmemoryPool pool, size_t bytes_to_keep))                             \
  X(cuMemAllocFromPoolAsync, , 11020, kRequired,                                                                \
    (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream))                                  \
  X(cuMemFreeAsync, , 11020, kRequired, (CUdeviceptr address, CUstream stream))

#define HALYARD_CUDA_VIRTUAL_FUNCTIONS(X)                                                                              \
  X(cuMemGetAllocationGranularity, , 10020, kRequired,                                                                 \
    (size_t * bytes, const CUmemAllocationProp* prop, CUmemAllocationGranularity_flags option))                        \
  X(cuMemCreate, , 10020, kRequired,                                                                                   \
    (CUmemGenericAllocationHandle * handle, size_t bytes, const CUmemAllocationProp* prop, unsigned long long flags))  \
  X(cuMemRelease, , 10020, kRequired, (CUmemGenericAllocationHandle handle))                                           \
  X(cuMemAddressReserve, , 10020, kRequired,                                                                           \
    (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags))             \
  X(cuMemAddressFree, , 10020, kRequired, (CUdeviceptr address, size_t bytes))                                         \
  X(cuMemMap, , 10020, kRequired,                                                                                      \
    (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)) \
  X(cuMemUnmap, , 10020, kRequired, (CUdeviceptr address, size_t bytes))                                               \
  X(cuMemSetAccess, , 10020, kRequired,                                                                                \
    (CUdeviceptr address, size_t bytes, const CUmemAccessDesc* accesses, size_t count))                                \
  X(cuMemExportToShareableHandle, , 10020, kRequired,                                                                  \
    (void* shareable, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type, unsigned long long flags))  \
  X(cuMemImportFromShareableHandle, , 10020, kRequired,                                                                \
    (CUmemGenericAllocationHandle * handle, void* shareable, CUmemAllocationHandleType type))                          \
  X(cuMemGetAllocationPropertiesFromHandle, , 10020, kRequired,                                                        \
    (CUmemAllocationProp * prop, CUmemGenericAllocationHandle handle))

#define HALYARD_CUDA_IPC_FUNCTIONS(X)                                                                              \
  X(cuIpcGetMemHandle, , 4010, kRequired, (CUipcMemHandle * handle, CUdeviceptr address))                          \
  X(cuIpcOpenMemHandle, _v2, 11000, kRequired, (CUdeviceptr * address, CUipcMemHandle handle, unsigned int flags)) \
  X(cuIpcCloseMemHandle, , 4010, kRequired, (CUdeviceptr address))

#define HALYARD_CUDA_MODULE_FUNCTIONS(X)                                                                              \
  X(cuModuleLoadDataEx, , 2010, kRequired,                                                                            \
    (CUmodule * module, const void* image, unsigned int count, CUjit_option* options, void** values))                 \
  X(cuLinkCreate, _v2, 6050, kRequired,                                                                               \
    (unsigned int count, CUjit_option* options, void** values, CUlinkState* state))                                   \
  X(cuLinkAddData, _v2, 6050, kRequired,                                                                              \
    (CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned int count,          \
     CUjit_option* options, void** values))                                                                           \
  X(cuLinkComplete, , 5050, kRequired, (CUlinkState state, void** cubin, size_t* bytes))                              \
  X(cuLinkDestroy, , 5050, kRequired, (CUlinkState state))                                                            \
  X(cuModuleUnload, , 2000, kRequired, (CUmodule module))                                                             \
  X(cuModuleGetFunction, , 2000, kRequired, (CUfunction * function, CUmodule module, const char* name))               \
  X(cuModuleGetGlobal, _v2, 3020, kRequired,                                                                          \
    (CUdeviceptr * address, size_t * bytes, CUmodule module, const char* name))                                       \
  X(cuFuncGetAttribute, , 2020, kRequired, (int* value, CUfunction_attribute attribute, CUfunction function))         \
  X(cuFuncSetAttribute, , 9000, kRequired, (CUfunction function, CUfunction_attribute attribute, int value))          \
  X(cuFuncGetParamInfo, , 12040, kOptional, (CUfunction function, size_t index, size_t * offset, size_t * bytes))     \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, , 6050, kRequired,                                                   \
    (int* blocks, CUfunction function, int block_size, size_t dynamic_shared_bytes))                                  \
  X(cuLaunchKernel, , 4000, kRequired,                                                                                \
    (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,        \
     unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void** params,           \
     void** extra))                                                                                                   \
  X(cuLaunchKernelEx, , 11060, kRequired,                                                                             \
    (const CUlaunchConfig* config, CUfunction function, void** params, void** extra))                                 \
  X(cuTensorMapEncodeTiled, , 12000, kOptional,                                                                       \
    (CUtensorMap * map, CUtensorMapDataType type, uint32_t rank, void* address, const uint64_t* sizes,                \
     const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides, CUtensorMapInterleave interleave, \
     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill))

#define HALYARD_CUDA_GRAPH_FUNCTIONS(X)                                                                             \
  X(cuGraphCreate, , 10000, kRequired, (CUgraph * graph, unsigned int flags))                                       \
  X(cuGraphDestroy, , 10000, kRequired, (CUgraph graph))                                                            \
  X(cuGraphAddKernelNode, _v2, 12000, kRequired,                                                                    \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count,                              \
     const CUDA_KERNEL_NODE_PARAMS* params))                                                                        \
  X(cuGraphAddMemcpyNode, , 10000, kRequired,                                                                       \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count, const CUDA_MEMCPY3D* params, \
     CUcontext context))                                                                                            \
  X(cuGraphAddMemsetNode, , 10000, kRequired,                                                                       \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count,                              \
     const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context))                                                     \
  X(cuGraphAddHostNode, , 10000, kRequired,                                                                         \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count,                              \
     const CUDA_HOST_NODE_PARAMS* params))                                                                          \
  X(cuGraphAddEmptyNode, , 10000, kRequired,                                                                        \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count))                             \
  X(cuGraphAddEventRecordNode, , 11010, kRequired,                                                                  \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count, CUevent event))              \
  X(cuGraphAddEventWaitNode, , 11010, kRequired,                                                                    \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count, CUevent event))              \
  X(cuGraphAddDependencies, , 10000, kRequired,                                                                     \
    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count))                                  \
  X(cuGraphKernelNodeSetAttribute, , 11000, kRequired,                                                              \
    (CUgraphNode node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue* value))                         \
  X(cuGraphKernelNodeGetAttribute, , 11000, kRequired,                                                              \
    (CUgraphNode node, CUlaunchAttributeID attribute, CUlaunchAttributeValue * value))                              \
  X(cuGraphInstantiateWithFlags, , 11040, kRequired, (CUgraphExec * exec, CUgraph graph, unsigned long long flags)) \
  X(cuGraphExecDestroy, , 10000, kRequired, (CUgraphExec exec))                                                     \
  X(cuGraphUpload, , 11010, kRequired, (CUgraphExec exec, CUstream stream))                                         \
  X(cuGraphLaunch, , 10000, kRequired, (CUgraphExec exec, CUstream stream))                                         \
  X(cuGraphExecKernelNodeSetParams, _v2, 12000, kRequired,                                                          \
    (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params))                                    \
  X(cuGraphExecMemcpyNodeSetParams, , 10020, kRequired,                                                             \
    (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* params, CUcontext context))                           \
  X(cuGraphExecMemsetNodeSetParams, , 10020, kRequired,                                                             \
    (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context))                 \
  X(cuGraphExecHostNodeSetParams, , 10020, kRequired,                                                               \
    (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params))                                      \
  X(cuGraphNodeSetEnabled, , 11060, kRequired, (CUgraphExec exec, CUgraphNode node, unsigned int enabled))          \
  X(cuGraphNodeGetEnabled, , 11060, kRequired, (CUgraphExec exec, CUgraphNode node, unsigned int* enabled))

// NOLINTNEXTLINE(bugprone-macro-parentheses): a list of parameters
#define HALYARD_CUDA_PFN(base, suffix, version, need, signature) using PFN_##base##_v##version = CUresult(*) signature;
/// A type for each, such as PFN_cuMemAlloc_v3020.
HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_PFN)
#undef HALYARD_CUDA_PFN

/// All of them, by the names that the library exports: cuMemAlloc_v2. An optional one may be null.
struct CudaFunctions {
#define HALYARD_CUDA_MEMBER(base, suffix, version, need, signature) PFN_##base##_v##version base##suffix = nullptr;
  HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_MEMBER)
#undef HALYARD_CUDA_MEMBER
};

/// A row of HALYARD_CUDA_FUNCTIONS as data.
struct FunctionInfo {
  const char* name;    ///< as cuGetProcAddress() takes it
  const char* symbol;  ///< as the library exports it
  int version;         ///< 1000 * major + 10 * minor
  Need need;
};

#define HALYARD_CUDA_FUNCTION_INFO(base, suffix, version, need, signature) \
  FunctionInfo{#base, #base #suffix, version, Need::need},
/// All of them, in the order of HALYARD_CUDA_FUNCTIONS.
inline constexpr FunctionInfo kFunctions[] = {HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_FUNCTION_INFO)};
#undef HALYARD_CUDA_FUNCTION_INFO

}  // namespace halyard::cuda::abi

namespace halyard::cuda {

using namespace abi;  // NOLINT(google-build-using-namespace): CUDA's names are this driver's language

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_H_
