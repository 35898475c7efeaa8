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

/// Every function used: X(name, signature).
#define HALYARD_HIP_FUNCTIONS(X) \
  HALYARD_HIP_TEXT_FUNCTIONS(X) HALYARD_HIP_PROPERTIES_FUNCTIONS(X) HALYARD_HIP_CALL_FUNCTIONS(X)

/// They return a text.
#define HALYARD_HIP_TEXT_FUNCTIONS(X) X(hipGetErrorName, (hipError_t error)) X(hipGetErrorString, (hipError_t error))

/// They fill a struct of which Halyard reads one member; a library exports one of them or both.
#define HALYARD_HIP_PROPERTIES_FUNCTIONS(X)                 \
  X(hipGetDeviceProperties, (void* properties, int device)) \
  X(hipGetDevicePropertiesR0600, (void* properties, int device))

/// The others, which every library exports. Devices, streams and events, memory, code, graphs.
#define HALYARD_HIP_CALL_FUNCTIONS(X)                                                                                  \
  X(hipInit, (unsigned int flags))                                                                                     \
  X(hipRuntimeGetVersion, (int* version))                                                                              \
  X(hipGetLastError, ())                                                                                               \
  X(hipGetDeviceCount, (int* count))                                                                                   \
  X(hipGetDevice, (int* device))                                                                                       \
  X(hipSetDevice, (int device))                                                                                        \
  X(hipDeviceGetName, (char* name, int capacity, hipDevice_t device))                                                  \
  X(hipDeviceGetUuid, (hipUUID * uuid, hipDevice_t device))                                                            \
  X(hipDeviceGetPCIBusId, (char* text, int capacity, int device))                                                      \
  X(hipDeviceTotalMem, (size_t * bytes, hipDevice_t device))                                                           \
  X(hipDeviceGetAttribute, (int* value, hipDeviceAttribute_t attribute, int device))                                   \
  X(hipDeviceCanAccessPeer, (int* can, int device, int peer))                                                          \
  X(hipDeviceGetP2PAttribute, (int* value, hipDeviceP2PAttr attribute, int from, int to))                              \
  X(hipDeviceEnablePeerAccess, (int peer, unsigned int flags))                                                         \
  X(hipStreamCreateWithFlags, (hipStream_t * stream, unsigned int flags))                                              \
  X(hipStreamDestroy, (hipStream_t stream))                                                                            \
  X(hipStreamSynchronize, (hipStream_t stream))                                                                        \
  X(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned int flags))                                    \
  X(hipStreamWriteValue64, (hipStream_t stream, void* address, uint64_t value, unsigned int flags))                    \
  X(hipStreamGetDevice, (hipStream_t stream, hipDevice_t * device))                                                    \
  X(hipStreamIsCapturing, (hipStream_t stream, hipStreamCaptureStatus * status))                                       \
  X(hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode))                                            \
  X(hipStreamEndCapture, (hipStream_t stream, hipGraph_t * graph))                                                     \
  X(hipThreadExchangeStreamCaptureMode, (hipStreamCaptureMode * mode))                                                 \
  X(hipLaunchHostFunc, (hipStream_t stream, hipHostFn_t function, void* user_data))                                    \
  X(hipEventCreateWithFlags, (hipEvent_t * event, unsigned int flags))                                                 \
  X(hipEventDestroy, (hipEvent_t event))                                                                               \
  X(hipEventRecord, (hipEvent_t event, hipStream_t stream))                                                            \
  X(hipEventQuery, (hipEvent_t event))                                                                                 \
  X(hipEventSynchronize, (hipEvent_t event))                                                                           \
  X(hipEventElapsedTime, (float* milliseconds, hipEvent_t start, hipEvent_t end))                                      \
  X(hipMemGetInfo, (size_t * free, size_t * total))                                                                    \
  X(hipMalloc, (void** address, size_t bytes))                                                                         \
  X(hipFree, (void* address))                                                                                          \
  X(hipMallocManaged, (void** address, size_t bytes, unsigned int flags))                                              \
  X(hipHostMalloc, (void** memory, size_t bytes, unsigned int flags))                                                  \
  X(hipHostFree, (void* memory))                                                                                       \
  X(hipHostRegister, (void* memory, size_t bytes, unsigned int flags))                                                 \
  X(hipHostUnregister, (void* memory))                                                                                 \
  X(hipHostGetDevicePointer, (void** address, void* memory, unsigned int flags))                                       \
  X(hipPointerGetAttribute, (void* data, hipPointer_attribute attribute, hipDeviceptr_t address))                      \
  X(hipMemPoolCreate, (hipMemPool_t * pool, const hipMemPoolProps* properties))                                        \
  X(hipMemPoolDestroy, (hipMemPool_t pool))                                                                            \
  X(hipMemPoolSetAttribute, (hipMemPool_t pool, hipMemPoolAttr attribute, void* value))                                \
  X(hipMemPoolTrimTo, (hipMemPool_t pool, size_t bytes_to_keep))                                                       \
  X(hipMemGetAddressRange, (hipDeviceptr_t * base, size_t * bytes, hipDeviceptr_t address))                            \
  X(hipIpcGetMemHandle, (hipIpcMemHandle_t * handle, void* address))                                                   \
  X(hipIpcOpenMemHandle, (void** address, hipIpcMemHandle_t handle, unsigned int flags))                               \
  X(hipIpcCloseMemHandle, (void* address))                                                                             \
  X(hipMemPoolSetAccess, (hipMemPool_t pool, const hipMemAccessDesc* accesses, size_t count))                          \
  X(hipMallocFromPoolAsync, (void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream))                     \
  X(hipFreeAsync, (void* address, hipStream_t stream))                                                                 \
  X(hipMemsetD8Async, (hipDeviceptr_t target, unsigned char value, size_t count, hipStream_t stream))                  \
  X(hipMemsetD16Async, (hipDeviceptr_t target, unsigned short value, size_t count, hipStream_t stream))                \
  X(hipMemsetD32Async, (hipDeviceptr_t target, int value, size_t count, hipStream_t stream))                           \
  X(hipMemcpyAsync, (void* target, const void* source, size_t bytes, hipMemcpyKind kind, hipStream_t stream))          \
  X(hipMemcpyHtoDAsync, (hipDeviceptr_t target, const void* source, size_t bytes, hipStream_t stream))                 \
  X(hipMemcpyPeerAsync,                                                                                                \
    (void* target, int target_device, const void* source, int source_device, size_t bytes, hipStream_t stream))        \
  X(hipMemcpy3DAsync, (const hipMemcpy3DParms* params, hipStream_t stream))                                            \
  X(hipMemPrefetchAsync, (const void* address, size_t bytes, int device, hipStream_t stream))                          \
  X(hipModuleLoadData, (hipModule_t * module, const void* image))                                                      \
  X(hipModuleUnload, (hipModule_t module))                                                                             \
  X(hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char* name))                            \
  X(hipModuleGetGlobal, (hipDeviceptr_t * address, size_t * bytes, hipModule_t module, const char* name))              \
  X(hipFuncGetAttribute, (int* value, hipFunction_attribute attribute, hipFunction_t function))                        \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,                                                                \
    (int* blocks, hipFunction_t function, int block_size, size_t dynamic_shared_bytes))                                \
  X(hipModuleLaunchKernel, (hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,     \
                            unsigned int block_x, unsigned int block_y, unsigned int block_z,                          \
                            unsigned int shared_bytes, hipStream_t stream, void** parameters, void** extra))           \
  X(hipGraphCreate, (hipGraph_t * graph, unsigned int flags))                                                          \
  X(hipGraphDestroy, (hipGraph_t graph))                                                                               \
  X(hipGraphAddKernelNode, (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count, \
                            const hipKernelNodeParams* params))                                                        \
  X(hipGraphAddMemcpyNode1D, (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies,             \
                              size_t count, void* target, const void* source, size_t bytes, hipMemcpyKind kind))       \
  X(hipGraphAddMemcpyNode, (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count, \
                            const hipMemcpy3DParms* params))                                                           \
  X(hipGraphAddMemsetNode, (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count, \
                            const hipMemsetParams* params))                                                            \
  X(hipGraphAddEmptyNode, (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count)) \
  X(hipGraphInstantiate,                                                                                               \
    (hipGraphExec_t * exec, hipGraph_t graph, hipGraphNode_t * error_node, char* log, size_t log_bytes))               \
  X(hipGraphExecDestroy, (hipGraphExec_t exec))                                                                        \
  X(hipGraphExecKernelNodeSetParams, (hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams* params))    \
  X(hipGraphExecMemcpyNodeSetParams1D,                                                                                 \
    (hipGraphExec_t exec, hipGraphNode_t node, void* target, const void* source, size_t bytes, hipMemcpyKind kind))    \
  X(hipGraphExecMemcpyNodeSetParams, (hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms * params))            \
  X(hipGraphExecMemsetNodeSetParams, (hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params))        \
  X(hipGraphLaunch, (hipGraphExec_t exec, hipStream_t stream))

// A type for each, such as PFN_hipMalloc.
// NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters
#define HALYARD_HIP_PFN(name, signature) using PFN_##name = hipError_t(*) signature;
#define HALYARD_HIP_TEXT_PFN(name, signature) using PFN_##name = const char*(*)signature;
// NOLINTEND(bugprone-macro-parentheses)
HALYARD_HIP_TEXT_FUNCTIONS(HALYARD_HIP_TEXT_PFN)
HALYARD_HIP_PROPERTIES_FUNCTIONS(HALYARD_HIP_PFN)
HALYARD_HIP_CALL_FUNCTIONS(HALYARD_HIP_PFN)
#undef HALYARD_HIP_TEXT_PFN
#undef HALYARD_HIP_PFN

/// All of them. One of the two that fill properties may be null.
struct HipFunctions {
#define HALYARD_HIP_MEMBER(name, signature) PFN_##name name = nullptr;
  HALYARD_HIP_FUNCTIONS(HALYARD_HIP_MEMBER)
#undef HALYARD_HIP_MEMBER
};

}  // namespace halyard::hip::abi

namespace halyard::hip {

using namespace abi;  // NOLINT(google-build-using-namespace): HIP's names are this driver's language

}  // namespace halyard::hip

#endif  // HALYARD_DRIVERS_HIP_ABI_HIP_ABI_H_
