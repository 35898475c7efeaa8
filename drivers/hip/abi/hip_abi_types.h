// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The constants, handles and structs of the HIP runtime API that Halyard uses; see hip_abi.h.
#ifndef HALYARD_DRIVERS_HIP_ABI_HIP_ABI_TYPES_H_
#define HALYARD_DRIVERS_HIP_ABI_HIP_ABI_TYPES_H_

#include <cstddef>
#include <cstdint>

#ifdef HIP_VERSION
#error "hip_abi.h comes before <hip/hip_runtime_api.h>, whose macros would rename what stands here"
#endif

// NOLINTBEGIN(readability-identifier-naming): the vendor's names
namespace halyard::hip::abi {

/// What every function returns, the two that explain errors excepted. A library may return values that are not listed.
#define HALYARD_hipError_t(X)                 \
  X(hipSuccess, 0)                            \
  X(hipErrorInvalidValue, 1)                  \
  X(hipErrorOutOfMemory, 2)                   \
  X(hipErrorNotInitialized, 3)                \
  X(hipErrorDeinitialized, 4)                 \
  X(hipErrorInvalidConfiguration, 9)          \
  X(hipErrorInvalidDevicePointer, 17)         \
  X(hipErrorInsufficientDriver, 35)           \
  X(hipErrorInvalidDeviceFunction, 98)        \
  X(hipErrorNoDevice, 100)                    \
  X(hipErrorInvalidDevice, 101)               \
  X(hipErrorInvalidImage, 200)                \
  X(hipErrorInvalidContext, 201)              \
  X(hipErrorNoBinaryForGpu, 209)              \
  X(hipErrorECCNotCorrectable, 214)           \
  X(hipErrorPeerAccessUnsupported, 217)       \
  X(hipErrorInvalidKernelFile, 218)           \
  X(hipErrorSharedObjectInitFailed, 303)      \
  X(hipErrorInvalidHandle, 400)               \
  X(hipErrorNotFound, 500)                    \
  X(hipErrorNotReady, 600)                    \
  X(hipErrorIllegalAddress, 700)              \
  X(hipErrorLaunchTimeOut, 702)               \
  X(hipErrorPeerAccessAlreadyEnabled, 704)    \
  X(hipErrorContextIsDestroyed, 709)          \
  X(hipErrorAssert, 710)                      \
  X(hipErrorHostMemoryAlreadyRegistered, 712) \
  X(hipErrorHostMemoryNotRegistered, 713)     \
  X(hipErrorLaunchFailure, 719)               \
  X(hipErrorNotSupported, 801)                \
  X(hipErrorStreamCaptureUnsupported, 900)    \
  X(hipErrorStreamCaptureInvalidated, 901)    \
  X(hipErrorStreamCaptureUnmatched, 903)      \
  X(hipErrorStreamCaptureWrongThread, 908)    \
  X(hipErrorUnknown, 999)                     \
  X(hipErrorRuntimeMemory, 1052)

#define HALYARD_hipDeviceAttribute_t(X)            \
  X(hipDeviceAttributeClockRate, 5)                \
  X(hipDeviceAttributeConcurrentManagedAccess, 9)  \
  X(hipDeviceAttributeIntegrated, 16)              \
  X(hipDeviceAttributeL2CacheSize, 19)             \
  X(hipDeviceAttributeMaxBlockDimX, 26)            \
  X(hipDeviceAttributeMaxBlockDimY, 27)            \
  X(hipDeviceAttributeMaxBlockDimZ, 28)            \
  X(hipDeviceAttributeMaxGridDimX, 29)             \
  X(hipDeviceAttributeMaxGridDimY, 30)             \
  X(hipDeviceAttributeMaxGridDimZ, 31)             \
  X(hipDeviceAttributeMaxThreadsPerBlock, 56)      \
  X(hipDeviceAttributeMultiprocessorCount, 63)     \
  X(hipDeviceAttributePciBusId, 67)                \
  X(hipDeviceAttributePciDeviceId, 68)             \
  X(hipDeviceAttributePciDomainID, 69)             \
  X(hipDeviceAttributeMaxSharedMemoryPerBlock, 74) \
  X(hipDeviceAttributeWarpSize, 87)                \
  X(hipDeviceAttributeMemoryPoolsSupported, 88)

#define HALYARD_hipDeviceP2PAttr(X) \
  X(hipDevP2PAttrPerformanceRank, 0) X(hipDevP2PAttrAccessSupported, 1) X(hipDevP2PAttrNativeAtomicSupported, 2)
#define HALYARD_hipStreamCaptureStatus(X) \
  X(hipStreamCaptureStatusNone, 0) X(hipStreamCaptureStatusActive, 1) X(hipStreamCaptureStatusInvalidated, 2)
#define HALYARD_hipStreamCaptureMode(X) \
  X(hipStreamCaptureModeGlobal, 0) X(hipStreamCaptureModeThreadLocal, 1) X(hipStreamCaptureModeRelaxed, 2)
#define HALYARD_hipPointer_attribute(X)                        \
  X(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)                      \
  X(HIP_POINTER_ATTRIBUTE_IS_MANAGED, 8) /* writes one byte */ \
  X(HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)

#define HALYARD_hipMemcpyKind(X) X(hipMemcpyDefault, 4)
#define HALYARD_hipMemPoolAttr(X) X(hipMemPoolAttrReleaseThreshold, 4)
#define HALYARD_hipMemAllocationType(X) X(hipMemAllocationTypePinned, 1)
#define HALYARD_hipMemAllocationHandleType(X) X(hipMemHandleTypeNone, 0)
#define HALYARD_hipMemAccessFlags(X) X(hipMemAccessFlagsProtReadWrite, 3)
#define HALYARD_hipMemLocationType(X) X(hipMemLocationTypeDevice, 1)
#define HALYARD_hipFunction_attribute(X)         \
  X(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) \
  X(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)     \
  X(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)      \
  X(HIP_FUNC_ATTRIBUTE_NUM_REGS, 4)

// clang-format off
/// Every enumeration: X(type).
#define HALYARD_HIP_ENUMS(X) \
  X(hipError_t) X(hipDeviceAttribute_t) X(hipDeviceP2PAttr) X(hipStreamCaptureStatus) X(hipStreamCaptureMode) \
  X(hipPointer_attribute) X(hipMemcpyKind) X(hipMemPoolAttr) X(hipMemAllocationType) \
  X(hipMemAllocationHandleType) X(hipMemLocationType) X(hipMemAccessFlags) X(hipFunction_attribute)
// clang-format on

#define HALYARD_HIP_ENUMERATOR(name, value) name = (value),
#define HALYARD_HIP_ENUM(type) enum type : unsigned int { HALYARD_##type(HALYARD_HIP_ENUMERATOR) };
HALYARD_HIP_ENUMS(HALYARD_HIP_ENUM)
#undef HALYARD_HIP_ENUM
#undef HALYARD_HIP_ENUMERATOR

/// What HIP_POINTER_ATTRIBUTE_MEMORY_TYPE answers. ROCm 6.0 renumbered hipMemoryType, so no enumeration fits both.
struct MemoryTypes {
  unsigned int host;
  unsigned int device;
};
inline constexpr MemoryTypes kMemoryTypesBefore6 = {0, 1};
inline constexpr MemoryTypes kMemoryTypes = {1, 2};

// What the vendor's header has as macros.
inline constexpr unsigned int hipStreamNonBlocking = 1;
inline constexpr unsigned int hipEventDefault = 0;
inline constexpr unsigned int hipEventBlockingSync = 1;
inline constexpr unsigned int hipEventDisableTiming = 2;
inline constexpr unsigned int hipHostMallocPortable = 1;
inline constexpr unsigned int hipHostMallocMapped = 2;
inline constexpr unsigned int hipHostMallocCoherent = 0x40000000;
inline constexpr unsigned int hipHostRegisterPortable = 1;
inline constexpr unsigned int hipHostRegisterMapped = 2;
inline constexpr unsigned int hipMemAttachGlobal = 1;
inline constexpr unsigned int hipIpcMemLazyEnablePeerAccess = 1;

// Handles, of tag types of our own. A device is an ordinal, an address a pointer.
using hipDevice_t = int;
using hipDeviceptr_t = void*;
using hipStream_t = struct hipStreamTag*;
using hipEvent_t = struct hipEventTag*;
using hipModule_t = struct hipModuleTag*;
using hipFunction_t = struct hipFunctionTag*;
using hipMemPool_t = struct hipMemPoolTag*;
using hipArray_t = struct hipArrayTag*;
using hipGraph_t = struct hipGraphTag*;
using hipGraphNode_t = struct hipGraphNodeTag*;
using hipGraphExec_t = struct hipGraphExecTag*;
using hipHostFn_t = void (*)(void* user_data);

/// 16 characters of text, not bytes.
struct hipUUID {
  char bytes[16];
};

struct hipIpcMemHandle_t {
  char reserved[64];
};

struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
};

struct hipMemLocation {
  hipMemLocationType type;
  int id;
};

struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
};

struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  unsigned char rest[64];  // 7.0 has a size there, of which 0 is the default
};

struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned int sharedMemBytes;
};

struct hipPos {
  size_t x;
  size_t y;
  size_t z;
};

/// `pitch` is of rows; `ysize` rows are from one slice to the next.
struct hipPitchedPtr {
  void* ptr;
  size_t pitch;
  size_t xsize;
  size_t ysize;
};

/// Of memory that is no array, `width` is in bytes.
struct hipExtent {
  size_t width;
  size_t height;
  size_t depth;
};

/// Without arrays the pointers count.
struct hipMemcpy3DParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
};

/// `width` counts elements of `elementSize` bytes.
struct hipMemsetParams {
  void* dst;
  unsigned int elementSize;
  size_t height;
  size_t pitch;
  unsigned int value;
  size_t width;
};

/// Where hipDeviceProp_t has the processor with its features, such as "gfx90a:sramecc+:xnack-", 256 bytes at most.
/// ROCm 6.0 brought a new layout with a new symbol, hipGetDevicePropertiesR0600; the old symbol fills the old one.
inline constexpr size_t kArchitectureOffset = 396;
inline constexpr size_t kArchitectureOffsetR0600 = 1160;
inline constexpr size_t kArchitectureSize = 256;
inline constexpr size_t kDevicePropertiesSize = 792;
inline constexpr size_t kDevicePropertiesSizeR0600 = 1472;

}  // namespace halyard::hip::abi
// NOLINTEND(readability-identifier-naming)

#endif  // HALYARD_DRIVERS_HIP_ABI_HIP_ABI_TYPES_H_
