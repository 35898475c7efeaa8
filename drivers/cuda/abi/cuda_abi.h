// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The part of the CUDA driver API that Halyard uses, declared here so that no CUDA Toolkit is needed to build.
///
/// Names are the vendor's without their prefix, in this project's style and in a namespace of their own: `CUstream` is
/// `abi::Stream`, `CUDA_ERROR_NOT_READY` is `abi::Result::kErrorNotReady`, `cuMemAlloc_v2` is the entry `MemAlloc` of
/// HALYARD_CUDA_FUNCTIONS. Nothing here collides with <cuda.h>; tests/abi/cuda_abi_test.cpp includes both and compares
/// every declaration. Constants and functions therefore stand in lists that can be expanded more than once:
///
///     X(our name, the vendor's name, value)
///     N(our name, the vendor's name, value)    // not in the headers of CUDA 12.0; compared with those of 13.0
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

/// Every function used: X(name here, the vendor's name, version suffix, version, need, signature). All return Result.
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
  HALYARD_CUDA_MODULE_FUNCTIONS(X)  \
  HALYARD_CUDA_GRAPH_FUNCTIONS(X)

#define HALYARD_CUDA_DEVICE_FUNCTIONS(X)                                                                   \
  X(GetProcAddress, cuGetProcAddress, _v2, 12000, kRequired,                                               \
    (const char* name, void** function, int version, uint64_t flags, ProcAddressResult* result))           \
  X(Init, cuInit, , 2000, kRequired, (unsigned int flags))                                                 \
  X(DriverGetVersion, cuDriverGetVersion, , 2020, kRequired, (int* version))                               \
  X(GetErrorName, cuGetErrorName, , 6000, kRequired, (Result error, const char** text))                    \
  X(GetErrorString, cuGetErrorString, , 6000, kRequired, (Result error, const char** text))                \
  X(DeviceGet, cuDeviceGet, , 2000, kRequired, (Device * device, int ordinal))                             \
  X(DeviceGetCount, cuDeviceGetCount, , 2000, kRequired, (int* count))                                     \
  X(DeviceGetName, cuDeviceGetName, , 2000, kRequired, (char* name, int capacity, Device device))          \
  X(DeviceGetUuid, cuDeviceGetUuid, _v2, 11040, kRequired, (Uuid * uuid, Device device))                   \
  X(DeviceGetPCIBusId, cuDeviceGetPCIBusId, , 4010, kRequired, (char* text, int capacity, Device device))  \
  X(DeviceGetByPCIBusId, cuDeviceGetByPCIBusId, , 4010, kRequired, (Device * device, const char* text))    \
  X(DeviceTotalMem, cuDeviceTotalMem, _v2, 3020, kRequired, (size_t * bytes, Device device))               \
  X(DeviceGetAttribute, cuDeviceGetAttribute, , 2000, kRequired,                                           \
    (int* value, DeviceAttribute attribute, Device device))                                                \
  X(DeviceCanAccessPeer, cuDeviceCanAccessPeer, , 4000, kRequired, (int* can, Device device, Device peer)) \
  X(DeviceGetP2PAttribute, cuDeviceGetP2PAttribute, , 8000, kRequired,                                     \
    (int* value, P2pAttribute attribute, Device from, Device to))

#define HALYARD_CUDA_CONTEXT_FUNCTIONS(X)                                                                             \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, , 7000, kRequired, (Context * context, Device device))          \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, _v2, 11000, kRequired, (Device device))                       \
  X(DevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, _v2, 11000, kRequired, (Device device, unsigned int flags)) \
  X(DevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, , 7000, kRequired,                                          \
    (Device device, unsigned int* flags, int* active))                                                                \
  X(CtxPushCurrent, cuCtxPushCurrent, _v2, 4000, kRequired, (Context context))                                        \
  X(CtxPopCurrent, cuCtxPopCurrent, _v2, 4000, kRequired, (Context * context))                                        \
  X(CtxSetCurrent, cuCtxSetCurrent, , 4000, kRequired, (Context context))                                             \
  X(CtxGetCurrent, cuCtxGetCurrent, , 4000, kRequired, (Context * context))                                           \
  X(CtxGetDevice, cuCtxGetDevice, , 2000, kRequired, (Device * device))                                               \
  X(CtxSynchronize, cuCtxSynchronize, , 2000, kRequired, ())                                                          \
  X(CtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, , 5050, kRequired, (int* least, int* greatest))           \
  X(CtxEnablePeerAccess, cuCtxEnablePeerAccess, , 4000, kRequired, (Context peer, unsigned int flags))                \
  X(CtxDisablePeerAccess, cuCtxDisablePeerAccess, , 4000, kRequired, (Context peer))

#define HALYARD_CUDA_STREAM_FUNCTIONS(X)                                                                       \
  X(StreamCreate, cuStreamCreate, , 2000, kRequired, (Stream * stream, unsigned int flags))                    \
  X(StreamCreateWithPriority, cuStreamCreateWithPriority, , 5050, kRequired,                                   \
    (Stream * stream, unsigned int flags, int priority))                                                       \
  X(StreamDestroy, cuStreamDestroy, _v2, 4000, kRequired, (Stream stream))                                     \
  X(StreamGetCtx, cuStreamGetCtx, , 9020, kRequired, (Stream stream, Context * context))                       \
  X(StreamIsCapturing, cuStreamIsCapturing, , 10000, kRequired, (Stream stream, StreamCaptureStatus * status)) \
  X(StreamBeginCapture, cuStreamBeginCapture, _v2, 10010, kRequired, (Stream stream, StreamCaptureMode mode))  \
  X(StreamEndCapture, cuStreamEndCapture, , 10000, kRequired, (Stream stream, Graph * graph))                  \
  X(ThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, , 10010, kRequired,                    \
    (StreamCaptureMode * mode))                                                                                \
  X(StreamQuery, cuStreamQuery, , 2000, kRequired, (Stream stream))                                            \
  X(StreamSynchronize, cuStreamSynchronize, , 2000, kRequired, (Stream stream))                                \
  X(StreamWaitEvent, cuStreamWaitEvent, , 3020, kRequired, (Stream stream, Event event, unsigned int flags))   \
  X(StreamWriteValue64, cuStreamWriteValue64, _v2, 11070, kRequired,                                           \
    (Stream stream, DevicePtr address, uint64_t value, unsigned int flags))                                    \
  X(StreamWaitValue64, cuStreamWaitValue64, _v2, 11070, kRequired,                                             \
    (Stream stream, DevicePtr address, uint64_t value, unsigned int flags))                                    \
  X(StreamBatchMemOp, cuStreamBatchMemOp, _v2, 11070, kRequired,                                               \
    (Stream stream, unsigned int count, StreamMemOpParams* params, unsigned int flags))                        \
  X(LaunchHostFunc, cuLaunchHostFunc, , 10000, kRequired, (Stream stream, HostFn fn, void* user_data))

#define HALYARD_CUDA_EVENT_FUNCTIONS(X)                                                 \
  X(EventCreate, cuEventCreate, , 2000, kRequired, (Event * event, unsigned int flags)) \
  X(EventDestroy, cuEventDestroy, _v2, 4000, kRequired, (Event event))                  \
  X(EventRecord, cuEventRecord, , 2000, kRequired, (Event event, Stream stream))        \
  X(EventQuery, cuEventQuery, , 2000, kRequired, (Event event))                         \
  X(EventSynchronize, cuEventSynchronize, , 2000, kRequired, (Event event))             \
  X(EventElapsedTime, cuEventElapsedTime, , 2000, kRequired, (float* milliseconds, Event start, Event end))

#define HALYARD_CUDA_MEMORY_FUNCTIONS(X)                                                                               \
  X(MemGetInfo, cuMemGetInfo, _v2, 3020, kRequired, (size_t * free, size_t * total))                                   \
  X(MemAlloc, cuMemAlloc, _v2, 3020, kRequired, (DevicePtr * address, size_t bytes))                                   \
  X(MemFree, cuMemFree, _v2, 3020, kRequired, (DevicePtr address))                                                     \
  X(MemGetAddressRange, cuMemGetAddressRange, _v2, 3020, kRequired,                                                    \
    (DevicePtr * base, size_t * bytes, DevicePtr address))                                                             \
  X(MemHostAlloc, cuMemHostAlloc, , 2020, kRequired, (void** memory, size_t bytes, unsigned int flags))                \
  X(MemFreeHost, cuMemFreeHost, , 2000, kRequired, (void* memory))                                                     \
  X(MemHostRegister, cuMemHostRegister, _v2, 6050, kRequired, (void* memory, size_t bytes, unsigned int flags))        \
  X(MemHostUnregister, cuMemHostUnregister, , 4000, kRequired, (void* memory))                                         \
  X(MemHostGetDevicePointer, cuMemHostGetDevicePointer, _v2, 3020, kRequired,                                          \
    (DevicePtr * address, void* memory, unsigned int flags))                                                           \
  X(MemAllocManaged, cuMemAllocManaged, , 6000, kRequired, (DevicePtr * address, size_t bytes, unsigned int flags))    \
  X(MemPrefetchAsync, cuMemPrefetchAsync, , 8000, kRequired,                                                           \
    (DevicePtr address, size_t bytes, Device device, Stream stream))                                                   \
  X(MemPrefetchAsyncTo, cuMemPrefetchAsync, _v2, 12020, kOptional,                                                     \
    (DevicePtr address, size_t bytes, MemLocation location, unsigned int flags, Stream stream))                        \
  X(MemAdvise, cuMemAdvise, , 8000, kRequired, (DevicePtr address, size_t bytes, MemAdvice advice, Device device))     \
  X(MemAdviseFor, cuMemAdvise, _v2, 12020, kOptional,                                                                  \
    (DevicePtr address, size_t bytes, MemAdvice advice, MemLocation location))                                         \
  X(PointerGetAttribute, cuPointerGetAttribute, , 4000, kRequired,                                                     \
    (void* data, PointerAttribute attribute, DevicePtr address))                                                       \
  X(PointerGetAttributes, cuPointerGetAttributes, , 7000, kRequired,                                                   \
    (unsigned int count, PointerAttribute* attributes, void** data, DevicePtr address))                                \
  X(MemcpyAsync, cuMemcpyAsync, , 4000, kRequired, (DevicePtr dst, DevicePtr src, size_t bytes, Stream stream))        \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync, _v2, 3020, kRequired,                                                          \
    (DevicePtr dst, const void* src, size_t bytes, Stream stream))                                                     \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync, _v2, 3020, kRequired, (void* dst, DevicePtr src, size_t bytes, Stream stream)) \
  X(MemcpyDtoDAsync, cuMemcpyDtoDAsync, _v2, 3020, kRequired,                                                          \
    (DevicePtr dst, DevicePtr src, size_t bytes, Stream stream))                                                       \
  X(MemcpyPeerAsync, cuMemcpyPeerAsync, , 4000, kRequired,                                                             \
    (DevicePtr dst, Context dst_context, DevicePtr src, Context src_context, size_t bytes, Stream stream))             \
  X(MemsetD8Async, cuMemsetD8Async, , 3020, kRequired,                                                                 \
    (DevicePtr dst, unsigned char value, size_t count, Stream stream))                                                 \
  X(MemsetD16Async, cuMemsetD16Async, , 3020, kRequired,                                                               \
    (DevicePtr dst, unsigned short value, size_t count, Stream stream))                                                \
  X(MemsetD32Async, cuMemsetD32Async, , 3020, kRequired,                                                               \
    (DevicePtr dst, unsigned int value, size_t count, Stream stream))

#define HALYARD_CUDA_POOL_FUNCTIONS(X)                                                               \
  X(MemPoolCreate, cuMemPoolCreate, , 11020, kRequired, (MemPool * pool, const MemPoolProps* props)) \
  X(MemPoolDestroy, cuMemPoolDestroy, , 11020, kRequired, (MemPool pool))                            \
  X(MemPoolSetAttribute, cuMemPoolSetAttribute, , 11020, kRequired,                                  \
    (MemPool pool, MemPoolAttribute attribute, void* value))                                         \
  X(MemPoolGetAttribute, cuMemPoolGetAttribute, , 11020, kRequired,                                  \
    (MemPool pool, MemPoolAttribute attribute, void* value))                                         \
  X(MemPoolSetAccess, cuMemPoolSetAccess, , 11020, kRequired,                                        \
    (MemPool pool, const MemAccessDesc* accesses, size_t count))                                     \
  X(MemPoolTrimTo, cuMemPoolTrimTo, , 11020, kRequired, (MemPool pool, size_t bytes_to_keep))        \
  X(MemAllocFromPoolAsync, cuMemAllocFromPoolAsync, , 11020, kRequired,                              \
    (DevicePtr * address, size_t bytes, MemPool pool, Stream stream))                                \
  X(MemFreeAsync, cuMemFreeAsync, , 11020, kRequired, (DevicePtr address, Stream stream))

#define HALYARD_CUDA_MODULE_FUNCTIONS(X)                                                                               \
  X(ModuleLoadDataEx, cuModuleLoadDataEx, , 2010, kRequired,                                                           \
    (Module * module, const void* image, unsigned int count, JitOption* options, void** values))                       \
  X(LinkCreate, cuLinkCreate, _v2, 6050, kRequired,                                                                    \
    (unsigned int count, JitOption* options, void** values, LinkState* state))                                         \
  X(LinkAddData, cuLinkAddData, _v2, 6050, kRequired,                                                                  \
    (LinkState state, JitInputType type, void* data, size_t bytes, const char* name, unsigned int count,               \
     JitOption* options, void** values))                                                                               \
  X(LinkComplete, cuLinkComplete, , 5050, kRequired, (LinkState state, void** cubin, size_t* bytes))                   \
  X(LinkDestroy, cuLinkDestroy, , 5050, kRequired, (LinkState state))                                                  \
  X(ModuleUnload, cuModuleUnload, , 2000, kRequired, (Module module))                                                  \
  X(ModuleGetFunction, cuModuleGetFunction, , 2000, kRequired, (Function * function, Module module, const char* name)) \
  X(ModuleGetGlobal, cuModuleGetGlobal, _v2, 3020, kRequired,                                                          \
    (DevicePtr * address, size_t * bytes, Module module, const char* name))                                            \
  X(FuncGetAttribute, cuFuncGetAttribute, , 2020, kRequired,                                                           \
    (int* value, FunctionAttribute attribute, Function function))                                                      \
  X(FuncSetAttribute, cuFuncSetAttribute, , 9000, kRequired,                                                           \
    (Function function, FunctionAttribute attribute, int value))                                                       \
  X(FuncGetParamInfo, cuFuncGetParamInfo, , 12040, kOptional,                                                          \
    (Function function, size_t index, size_t * offset, size_t * bytes))                                                \
  X(OccupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, , 6050, kRequired,                          \
    (int* blocks, Function function, int block_size, size_t dynamic_shared_bytes))                                     \
  X(LaunchKernel, cuLaunchKernel, , 4000, kRequired,                                                                   \
    (Function function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,           \
     unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, Stream stream, void** params,              \
     void** extra))                                                                                                    \
  X(LaunchKernelEx, cuLaunchKernelEx, , 11060, kRequired,                                                              \
    (const LaunchConfig* config, Function function, void** params, void** extra))

#define HALYARD_CUDA_GRAPH_FUNCTIONS(X)                                                                           \
  X(GraphCreate, cuGraphCreate, , 10000, kRequired, (Graph * graph, unsigned int flags))                          \
  X(GraphDestroy, cuGraphDestroy, , 10000, kRequired, (Graph graph))                                              \
  X(GraphAddKernelNode, cuGraphAddKernelNode, _v2, 12000, kRequired,                                              \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count, const KernelNodeParams* params)) \
  X(GraphAddMemcpyNode, cuGraphAddMemcpyNode, , 10000, kRequired,                                                 \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count, const Memcpy3d* params,          \
     Context context))                                                                                            \
  X(GraphAddMemsetNode, cuGraphAddMemsetNode, , 10000, kRequired,                                                 \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count, const MemsetNodeParams* params,  \
     Context context))                                                                                            \
  X(GraphAddHostNode, cuGraphAddHostNode, , 10000, kRequired,                                                     \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count, const HostNodeParams* params))   \
  X(GraphAddEmptyNode, cuGraphAddEmptyNode, , 10000, kRequired,                                                   \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count))                                 \
  X(GraphAddEventRecordNode, cuGraphAddEventRecordNode, , 11010, kRequired,                                       \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count, Event event))                    \
  X(GraphAddEventWaitNode, cuGraphAddEventWaitNode, , 11010, kRequired,                                           \
    (GraphNode * node, Graph graph, const GraphNode* dependencies, size_t count, Event event))                    \
  X(GraphAddDependencies, cuGraphAddDependencies, , 10000, kRequired,                                             \
    (Graph graph, const GraphNode* from, const GraphNode* to, size_t count))                                      \
  X(GraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, , 11000, kRequired,                               \
    (GraphNode node, LaunchAttributeId attribute, const LaunchAttributeValue* value))                             \
  X(GraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, , 11000, kRequired,                               \
    (GraphNode node, LaunchAttributeId attribute, LaunchAttributeValue * value))                                  \
  X(GraphInstantiate, cuGraphInstantiateWithFlags, , 11040, kRequired,                                            \
    (GraphExec * exec, Graph graph, unsigned long long flags))                                                    \
  X(GraphExecDestroy, cuGraphExecDestroy, , 10000, kRequired, (GraphExec exec))                                   \
  X(GraphUpload, cuGraphUpload, , 11010, kRequired, (GraphExec exec, Stream stream))                              \
  X(GraphLaunch, cuGraphLaunch, , 10000, kRequired, (GraphExec exec, Stream stream))                              \
  X(GraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams, _v2, 12000, kRequired,                          \
    (GraphExec exec, GraphNode node, const KernelNodeParams* params))                                             \
  X(GraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, , 10020, kRequired,                             \
    (GraphExec exec, GraphNode node, const Memcpy3d* params, Context context))                                    \
  X(GraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, , 10020, kRequired,                             \
    (GraphExec exec, GraphNode node, const MemsetNodeParams* params, Context context))                            \
  X(GraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, , 10020, kRequired,                                 \
    (GraphExec exec, GraphNode node, const HostNodeParams* params))                                               \
  X(GraphNodeSetEnabled, cuGraphNodeSetEnabled, , 11060, kRequired,                                               \
    (GraphExec exec, GraphNode node, unsigned int enabled))                                                       \
  X(GraphNodeGetEnabled, cuGraphNodeGetEnabled, , 11060, kRequired,                                               \
    (GraphExec exec, GraphNode node, unsigned int* enabled))

// NOLINTNEXTLINE(bugprone-macro-parentheses): a list of parameters
#define HALYARD_CUDA_FUNCTION_TYPE(name, base, suffix, version, need, signature) using name##Fn = Result(*) signature;
/// One function type for each: MemAllocFn and so on.
HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_FUNCTION_TYPE)
#undef HALYARD_CUDA_FUNCTION_TYPE

/// A row of HALYARD_CUDA_FUNCTIONS as data.
struct FunctionInfo {
  const char* name;    ///< as cuGetProcAddress() takes it
  const char* symbol;  ///< as the library exports it
  int version;         ///< 1000 * major + 10 * minor
  Need need;
};

#define HALYARD_CUDA_FUNCTION_INFO(name, base, suffix, version, need, signature) \
  FunctionInfo{#base, #base #suffix, version, Need::need},
/// All of them, in the order of HALYARD_CUDA_FUNCTIONS.
inline constexpr FunctionInfo kFunctions[] = {HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_FUNCTION_INFO)};
#undef HALYARD_CUDA_FUNCTION_INFO

}  // namespace halyard::cuda::abi

#endif  // HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_H_
