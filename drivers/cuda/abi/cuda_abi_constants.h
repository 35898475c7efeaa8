// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The constants of the CUDA driver API that Halyard uses; see cuda_abi.h for how names and lists are made.
#ifndef HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_CONSTANTS_H_
#define HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_CONSTANTS_H_

#include <cstdint>

namespace halyard::cuda::abi {

#define HALYARD_CUDA_ENUMERATOR(name, vendor, value) name = (value),

// Results.

/// CUresult: what every function returns. A driver may return values that are not listed here.
#define HALYARD_CUDA_RESULTS(X, N)                                                      \
  X(kSuccess, CUDA_SUCCESS, 0)                                                          \
  X(kErrorInvalidValue, CUDA_ERROR_INVALID_VALUE, 1)                                    \
  X(kErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, 2)                                     \
  X(kErrorNotInitialized, CUDA_ERROR_NOT_INITIALIZED, 3)                                \
  X(kErrorDeinitialized, CUDA_ERROR_DEINITIALIZED, 4)                                   \
  X(kErrorProfilerDisabled, CUDA_ERROR_PROFILER_DISABLED, 5)                            \
  X(kErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY, 34)                                     \
  X(kErrorCallRequiresNewerDriver, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36)           \
  X(kErrorDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                         \
  X(kErrorNoDevice, CUDA_ERROR_NO_DEVICE, 100)                                          \
  X(kErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE, 101)                                \
  X(kErrorDeviceNotLicensed, CUDA_ERROR_DEVICE_NOT_LICENSED, 102)                       \
  X(kErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE, 200)                                  \
  X(kErrorInvalidContext, CUDA_ERROR_INVALID_CONTEXT, 201)                              \
  X(kErrorContextAlreadyCurrent, CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202)               \
  X(kErrorMapFailed, CUDA_ERROR_MAP_FAILED, 205)                                        \
  X(kErrorUnmapFailed, CUDA_ERROR_UNMAP_FAILED, 206)                                    \
  X(kErrorArrayIsMapped, CUDA_ERROR_ARRAY_IS_MAPPED, 207)                               \
  X(kErrorAlreadyMapped, CUDA_ERROR_ALREADY_MAPPED, 208)                                \
  X(kErrorNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                            \
  X(kErrorAlreadyAcquired, CUDA_ERROR_ALREADY_ACQUIRED, 210)                            \
  X(kErrorNotMapped, CUDA_ERROR_NOT_MAPPED, 211)                                        \
  X(kErrorNotMappedAsArray, CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212)                        \
  X(kErrorNotMappedAsPointer, CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213)                    \
  X(kErrorEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214)                          \
  X(kErrorUnsupportedLimit, CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                          \
  X(kErrorContextAlreadyInUse, CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216)                  \
  X(kErrorPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)               \
  X(kErrorInvalidPtx, CUDA_ERROR_INVALID_PTX, 218)                                      \
  X(kErrorInvalidGraphicsContext, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219)             \
  X(kErrorNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                    \
  X(kErrorJitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)                  \
  X(kErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)               \
  X(kErrorJitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)             \
  X(kErrorUnsupportedExecAffinity, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224)           \
  N(kErrorUnsupportedDevsideSync, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225)             \
  N(kErrorContained, CUDA_ERROR_CONTAINED, 226)                                         \
  X(kErrorInvalidSource, CUDA_ERROR_INVALID_SOURCE, 300)                                \
  X(kErrorFileNotFound, CUDA_ERROR_FILE_NOT_FOUND, 301)                                 \
  X(kErrorSharedObjectSymbolNotFound, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302)   \
  X(kErrorSharedObjectInitFailed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303)            \
  X(kErrorOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM, 304)                            \
  X(kErrorInvalidHandle, CUDA_ERROR_INVALID_HANDLE, 400)                                \
  X(kErrorIllegalState, CUDA_ERROR_ILLEGAL_STATE, 401)                                  \
  X(kErrorLossyQuery, CUDA_ERROR_LOSSY_QUERY, 402)                                      \
  X(kErrorNotFound, CUDA_ERROR_NOT_FOUND, 500)                                          \
  X(kErrorNotReady, CUDA_ERROR_NOT_READY, 600)                                          \
  X(kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700)                              \
  X(kErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                \
  X(kErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                \
  X(kErrorLaunchIncompatibleTexturing, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703)   \
  X(kErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)        \
  X(kErrorPeerAccessNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705)                \
  X(kErrorPrimaryContextActive, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)                 \
  X(kErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                     \
  X(kErrorAssert, CUDA_ERROR_ASSERT, 710)                                               \
  X(kErrorTooManyPeers, CUDA_ERROR_TOO_MANY_PEERS, 711)                                 \
  X(kErrorHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)  \
  X(kErrorHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)          \
  X(kErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                     \
  X(kErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                      \
  X(kErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, 716)                        \
  X(kErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                   \
  X(kErrorInvalidPc, CUDA_ERROR_INVALID_PC, 718)                                        \
  X(kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED, 719)                                  \
  X(kErrorCooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)      \
  N(kErrorTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)                         \
  X(kErrorNotPermitted, CUDA_ERROR_NOT_PERMITTED, 800)                                  \
  X(kErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED, 801)                                  \
  X(kErrorSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY, 802)                             \
  X(kErrorSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)                 \
  X(kErrorCompatNotSupportedOnDevice, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804)   \
  X(kErrorMpsConnectionFailed, CUDA_ERROR_MPS_CONNECTION_FAILED, 805)                   \
  X(kErrorMpsRpcFailure, CUDA_ERROR_MPS_RPC_FAILURE, 806)                               \
  X(kErrorMpsServerNotReady, CUDA_ERROR_MPS_SERVER_NOT_READY, 807)                      \
  X(kErrorMpsMaxClientsReached, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808)                \
  X(kErrorMpsMaxConnectionsReached, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809)        \
  X(kErrorMpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED, 810)                   \
  X(kErrorCdpNotSupported, CUDA_ERROR_CDP_NOT_SUPPORTED, 811)                           \
  X(kErrorCdpVersionMismatch, CUDA_ERROR_CDP_VERSION_MISMATCH, 812)                     \
  X(kErrorStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)         \
  X(kErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)         \
  X(kErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE, 902)                     \
  X(kErrorStreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903)             \
  X(kErrorStreamCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904)               \
  X(kErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905)             \
  X(kErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)               \
  X(kErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT, 907)                                \
  X(kErrorStreamCaptureWrongThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)        \
  X(kErrorTimeout, CUDA_ERROR_TIMEOUT, 909)                                             \
  X(kErrorGraphExecUpdateFailure, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910)            \
  X(kErrorExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE, 911)                              \
  X(kErrorInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                     \
  N(kErrorFunctionNotLoaded, CUDA_ERROR_FUNCTION_NOT_LOADED, 913)                       \
  N(kErrorInvalidResourceType, CUDA_ERROR_INVALID_RESOURCE_TYPE, 914)                   \
  N(kErrorInvalidResourceConfiguration, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915) \
  N(kErrorKeyRotation, CUDA_ERROR_KEY_ROTATION, 916)                                    \
  X(kErrorUnknown, CUDA_ERROR_UNKNOWN, 999)
enum class Result : int { HALYARD_CUDA_RESULTS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

// Devices and contexts.

/// CUdevice_attribute: sizes are in bytes, clock rates in kilohertz, bus widths in bits.
#define HALYARD_CUDA_DEVICE_ATTRIBUTES(X, N)                                                                        \
  X(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                              \
  X(kMaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                                                          \
  X(kMaxBlockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                                                          \
  X(kMaxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                                                          \
  X(kMaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                                            \
  X(kMaxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                                                            \
  X(kMaxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                                                            \
  X(kMaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                   \
  X(kTotalConstantMemory, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 9)                                             \
  X(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                                   \
  X(kMaxRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)                                         \
  X(kClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                                                 \
  X(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                             \
  X(kKernelExecTimeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 17)                                                \
  X(kIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                                                                \
  X(kCanMapHostMemory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19)                                                 \
  X(kComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                                                             \
  X(kConcurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 31)                                                 \
  X(kEccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                                               \
  X(kPciBusId, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)                                                                  \
  X(kPciDeviceId, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)                                                            \
  X(kTccDriver, CU_DEVICE_ATTRIBUTE_TCC_DRIVER, 35)                                                                 \
  X(kMemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                                                    \
  X(kGlobalMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                                         \
  X(kL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                                            \
  X(kMaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                           \
  X(kAsyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)                                                  \
  X(kUnifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 41)                                                 \
  X(kPciDomainId, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)                                                            \
  X(kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                      \
  X(kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                      \
  X(kStreamPrioritiesSupported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 78)                                \
  X(kMaxSharedMemoryPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                \
  X(kMaxRegistersPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82)                       \
  X(kManagedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                                                         \
  X(kHostNativeAtomicSupported, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 86)                               \
  X(kPageableMemoryAccess, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 88)                                          \
  X(kConcurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89)                                    \
  X(kComputePreemptionSupported, CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 90)                              \
  X(kCanUseHostPointerForRegisteredMem, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91)            \
  X(kCooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                                                 \
  X(kMaxSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                       \
  X(kCanFlushRemoteWrites, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 98)                                         \
  X(kHostRegisterSupported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 99)                                        \
  X(kPageableMemoryAccessUsesHostPageTables, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100) \
  X(kDirectManagedMemAccessFromHost, CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101)                  \
  X(kVirtualMemoryManagementSupported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)                \
  X(kMaxBlocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                            \
  X(kReservedSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 111)                       \
  X(kReadOnlyHostRegisterSupported, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 113)                     \
  X(kMemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)                                         \
  X(kMempoolSupportedHandleTypes, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 119)                          \
  X(kClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120)                                                        \
  X(kCanUse64BitStreamMemOps, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 122)                               \
  X(kCanUseStreamWaitValueNor, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 123)                              \
  X(kUnifiedFunctionPointers, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 129)                                   \
  X(kNumaId, CU_DEVICE_ATTRIBUTE_NUMA_ID, 131)
enum class DeviceAttribute : int { HALYARD_CUDA_DEVICE_ATTRIBUTES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUdevice_P2PAttribute.
#define HALYARD_CUDA_P2P_ATTRIBUTES(X, N)                          \
  X(kPerformanceRank, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 1) \
  X(kAccessSupported, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 2) \
  X(kNativeAtomicSupported, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)
enum class P2pAttribute : int { HALYARD_CUDA_P2P_ATTRIBUTES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUctx_flags: how a thread waits for the device, in the flags of the primary context.
#define HALYARD_CUDA_CONTEXT_FLAGS(X, N)               \
  X(kSchedAuto, CU_CTX_SCHED_AUTO, 0)                  \
  X(kSchedSpin, CU_CTX_SCHED_SPIN, 1)                  \
  X(kSchedYield, CU_CTX_SCHED_YIELD, 2)                \
  X(kSchedBlockingSync, CU_CTX_SCHED_BLOCKING_SYNC, 4) \
  X(kSchedMask, CU_CTX_SCHED_MASK, 7)                  \
  X(kMapHost, CU_CTX_MAP_HOST, 8)
enum class ContextFlags : int { HALYARD_CUDA_CONTEXT_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUdriverProcAddressQueryResult.
#define HALYARD_CUDA_PROC_ADDRESS_RESULTS(X, N)               \
  X(kSuccess, CU_GET_PROC_ADDRESS_SUCCESS, 0)                 \
  X(kSymbolNotFound, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1) \
  X(kVersionNotSufficient, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, 2)
enum class ProcAddressResult : int {
  HALYARD_CUDA_PROC_ADDRESS_RESULTS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

/// CUdriverProcAddress_flags, passed as 64 bits.
#define HALYARD_CUDA_PROC_ADDRESS_FLAGS(X, N)            \
  X(kDefault, CU_GET_PROC_ADDRESS_DEFAULT, 0)            \
  X(kLegacyStream, CU_GET_PROC_ADDRESS_LEGACY_STREAM, 1) \
  X(kPerThreadDefaultStream, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, 2)
enum class ProcAddressFlags : int { HALYARD_CUDA_PROC_ADDRESS_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

// Streams and events.

/// CUstream_flags.
#define HALYARD_CUDA_STREAM_FLAGS(X, N) \
  X(kDefault, CU_STREAM_DEFAULT, 0)     \
  X(kNonBlocking, CU_STREAM_NON_BLOCKING, 1)
enum class StreamFlags : int { HALYARD_CUDA_STREAM_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUstreamCaptureStatus.
#define HALYARD_CUDA_STREAM_CAPTURE_STATUSES(X, N) \
  X(kNone, CU_STREAM_CAPTURE_STATUS_NONE, 0)       \
  X(kActive, CU_STREAM_CAPTURE_STATUS_ACTIVE, 1)   \
  X(kInvalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED, 2)
enum class StreamCaptureStatus : int {
  HALYARD_CUDA_STREAM_CAPTURE_STATUSES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

/// CUstreamCaptureMode: whose calls a capture forbids if they may be unsafe, and which of them a thread's own are.
#define HALYARD_CUDA_STREAM_CAPTURE_MODES(X, N)           \
  X(kGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL, 0)            \
  X(kThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1) \
  X(kRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED, 2)
enum class StreamCaptureMode : int {
  HALYARD_CUDA_STREAM_CAPTURE_MODES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

/// CUevent_flags.
#define HALYARD_CUDA_EVENT_FLAGS(X, N)          \
  X(kDefault, CU_EVENT_DEFAULT, 0)              \
  X(kBlockingSync, CU_EVENT_BLOCKING_SYNC, 1)   \
  X(kDisableTiming, CU_EVENT_DISABLE_TIMING, 2) \
  X(kInterprocess, CU_EVENT_INTERPROCESS, 4)
enum class EventFlags : int { HALYARD_CUDA_EVENT_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUstreamWaitValue_flags: the comparison. kGeq is cyclic: true while (int64_t)(*address - value) >= 0.
#define HALYARD_CUDA_WAIT_VALUE_FLAGS(X, N) \
  X(kGeq, CU_STREAM_WAIT_VALUE_GEQ, 0)      \
  X(kEq, CU_STREAM_WAIT_VALUE_EQ, 1)        \
  X(kAnd, CU_STREAM_WAIT_VALUE_AND, 2)      \
  X(kNor, CU_STREAM_WAIT_VALUE_NOR, 3)      \
  X(kFlush, CU_STREAM_WAIT_VALUE_FLUSH, 0x40000000)
enum class WaitValueFlags : int { HALYARD_CUDA_WAIT_VALUE_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUstreamWriteValue_flags.
#define HALYARD_CUDA_WRITE_VALUE_FLAGS(X, N)    \
  X(kDefault, CU_STREAM_WRITE_VALUE_DEFAULT, 0) \
  X(kNoMemoryBarrier, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, 1)
enum class WriteValueFlags : int { HALYARD_CUDA_WRITE_VALUE_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUstreamBatchMemOpType.
#define HALYARD_CUDA_STREAM_MEM_OPS(X, N)              \
  X(kWaitValue32, CU_STREAM_MEM_OP_WAIT_VALUE_32, 1)   \
  X(kWriteValue32, CU_STREAM_MEM_OP_WRITE_VALUE_32, 2) \
  X(kWaitValue64, CU_STREAM_MEM_OP_WAIT_VALUE_64, 4)   \
  X(kWriteValue64, CU_STREAM_MEM_OP_WRITE_VALUE_64, 5) \
  X(kBarrier, CU_STREAM_MEM_OP_BARRIER, 6)             \
  X(kFlushRemoteWrites, CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, 3)
enum class StreamMemOp : int { HALYARD_CUDA_STREAM_MEM_OPS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

// Memory.

/// CUmemorytype.
#define HALYARD_CUDA_MEMORY_TYPES(X, N) \
  X(kHost, CU_MEMORYTYPE_HOST, 1)       \
  X(kDevice, CU_MEMORYTYPE_DEVICE, 2)   \
  X(kArray, CU_MEMORYTYPE_ARRAY, 3)     \
  X(kUnified, CU_MEMORYTYPE_UNIFIED, 4)
enum class MemoryType : int { HALYARD_CUDA_MEMORY_TYPES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUpointer_attribute.
#define HALYARD_CUDA_POINTER_ATTRIBUTES(X, N)                   \
  X(kContext, CU_POINTER_ATTRIBUTE_CONTEXT, 1)                  \
  X(kMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)           \
  X(kDevicePointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 3)     \
  X(kHostPointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, 4)         \
  X(kBufferId, CU_POINTER_ATTRIBUTE_BUFFER_ID, 7)               \
  X(kIsManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)             \
  X(kDeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)     \
  X(kRangeStartAddr, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11) \
  X(kRangeSize, CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)            \
  X(kMapped, CU_POINTER_ATTRIBUTE_MAPPED, 13)                   \
  X(kMempoolHandle, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 17)
enum class PointerAttribute : int { HALYARD_CUDA_POINTER_ATTRIBUTES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUmem_advise.
#define HALYARD_CUDA_MEM_ADVICES(X, N)                                  \
  X(kSetReadMostly, CU_MEM_ADVISE_SET_READ_MOSTLY, 1)                   \
  X(kUnsetReadMostly, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 2)               \
  X(kSetPreferredLocation, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 3)     \
  X(kUnsetPreferredLocation, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 4) \
  X(kSetAccessedBy, CU_MEM_ADVISE_SET_ACCESSED_BY, 5)                   \
  X(kUnsetAccessedBy, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 6)
enum class MemAdvice : int { HALYARD_CUDA_MEM_ADVICES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUmemAttach_flags.
#define HALYARD_CUDA_MEM_ATTACH_FLAGS(X, N) \
  X(kGlobal, CU_MEM_ATTACH_GLOBAL, 1)       \
  X(kHost, CU_MEM_ATTACH_HOST, 2)           \
  X(kSingle, CU_MEM_ATTACH_SINGLE, 4)
enum class MemAttachFlags : int { HALYARD_CUDA_MEM_ATTACH_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUmemLocationType.
#define HALYARD_CUDA_MEM_LOCATION_TYPES(X, N)     \
  X(kInvalid, CU_MEM_LOCATION_TYPE_INVALID, 0)    \
  X(kDevice, CU_MEM_LOCATION_TYPE_DEVICE, 1)      \
  N(kHost, CU_MEM_LOCATION_TYPE_HOST, 2)          \
  N(kHostNuma, CU_MEM_LOCATION_TYPE_HOST_NUMA, 3) \
  N(kHostNumaCurrent, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 4)
enum class MemLocationType : int { HALYARD_CUDA_MEM_LOCATION_TYPES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUmemAllocationType.
#define HALYARD_CUDA_MEM_ALLOCATION_TYPES(X, N)  \
  X(kInvalid, CU_MEM_ALLOCATION_TYPE_INVALID, 0) \
  X(kPinned, CU_MEM_ALLOCATION_TYPE_PINNED, 1)
enum class MemAllocationType : int {
  HALYARD_CUDA_MEM_ALLOCATION_TYPES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

/// CUmemAllocationHandleType.
#define HALYARD_CUDA_MEM_HANDLE_TYPES(X, N) \
  X(kNone, CU_MEM_HANDLE_TYPE_NONE, 0)      \
  X(kPosixFileDescriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1)
enum class MemHandleType : int { HALYARD_CUDA_MEM_HANDLE_TYPES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUmemAccess_flags.
#define HALYARD_CUDA_MEM_ACCESS_FLAGS(X, N)      \
  X(kProtNone, CU_MEM_ACCESS_FLAGS_PROT_NONE, 0) \
  X(kProtRead, CU_MEM_ACCESS_FLAGS_PROT_READ, 1) \
  X(kProtReadwrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)
enum class MemAccessFlags : int { HALYARD_CUDA_MEM_ACCESS_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUmemPool_attribute. The first three are an int, the others 64 bits.
#define HALYARD_CUDA_MEM_POOL_ATTRIBUTES(X, N)                                             \
  X(kReuseFollowEventDependencies, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1)     \
  X(kReuseAllowOpportunistic, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 2)                \
  X(kReuseAllowInternalDependencies, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 3) \
  X(kReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4)                               \
  X(kReservedMemCurrent, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 5)                          \
  X(kReservedMemHigh, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 6)                                \
  X(kUsedMemCurrent, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 7)                                  \
  X(kUsedMemHigh, CU_MEMPOOL_ATTR_USED_MEM_HIGH, 8)
enum class MemPoolAttribute : int {
  HALYARD_CUDA_MEM_POOL_ATTRIBUTES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

/// What the vendor's header has as macros: flags of cuMemHostAlloc() and cuMemHostRegister(), special devices, and the
/// markers of cuLaunchKernel()'s `extra`. The test compares them one by one.
inline constexpr unsigned int kMemHostAllocPortable = 1;
inline constexpr unsigned int kMemHostAllocDeviceMap = 2;
inline constexpr unsigned int kMemHostAllocWriteCombined = 4;
inline constexpr unsigned int kMemHostRegisterPortable = 1;
inline constexpr unsigned int kMemHostRegisterDeviceMap = 2;
inline constexpr unsigned int kMemHostRegisterReadOnly = 8;
inline constexpr int kDeviceCpu = -1;
inline constexpr uintptr_t kLaunchParamEnd = 0;
inline constexpr uintptr_t kLaunchParamBufferPointer = 1;
inline constexpr uintptr_t kLaunchParamBufferSize = 2;

// Modules and launches.

/// CUjit_option. A value is passed in the place of a void*: a number as the pointer itself.
#define HALYARD_CUDA_JIT_OPTIONS(X, N)                               \
  X(kMaxRegisters, CU_JIT_MAX_REGISTERS, 0)                          \
  X(kThreadsPerBlock, CU_JIT_THREADS_PER_BLOCK, 1)                   \
  X(kWallTime, CU_JIT_WALL_TIME, 2)                                  \
  X(kInfoLogBuffer, CU_JIT_INFO_LOG_BUFFER, 3)                       \
  X(kInfoLogBufferSizeBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)   \
  X(kErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER, 5)                     \
  X(kErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
  X(kOptimizationLevel, CU_JIT_OPTIMIZATION_LEVEL, 7)                \
  X(kTargetFromCucontext, CU_JIT_TARGET_FROM_CUCONTEXT, 8)           \
  X(kTarget, CU_JIT_TARGET, 9)                                       \
  X(kFallbackStrategy, CU_JIT_FALLBACK_STRATEGY, 10)                 \
  X(kGenerateDebugInfo, CU_JIT_GENERATE_DEBUG_INFO, 11)              \
  X(kLogVerbose, CU_JIT_LOG_VERBOSE, 12)                             \
  X(kGenerateLineInfo, CU_JIT_GENERATE_LINE_INFO, 13)                \
  X(kCacheMode, CU_JIT_CACHE_MODE, 14)
enum class JitOption : int { HALYARD_CUDA_JIT_OPTIONS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUjitInputType.
#define HALYARD_CUDA_JIT_INPUT_TYPES(X, N) \
  X(kCubin, CU_JIT_INPUT_CUBIN, 0)         \
  X(kPtx, CU_JIT_INPUT_PTX, 1)             \
  X(kFatbinary, CU_JIT_INPUT_FATBINARY, 2)
enum class JitInputType : int { HALYARD_CUDA_JIT_INPUT_TYPES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUfunction_attribute.
#define HALYARD_CUDA_FUNCTION_ATTRIBUTES(X, N)                                      \
  X(kMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                \
  X(kSharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                       \
  X(kConstSizeBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                         \
  X(kLocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                         \
  X(kNumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                        \
  X(kPtxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION, 5)                                  \
  X(kBinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6)                            \
  X(kCacheModeCa, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 7)                               \
  X(kMaxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
  X(kPreferredSharedMemoryCarveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)
enum class FunctionAttribute : int {
  HALYARD_CUDA_FUNCTION_ATTRIBUTES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

/// CUlaunchAttributeID, which is CUkernelNodeAttrID too.
#define HALYARD_CUDA_LAUNCH_ATTRIBUTES(X, N)                                                    \
  X(kIgnore, CU_LAUNCH_ATTRIBUTE_IGNORE, 0)                                                     \
  X(kCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                                           \
  X(kSynchronizationPolicy, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 3)                      \
  X(kClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                                \
  X(kProgrammaticStreamSerialization, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6) \
  X(kProgrammaticEvent, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 7)                              \
  X(kPriority, CU_LAUNCH_ATTRIBUTE_PRIORITY, 8)                                                 \
  N(kLaunchCompletionEvent, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12)                    \
  N(kDeviceUpdatableKernelNode, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 13)
enum class LaunchAttributeId : int { HALYARD_CUDA_LAUNCH_ATTRIBUTES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

// Graphs.

/// CUgraphNodeType.
#define HALYARD_CUDA_GRAPH_NODE_TYPES(X, N)       \
  X(kKernel, CU_GRAPH_NODE_TYPE_KERNEL, 0)        \
  X(kMemcpy, CU_GRAPH_NODE_TYPE_MEMCPY, 1)        \
  X(kMemset, CU_GRAPH_NODE_TYPE_MEMSET, 2)        \
  X(kHost, CU_GRAPH_NODE_TYPE_HOST, 3)            \
  X(kGraph, CU_GRAPH_NODE_TYPE_GRAPH, 4)          \
  X(kEmpty, CU_GRAPH_NODE_TYPE_EMPTY, 5)          \
  X(kWaitEvent, CU_GRAPH_NODE_TYPE_WAIT_EVENT, 6) \
  X(kEventRecord, CU_GRAPH_NODE_TYPE_EVENT_RECORD, 7)
enum class GraphNodeType : int { HALYARD_CUDA_GRAPH_NODE_TYPES(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) };

/// CUgraphInstantiate_flags.
#define HALYARD_CUDA_GRAPH_INSTANTIATE_FLAGS(X, N)                         \
  X(kAutoFreeOnLaunch, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, 1) \
  X(kUpload, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, 2)                        \
  X(kDeviceLaunch, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, 4)           \
  X(kUseNodePriority, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, 8)
enum class GraphInstantiateFlags : int {
  HALYARD_CUDA_GRAPH_INSTANTIATE_FLAGS(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR)
};

#undef HALYARD_CUDA_ENUMERATOR

}  // namespace halyard::cuda::abi

#endif  // HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_CONSTANTS_H_
