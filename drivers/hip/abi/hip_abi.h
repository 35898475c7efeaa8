// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The part of the HIP runtime API that Halyard uses, declared here so that nothing of ROCm is needed to build.
///
/// Every name is the vendor's, in a namespace of ours: halyard::hip::abi::hipStream_t. A file may include
/// <hip/hip_runtime_api.h> as well, after this header; tests/abi/hip_abi_test.cpp does, and compares every declaration.
/// Signatures and constants are those of ROCm 5.7 to 7.1, which are the same; what differs is named where it stands.
#ifndef HALYARD_DRIVERS_HIP_ABI_HIP_ABI_H_
#define HALYARD_DRIVERS_HIP_ABI_HIP_ABI_H_

#include "hip/abi/hip_abi_types.h"

namespace halyard::hip::abi {

/// The oldest library that has every required function: ROCm 5.7.
/// The vendor counts 10,000,000 * major + 100,000 * minor + patch.
inline constexpr int kMinimumVersion = 50700000;

/// Whether the HIP driver of Halyard can do without a function.
enum class Need {
  kRequired,  ///< part of ROCm 5.7
  kOptional,  ///< not in every version: the pointer may be null
};

/// Every function used: X(name, need, result, signature).
#define HALYARD_HIP_FUNCTIONS(X)      \
  HALYARD_HIP_DEVICE_FUNCTIONS(X)     \
  HALYARD_HIP_PROPERTIES_FUNCTIONS(X) \
  HALYARD_HIP_STREAM_FUNCTIONS(X)     \
  HALYARD_HIP_MEMORY_FUNCTIONS(X)     \
  HALYARD_HIP_MODULE_FUNCTIONS(X)     \
  HALYARD_HIP_GRAPH_FUNCTIONS(X)

#define HALYARD_HIP_DEVICE_FUNCTIONS(X)                                                                     \
  X(hipInit, kRequired, hipError_t, (unsigned int flags))                                                   \
  X(hipRuntimeGetVersion, kRequired, hipError_t, (int* version))                                            \
  X(hipGetErrorName, kRequired, const char*, (hipError_t error))                                            \
  X(hipGetErrorString, kRequired, const char*, (hipError_t error))                                          \
  X(hipGetLastError, kRequired, hipError_t, ())                                                             \
  X(hipGetDeviceCount, kRequired, hipError_t, (int* count))                                                 \
  X(hipGetDevice, kRequired, hipError_t, (int* device))                                                     \
  X(hipSetDevice, kRequired, hipError_t, (int device))                                                      \
  X(hipDeviceGetName, kRequired, hipError_t, (char* name, int capacity, hipDevice_t device))                \
  X(hipDeviceGetUuid, kRequired, hipError_t, (hipUUID * uuid, hipDevice_t device))                          \
  X(hipDeviceGetPCIBusId, kRequired, hipError_t, (char* text, int capacity, int device))                    \
  X(hipDeviceTotalMem, kRequired, hipError_t, (size_t * bytes, hipDevice_t device))                         \
  X(hipDeviceGetAttribute, kRequired, hipError_t, (int* value, hipDeviceAttribute_t attribute, int device)) \
  X(hipDeviceCanAccessPeer, kRequired, hipError_t, (int* can, int device, int peer))                        \
  X(hipDeviceGetP2PAttribute, kRequired, hipError_t, (int* value, hipDeviceP2PAttr attribute, int from, int to))

/// They fill a struct of which Halyard reads one member; a library exports one of them or both.
#define HALYARD_HIP_PROPERTIES_FUNCTIONS(X)                                        \
  X(hipGetDeviceProperties, kOptional, hipError_t, (void* properties, int device)) \
  X(hipGetDevicePropertiesR0600, kOptional, hipError_t, (void* properties, int device))

#define HALYARD_HIP_STREAM_FUNCTIONS(X)                                                                    \
  X(hipStreamCreateWithFlags, kRequired, hipError_t, (hipStream_t * stream, unsigned int flags))           \
  X(hipStreamDestroy, kRequired, hipError_t, (hipStream_t stream))                                         \
  X(hipStreamSynchronize, kRequired, hipError_t, (hipStream_t stream))                                     \
  X(hipStreamWaitEvent, kRequired, hipError_t, (hipStream_t stream, hipEvent_t event, unsigned int flags)) \
  X(hipStreamWriteValue64, kRequired, hipError_t,                                                          \
    (hipStream_t stream, void* address, uint64_t value, unsigned int flags))                               \
  X(hipStreamGetDevice, kRequired, hipError_t, (hipStream_t stream, hipDevice_t * device))                 \
  X(hipStreamIsCapturing, kRequired, hipError_t, (hipStream_t stream, hipStreamCaptureStatus * status))    \
  X(hipStreamBeginCapture, kRequired, hipError_t, (hipStream_t stream, hipStreamCaptureMode mode))         \
  X(hipStreamEndCapture, kRequired, hipError_t, (hipStream_t stream, hipGraph_t * graph))                  \
  X(hipThreadExchangeStreamCaptureMode, kRequired, hipError_t, (hipStreamCaptureMode * mode))              \
  X(hipLaunchHostFunc, kRequired, hipError_t, (hipStream_t stream, hipHostFn_t function, void* user_data)) \
  X(hipEventCreateWithFlags, kRequired, hipError_t, (hipEvent_t * event, unsigned int flags))              \
  X(hipEventDestroy, kRequired, hipError_t, (hipEvent_t event))                                            \
  X(hipEventRecord, kRequired, hipError_t, (hipEvent_t event, hipStream_t stream))                         \
  X(hipEventQuery, kRequired, hipError_t, (hipEvent_t event))                                              \
  X(hipEventSynchronize, kRequired, hipError_t, (hipEvent_t event))                                        \
  X(hipEventElapsedTime, kRequired, hipError_t, (float* milliseconds, hipEvent_t start, hipEvent_t end))

#define HALYARD_HIP_MEMORY_FUNCTIONS(X)                                                                             \
  X(hipMemGetInfo, kRequired, hipError_t, (size_t * free, size_t * total))                                          \
  X(hipMalloc, kRequired, hipError_t, (void** address, size_t bytes))                                               \
  X(hipFree, kRequired, hipError_t, (void* address))                                                                \
  X(hipMallocManaged, kRequired, hipError_t, (void** address, size_t bytes, unsigned int flags))                    \
  X(hipHostMalloc, kRequired, hipError_t, (void** memory, size_t bytes, unsigned int flags))                        \
  X(hipHostFree, kRequired, hipError_t, (void* memory))                                                             \
  X(hipHostRegister, kRequired, hipError_t, (void* memory, size_t bytes, unsigned int flags))                       \
  X(hipHostUnregister, kRequired, hipError_t, (void* memory))                                                       \
  X(hipHostGetDevicePointer, kRequired, hipError_t, (void** address, void* memory, unsigned int flags))             \
  X(hipPointerGetAttribute, kRequired, hipError_t,                                                                  \
    (void* data, hipPointer_attribute attribute, hipDeviceptr_t address))                                           \
  X(hipMemPoolCreate, kRequired, hipError_t, (hipMemPool_t * pool, const hipMemPoolProps* properties))              \
  X(hipMemPoolDestroy, kRequired, hipError_t, (hipMemPool_t pool))                                                  \
  X(hipMemPoolSetAttribute, kRequired, hipError_t, (hipMemPool_t pool, hipMemPoolAttr attribute, void* value))      \
  X(hipMemPoolTrimTo, kRequired, hipError_t, (hipMemPool_t pool, size_t bytes_to_keep))                             \
  X(hipMallocFromPoolAsync, kRequired, hipError_t,                                                                  \
    (void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream))                                          \
  X(hipFreeAsync, kRequired, hipError_t, (void* address, hipStream_t stream))                                       \
  X(hipMemsetD8Async, kRequired, hipError_t,                                                                        \
    (hipDeviceptr_t target, unsigned char value, size_t count, hipStream_t stream))                                 \
  X(hipMemsetD16Async, kRequired, hipError_t,                                                                       \
    (hipDeviceptr_t target, unsigned short value, size_t count, hipStream_t stream))                                \
  X(hipMemsetD32Async, kRequired, hipError_t, (hipDeviceptr_t target, int value, size_t count, hipStream_t stream)) \
  X(hipMemcpyAsync, kRequired, hipError_t,                                                                          \
    (void* target, const void* source, size_t bytes, hipMemcpyKind kind, hipStream_t stream))                       \
  X(hipMemcpyHtoDAsync, kRequired, hipError_t,                                                                      \
    (hipDeviceptr_t target, const void* source, size_t bytes, hipStream_t stream))                                  \
  X(hipMemPrefetchAsync, kRequired, hipError_t, (const void* address, size_t bytes, int device, hipStream_t stream))

#define HALYARD_HIP_MODULE_FUNCTIONS(X)                                                                                \
  X(hipModuleLoadData, kRequired, hipError_t, (hipModule_t * module, const void* image))                               \
  X(hipModuleUnload, kRequired, hipError_t, (hipModule_t module))                                                      \
  X(hipModuleGetFunction, kRequired, hipError_t, (hipFunction_t * function, hipModule_t module, const char* name))     \
  X(hipFuncGetAttribute, kRequired, hipError_t, (int* value, hipFunction_attribute attribute, hipFunction_t function)) \
  X(hipModuleLaunchKernel, kRequired, hipError_t,                                                                      \
    (hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,      \
     unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, hipStream_t stream, void** parameters,     \
     void** extra))

#define HALYARD_HIP_GRAPH_FUNCTIONS(X)                                                                              \
  X(hipGraphCreate, kRequired, hipError_t, (hipGraph_t * graph, unsigned int flags))                                \
  X(hipGraphDestroy, kRequired, hipError_t, (hipGraph_t graph))                                                     \
  X(hipGraphAddKernelNode, kRequired, hipError_t,                                                                   \
    (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,                     \
     const hipKernelNodeParams* params))                                                                            \
  X(hipGraphAddMemcpyNode1D, kRequired, hipError_t,                                                                 \
    (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count, void* target,       \
     const void* source, size_t bytes, hipMemcpyKind kind))                                                         \
  X(hipGraphAddMemsetNode, kRequired, hipError_t,                                                                   \
    (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,                     \
     const hipMemsetParams* params))                                                                                \
  X(hipGraphAddEmptyNode, kRequired, hipError_t,                                                                    \
    (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count))                    \
  X(hipGraphInstantiate, kRequired, hipError_t,                                                                     \
    (hipGraphExec_t * exec, hipGraph_t graph, hipGraphNode_t * error_node, char* log, size_t log_bytes))            \
  X(hipGraphExecDestroy, kRequired, hipError_t, (hipGraphExec_t exec))                                              \
  X(hipGraphExecKernelNodeSetParams, kRequired, hipError_t,                                                         \
    (hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams* params))                                  \
  X(hipGraphExecMemcpyNodeSetParams1D, kRequired, hipError_t,                                                       \
    (hipGraphExec_t exec, hipGraphNode_t node, void* target, const void* source, size_t bytes, hipMemcpyKind kind)) \
  X(hipGraphExecMemsetNodeSetParams, kRequired, hipError_t,                                                         \
    (hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params))                                      \
  X(hipGraphLaunch, kRequired, hipError_t, (hipGraphExec_t exec, hipStream_t stream))

// NOLINTNEXTLINE(bugprone-macro-parentheses): a list of parameters
#define HALYARD_HIP_PFN(name, need, result, signature) using PFN_##name = result(*) signature;
/// A type for each, such as PFN_hipMalloc.
HALYARD_HIP_FUNCTIONS(HALYARD_HIP_PFN)
#undef HALYARD_HIP_PFN

/// All of them. An optional one may be null.
struct HipFunctions {
#define HALYARD_HIP_MEMBER(name, need, result, signature) PFN_##name name = nullptr;
  HALYARD_HIP_FUNCTIONS(HALYARD_HIP_MEMBER)
#undef HALYARD_HIP_MEMBER
};

/// A row of HALYARD_HIP_FUNCTIONS as data.
struct FunctionInfo {
  const char* symbol;
  Need need;
};

#define HALYARD_HIP_FUNCTION_INFO(name, need, result, signature) FunctionInfo{#name, Need::need},
/// All of them, in the order of HALYARD_HIP_FUNCTIONS.
inline constexpr FunctionInfo kFunctions[] = {HALYARD_HIP_FUNCTIONS(HALYARD_HIP_FUNCTION_INFO)};
#undef HALYARD_HIP_FUNCTION_INFO

}  // namespace halyard::hip::abi

namespace halyard::hip {

using namespace abi;  // NOLINT(google-build-using-namespace): HIP's names are this driver's language

}  // namespace halyard::hip

#endif  // HALYARD_DRIVERS_HIP_ABI_HIP_ABI_H_
