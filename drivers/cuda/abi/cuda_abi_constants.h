// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The constants of the CUDA driver API that Halyard uses. Enumerations stand in lists; see cuda_abi.h.
#ifndef HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_CONSTANTS_H_
#define HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_CONSTANTS_H_

#include <cstdint>

#ifdef CUDA_VERSION
#error "cuda_abi.h comes before <cuda.h>, whose macros would rename what stands here"
#endif

// NOLINTBEGIN(readability-identifier-naming): the vendor's names
namespace halyard::cuda::abi {

#define HALYARD_CUDA_ENUMERATOR(name, value) name = (value),
#define HALYARD_CUDA_ENUM(type) enum type : int { HALYARD_##type(HALYARD_CUDA_ENUMERATOR, HALYARD_CUDA_ENUMERATOR) }

// Results.

/// What every function returns. A driver may return values that are not listed here.
#define HALYARD_CUresult(X, N)                      \
  X(CUDA_SUCCESS, 0)                                \
  X(CUDA_ERROR_INVALID_VALUE, 1)                    \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2)                    \
  X(CUDA_ERROR_NOT_INITIALIZED, 3)                  \
  X(CUDA_ERROR_DEINITIALIZED, 4)                    \
  X(CUDA_ERROR_PROFILER_DISABLED, 5)                \
  X(CUDA_ERROR_STUB_LIBRARY, 34)                    \
  N(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36)      \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)              \
  X(CUDA_ERROR_NO_DEVICE, 100)                      \
  X(CUDA_ERROR_INVALID_DEVICE, 101)                 \
  X(CUDA_ERROR_DEVICE_NOT_LICENSED, 102)            \
  X(CUDA_ERROR_INVALID_IMAGE, 200)                  \
  X(CUDA_ERROR_INVALID_CONTEXT, 201)                \
  X(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202)        \
  X(CUDA_ERROR_MAP_FAILED, 205)                     \
  X(CUDA_ERROR_UNMAP_FAILED, 206)                   \
  X(CUDA_ERROR_ARRAY_IS_MAPPED, 207)                \
  X(CUDA_ERROR_ALREADY_MAPPED, 208)                 \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)              \
  X(CUDA_ERROR_ALREADY_ACQUIRED, 210)               \
  X(CUDA_ERROR_NOT_MAPPED, 211)                     \
  X(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212)            \
  X(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213)          \
  X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)              \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)              \
  X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216)         \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)        \
  X(CUDA_ERROR_INVALID_PTX, 218)                    \
  X(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219)       \
  X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)           \
  X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)         \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)        \
  X(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)       \
  X(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224)      \
  N(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225)       \
  N(CUDA_ERROR_CONTAINED, 226)                      \
  X(CUDA_ERROR_INVALID_SOURCE, 300)                 \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301)                 \
  X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302) \
  X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303)      \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304)               \
  X(CUDA_ERROR_INVALID_HANDLE, 400)                 \
  X(CUDA_ERROR_ILLEGAL_STATE, 401)                  \
  N(CUDA_ERROR_LOSSY_QUERY, 402)                    \
  X(CUDA_ERROR_NOT_FOUND, 500)                      \
  X(CUDA_ERROR_NOT_READY, 600)                      \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)        \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                 \
  X(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703)  \
  X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)    \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705)        \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)         \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)           \
  X(CUDA_ERROR_ASSERT, 710)                         \
  X(CUDA_ERROR_TOO_MANY_PEERS, 711)                 \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712) \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)     \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)           \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)            \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)             \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)          \
  X(CUDA_ERROR_INVALID_PC, 718)                     \
  X(CUDA_ERROR_LAUNCH_FAILED, 719)                  \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)   \
  N(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)             \
  X(CUDA_ERROR_NOT_PERMITTED, 800)                  \
  X(CUDA_ERROR_NOT_SUPPORTED, 801)                  \
  X(CUDA_ERROR_SYSTEM_NOT_READY, 802)               \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)         \
  X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804) \
  X(CUDA_ERROR_MPS_CONNECTION_FAILED, 805)          \
  X(CUDA_ERROR_MPS_RPC_FAILURE, 806)                \
  X(CUDA_ERROR_MPS_SERVER_NOT_READY, 807)           \
  X(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808)        \
  X(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809)    \
  X(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810)          \
  X(CUDA_ERROR_CDP_NOT_SUPPORTED, 811)              \
  X(CUDA_ERROR_CDP_VERSION_MISMATCH, 812)           \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)     \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)     \
  X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902)           \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903)       \
  X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904)        \
  X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905)       \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)        \
  X(CUDA_ERROR_CAPTURED_EVENT, 907)                 \
  X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)    \
  X(CUDA_ERROR_TIMEOUT, 909)                        \
  X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910)      \
  X(CUDA_ERROR_EXTERNAL_DEVICE, 911)                \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)           \
  N(CUDA_ERROR_FUNCTION_NOT_LOADED, 913)            \
  N(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914)          \
  N(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915) \
  N(CUDA_ERROR_KEY_ROTATION, 916)                   \
  X(CUDA_ERROR_UNKNOWN, 999)
HALYARD_CUDA_ENUM(CUresult);

// Devices and contexts.

/// Sizes are in bytes, clock rates in kilohertz, bus widths in bits.
#define HALYARD_CUdevice_attribute(X, N)                                   \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                          \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                                \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                                \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                                \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                 \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                                 \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                                 \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                    \
  X(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 9)                          \
  X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                     \
  X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)                       \
  X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                    \
  X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                          \
  X(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 17)                           \
  X(CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                                    \
  X(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19)                           \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                                  \
  X(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 31)                            \
  X(CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                   \
  X(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)                                    \
  X(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)                                 \
  X(CU_DEVICE_ATTRIBUTE_TCC_DRIVER, 35)                                    \
  X(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                             \
  X(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                       \
  X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                 \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                \
  X(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)                            \
  X(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 41)                            \
  X(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)                                 \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                      \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                      \
  X(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 78)                   \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)          \
  X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82)              \
  X(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                                \
  X(CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 86)                  \
  X(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 88)                        \
  X(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89)                     \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 90)                  \
  X(CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91)       \
  X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                            \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)             \
  X(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 98)                       \
  X(CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 99)                       \
  X(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100) \
  X(CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101)          \
  X(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)          \
  X(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103)  \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                \
  X(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 111)             \
  X(CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 113)            \
  X(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)                       \
  X(CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 119)               \
  X(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120)                               \
  X(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 122)                \
  X(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 123)                \
  N(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 128)                 \
  X(CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 129)                    \
  N(CU_DEVICE_ATTRIBUTE_NUMA_ID, 131)
HALYARD_CUDA_ENUM(CUdevice_attribute);

#define HALYARD_CUdevice_P2PAttribute(X, N)      \
  X(CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 1) \
  X(CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 2) \
  X(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)
HALYARD_CUDA_ENUM(CUdevice_P2PAttribute);

/// How a thread waits for the device, in the flags of the primary context.
#define HALYARD_CUctx_flags(X, N)  \
  X(CU_CTX_SCHED_AUTO, 0)          \
  X(CU_CTX_SCHED_SPIN, 1)          \
  X(CU_CTX_SCHED_YIELD, 2)         \
  X(CU_CTX_SCHED_BLOCKING_SYNC, 4) \
  X(CU_CTX_SCHED_MASK, 7)          \
  X(CU_CTX_MAP_HOST, 8)
HALYARD_CUDA_ENUM(CUctx_flags);

#define HALYARD_CUdriverProcAddressQueryResult(X, N) \
  X(CU_GET_PROC_ADDRESS_SUCCESS, 0)                  \
  X(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1)         \
  X(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, 2)
HALYARD_CUDA_ENUM(CUdriverProcAddressQueryResult);

/// Passed as 64 bits.
#define HALYARD_CUdriverProcAddress_flags(X, N) \
  X(CU_GET_PROC_ADDRESS_DEFAULT, 0)             \
  X(CU_GET_PROC_ADDRESS_LEGACY_STREAM, 1)       \
  X(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, 2)
HALYARD_CUDA_ENUM(CUdriverProcAddress_flags);

// Streams and events.

#define HALYARD_CUstream_flags(X, N) \
  X(CU_STREAM_DEFAULT, 0)            \
  X(CU_STREAM_NON_BLOCKING, 1)
HALYARD_CUDA_ENUM(CUstream_flags);

#define HALYARD_CUstreamCaptureStatus(X, N) \
  X(CU_STREAM_CAPTURE_STATUS_NONE, 0)       \
  X(CU_STREAM_CAPTURE_STATUS_ACTIVE, 1)     \
  X(CU_STREAM_CAPTURE_STATUS_INVALIDATED, 2)
HALYARD_CUDA_ENUM(CUstreamCaptureStatus);

/// Whose calls a capture forbids if they may be unsafe, and which of them a thread's own are.
#define HALYARD_CUstreamCaptureMode(X, N)   \
  X(CU_STREAM_CAPTURE_MODE_GLOBAL, 0)       \
  X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1) \
  X(CU_STREAM_CAPTURE_MODE_RELAXED, 2)
HALYARD_CUDA_ENUM(CUstreamCaptureMode);

#define HALYARD_CUevent_flags(X, N) \
  X(CU_EVENT_DEFAULT, 0)            \
  X(CU_EVENT_BLOCKING_SYNC, 1)      \
  X(CU_EVENT_DISABLE_TIMING, 2)     \
  X(CU_EVENT_INTERPROCESS, 4)
HALYARD_CUDA_ENUM(CUevent_flags);

/// The comparison. That of GEQ is cyclic: true while (int64_t)(*address - value) >= 0.
#define HALYARD_CUstreamWaitValue_flags(X, N) \
  X(CU_STREAM_WAIT_VALUE_GEQ, 0)              \
  X(CU_STREAM_WAIT_VALUE_EQ, 1)               \
  X(CU_STREAM_WAIT_VALUE_AND, 2)              \
  X(CU_STREAM_WAIT_VALUE_NOR, 3)              \
  X(CU_STREAM_WAIT_VALUE_FLUSH, 0x40000000)
HALYARD_CUDA_ENUM(CUstreamWaitValue_flags);

#define HALYARD_CUstreamWriteValue_flags(X, N) \
  X(CU_STREAM_WRITE_VALUE_DEFAULT, 0)          \
  X(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, 1)
HALYARD_CUDA_ENUM(CUstreamWriteValue_flags);

#define HALYARD_CUstreamBatchMemOpType(X, N) \
  X(CU_STREAM_MEM_OP_WAIT_VALUE_32, 1)       \
  X(CU_STREAM_MEM_OP_WRITE_VALUE_32, 2)      \
  X(CU_STREAM_MEM_OP_WAIT_VALUE_64, 4)       \
  X(CU_STREAM_MEM_OP_WRITE_VALUE_64, 5)      \
  X(CU_STREAM_MEM_OP_BARRIER, 6)             \
  X(CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, 3)
HALYARD_CUDA_ENUM(CUstreamBatchMemOpType);

// Memory.

#define HALYARD_CUmemorytype(X, N) \
  X(CU_MEMORYTYPE_HOST, 1)         \
  X(CU_MEMORYTYPE_DEVICE, 2)       \
  X(CU_MEMORYTYPE_ARRAY, 3)        \
  X(CU_MEMORYTYPE_UNIFIED, 4)
HALYARD_CUDA_ENUM(CUmemorytype);

#define HALYARD_CUpointer_attribute(X, N)      \
  X(CU_POINTER_ATTRIBUTE_CONTEXT, 1)           \
  X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)       \
  X(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 3)    \
  X(CU_POINTER_ATTRIBUTE_HOST_POINTER, 4)      \
  X(CU_POINTER_ATTRIBUTE_BUFFER_ID, 7)         \
  X(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)        \
  X(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)    \
  X(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11) \
  X(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)       \
  X(CU_POINTER_ATTRIBUTE_MAPPED, 13)           \
  X(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 17)
HALYARD_CUDA_ENUM(CUpointer_attribute);

#define HALYARD_CUmem_advise(X, N)             \
  X(CU_MEM_ADVISE_SET_READ_MOSTLY, 1)          \
  X(CU_MEM_ADVISE_UNSET_READ_MOSTLY, 2)        \
  X(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 3)   \
  X(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 4) \
  X(CU_MEM_ADVISE_SET_ACCESSED_BY, 5)          \
  X(CU_MEM_ADVISE_UNSET_ACCESSED_BY, 6)
HALYARD_CUDA_ENUM(CUmem_advise);

#define HALYARD_CUmemAttach_flags(X, N) \
  X(CU_MEM_ATTACH_GLOBAL, 1)            \
  X(CU_MEM_ATTACH_HOST, 2)              \
  X(CU_MEM_ATTACH_SINGLE, 4)
HALYARD_CUDA_ENUM(CUmemAttach_flags);

#define HALYARD_CUmemLocationType(X, N) \
  X(CU_MEM_LOCATION_TYPE_INVALID, 0)    \
  X(CU_MEM_LOCATION_TYPE_DEVICE, 1)     \
  N(CU_MEM_LOCATION_TYPE_HOST, 2)       \
  N(CU_MEM_LOCATION_TYPE_HOST_NUMA, 3)  \
  N(CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 4)
HALYARD_CUDA_ENUM(CUmemLocationType);

#define HALYARD_CUmemAllocationType(X, N) \
  X(CU_MEM_ALLOCATION_TYPE_INVALID, 0)    \
  X(CU_MEM_ALLOCATION_TYPE_PINNED, 1)
HALYARD_CUDA_ENUM(CUmemAllocationType);

#define HALYARD_CUipcMem_flags(X, N) X(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, 1)
HALYARD_CUDA_ENUM(CUipcMem_flags);

#define HALYARD_CUmemAllocationHandleType(X, N)  \
  X(CU_MEM_HANDLE_TYPE_NONE, 0)                  \
  X(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1) \
  N(CU_MEM_HANDLE_TYPE_FABRIC, 8)
HALYARD_CUDA_ENUM(CUmemAllocationHandleType);

#define HALYARD_CUmemAllocationGranularity_flags(X, N) \
  X(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)               \
  X(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1)
HALYARD_CUDA_ENUM(CUmemAllocationGranularity_flags);

#define HALYARD_CUmemAccess_flags(X, N) \
  X(CU_MEM_ACCESS_FLAGS_PROT_NONE, 0)   \
  X(CU_MEM_ACCESS_FLAGS_PROT_READ, 1)   \
  X(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)
HALYARD_CUDA_ENUM(CUmemAccess_flags);

/// The first three are an int, the others 64 bits.
#define HALYARD_CUmemPool_attribute(X, N)                 \
  X(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1)   \
  X(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 2)         \
  X(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 3) \
  X(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4)                 \
  X(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 5)              \
  X(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 6)                 \
  X(CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 7)                  \
  X(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 8)
HALYARD_CUDA_ENUM(CUmemPool_attribute);

// What the vendor's header has as macros: flags of cuMemHostAlloc() and cuMemHostRegister(), a special device, and the
// markers of cuLaunchKernel()'s `extra`.
inline constexpr unsigned int CU_MEMHOSTALLOC_PORTABLE = 1;
inline constexpr unsigned int CU_MEMHOSTALLOC_DEVICEMAP = 2;
inline constexpr unsigned int CU_MEMHOSTREGISTER_PORTABLE = 1;
inline constexpr unsigned int CU_MEMHOSTREGISTER_DEVICEMAP = 2;
inline constexpr int CU_DEVICE_CPU = -1;
inline constexpr uintptr_t CU_LAUNCH_PARAM_END_AS_INT = 0;
inline constexpr uintptr_t CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT = 1;
inline constexpr uintptr_t CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT = 2;

// Modules and launches.

/// A value is passed in the place of a void*: a number as the pointer itself.
#define HALYARD_CUjit_option(X, N)         \
  X(CU_JIT_MAX_REGISTERS, 0)               \
  X(CU_JIT_THREADS_PER_BLOCK, 1)           \
  X(CU_JIT_WALL_TIME, 2)                   \
  X(CU_JIT_INFO_LOG_BUFFER, 3)             \
  X(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)  \
  X(CU_JIT_ERROR_LOG_BUFFER, 5)            \
  X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
  X(CU_JIT_OPTIMIZATION_LEVEL, 7)          \
  X(CU_JIT_TARGET_FROM_CUCONTEXT, 8)       \
  X(CU_JIT_TARGET, 9)                      \
  X(CU_JIT_FALLBACK_STRATEGY, 10)          \
  X(CU_JIT_GENERATE_DEBUG_INFO, 11)        \
  X(CU_JIT_LOG_VERBOSE, 12)                \
  X(CU_JIT_GENERATE_LINE_INFO, 13)         \
  X(CU_JIT_CACHE_MODE, 14)
HALYARD_CUDA_ENUM(CUjit_option);

#define HALYARD_CUjitInputType(X, N) \
  X(CU_JIT_INPUT_CUBIN, 0)           \
  X(CU_JIT_INPUT_PTX, 1)             \
  X(CU_JIT_INPUT_FATBINARY, 2)
HALYARD_CUDA_ENUM(CUjitInputType);

#define HALYARD_CUfunction_attribute(X, N)                 \
  X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)            \
  X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                \
  X(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                 \
  X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                 \
  X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                         \
  X(CU_FUNC_ATTRIBUTE_PTX_VERSION, 5)                      \
  X(CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6)                   \
  X(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 7)                    \
  X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)    \
  X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9) \
  X(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)
HALYARD_CUDA_ENUM(CUfunction_attribute);

/// CUkernelNodeAttrID too.
#define HALYARD_CUlaunchAttributeID(X, N)                     \
  X(CU_LAUNCH_ATTRIBUTE_IGNORE, 0)                            \
  X(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                       \
  X(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 3)            \
  X(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                 \
  X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6) \
  X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 7)                \
  X(CU_LAUNCH_ATTRIBUTE_PRIORITY, 8)                          \
  N(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12)          \
  N(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 13)
HALYARD_CUDA_ENUM(CUlaunchAttributeID);

// Tensor maps.

#define HALYARD_CUtensorMapDataType(X, N)    \
  X(CU_TENSOR_MAP_DATA_TYPE_UINT8, 0)        \
  X(CU_TENSOR_MAP_DATA_TYPE_UINT16, 1)       \
  X(CU_TENSOR_MAP_DATA_TYPE_UINT32, 2)       \
  X(CU_TENSOR_MAP_DATA_TYPE_INT32, 3)        \
  X(CU_TENSOR_MAP_DATA_TYPE_UINT64, 4)       \
  X(CU_TENSOR_MAP_DATA_TYPE_INT64, 5)        \
  X(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6)      \
  X(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7)      \
  X(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8)      \
  X(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 9)     \
  X(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 10) \
  X(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 11)    \
  X(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 12)
HALYARD_CUDA_ENUM(CUtensorMapDataType);

#define HALYARD_CUtensorMapInterleave(X, N) X(CU_TENSOR_MAP_INTERLEAVE_NONE, 0)
HALYARD_CUDA_ENUM(CUtensorMapInterleave);

#define HALYARD_CUtensorMapSwizzle(X, N) \
  X(CU_TENSOR_MAP_SWIZZLE_NONE, 0)       \
  X(CU_TENSOR_MAP_SWIZZLE_32B, 1)        \
  X(CU_TENSOR_MAP_SWIZZLE_64B, 2)        \
  X(CU_TENSOR_MAP_SWIZZLE_128B, 3)
HALYARD_CUDA_ENUM(CUtensorMapSwizzle);

#define HALYARD_CUtensorMapL2promotion(X, N) \
  X(CU_TENSOR_MAP_L2_PROMOTION_NONE, 0)      \
  X(CU_TENSOR_MAP_L2_PROMOTION_L2_64B, 1)    \
  X(CU_TENSOR_MAP_L2_PROMOTION_L2_128B, 2)   \
  X(CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)
HALYARD_CUDA_ENUM(CUtensorMapL2promotion);

#define HALYARD_CUtensorMapFloatOOBfill(X, N) \
  X(CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, 0)     \
  X(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA, 1)
HALYARD_CUDA_ENUM(CUtensorMapFloatOOBfill);

// Graphs.

#define HALYARD_CUgraphNodeType(X, N) \
  X(CU_GRAPH_NODE_TYPE_KERNEL, 0)     \
  X(CU_GRAPH_NODE_TYPE_MEMCPY, 1)     \
  X(CU_GRAPH_NODE_TYPE_MEMSET, 2)     \
  X(CU_GRAPH_NODE_TYPE_HOST, 3)       \
  X(CU_GRAPH_NODE_TYPE_GRAPH, 4)      \
  X(CU_GRAPH_NODE_TYPE_EMPTY, 5)      \
  X(CU_GRAPH_NODE_TYPE_WAIT_EVENT, 6) \
  X(CU_GRAPH_NODE_TYPE_EVENT_RECORD, 7)
HALYARD_CUDA_ENUM(CUgraphNodeType);

#define HALYARD_CUgraphInstantiate_flags(X, N)          \
  X(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, 1) \
  X(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, 2)              \
  X(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, 4)       \
  X(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, 8)
HALYARD_CUDA_ENUM(CUgraphInstantiate_flags);

#undef HALYARD_CUDA_ENUM
#undef HALYARD_CUDA_ENUMERATOR

}  // namespace halyard::cuda::abi
// NOLINTEND(readability-identifier-naming)

#endif  // HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_CONSTANTS_H_
