// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The handles and structs of the CUDA driver API that Halyard uses; see cuda_abi.h.
#ifndef HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_TYPES_H_
#define HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "cuda/abi/cuda_abi_constants.h"

// NOLINTBEGIN(readability-identifier-naming): the vendor's names
namespace halyard::cuda::abi {

// Handles, of tag types of our own. A device is an ordinal, an address a 64-bit integer.

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUcontextTag*;
using CUmodule = struct CUmoduleTag*;
using CUlinkState = struct CUlinkStateTag*;
using CUfunction = struct CUfunctionTag*;
using CUkernel = struct CUkernelTag*;
using CUarray = struct CUarrayTag*;
using CUevent = struct CUeventTag*;
using CUstream = struct CUstreamTag*;
using CUmemoryPool = struct CUmemoryPoolTag*;
using CUgraph = struct CUgraphTag*;
using CUgraphNode = struct CUgraphNodeTag*;
using CUgraphExec = struct CUgraphExecTag*;
using CUgraphDeviceNode = struct CUgraphDeviceNodeTag*;

/// What cuLaunchHostFunc() runs, on a thread of the driver's. It must not call any function of this API.
using CUhostFn = void (*)(void* user_data);

// Devices and contexts.

struct CUuuid {
  char bytes[16];
};

// Streams and events.

union CUstreamBatchMemOpParams {
  struct Value {
    CUstreamBatchMemOpType operation;
    CUdeviceptr address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned int flags;
    CUdeviceptr alias;
  };
  struct Barrier {
    CUstreamBatchMemOpType operation;
    unsigned int flags;
  };

  CUstreamBatchMemOpType operation;
  Value waitValue;
  Value writeValue;
  Barrier flushRemoteWrites;
  Barrier memoryBarrier;
  uint64_t pad[6];
};

// Memory.

struct CUmemLocation {
  CUmemLocationType type;
  int id;
};

using CUmemGenericAllocationHandle = unsigned long long;

struct CUmemAllocationProp {
  struct AllocFlags {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  };

  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  AllocFlags allocFlags;
};

struct CUmemFabricHandle {
  unsigned char data[64];
};

struct CUipcMemHandle {
  char reserved[64];
};

struct CUmemPoolProps {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};

/// A graph's memcpy node takes it. Unused members are zero.
struct CUDA_MEMCPY3D {
  size_t srcXInBytes;
  size_t srcY;
  size_t srcZ;
  size_t srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  size_t srcPitch;
  size_t srcHeight;
  size_t dstXInBytes;
  size_t dstY;
  size_t dstZ;
  size_t dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  size_t dstPitch;
  size_t dstHeight;
  size_t WidthInBytes;
  size_t Height;
  size_t Depth;
};

/// The same between two contexts.
struct CUDA_MEMCPY3D_PEER {
  size_t srcXInBytes;
  size_t srcY;
  size_t srcZ;
  size_t srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  CUcontext srcContext;
  size_t srcPitch;
  size_t srcHeight;
  size_t dstXInBytes;
  size_t dstY;
  size_t dstZ;
  size_t dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  CUcontext dstContext;
  size_t dstPitch;
  size_t dstHeight;
  size_t WidthInBytes;
  size_t Height;
  size_t Depth;
};

// Modules and launches.

/// With the members that Halyard sets.
union CUlaunchAttributeValue {
  /// A kernel node whose grid a kernel on the device may change through the handle that comes back (CUDA 12.4).
  struct DeviceUpdatableKernelNode {
    int deviceUpdatable;
    CUgraphDeviceNode devNode;
  };

  struct ClusterDim {
    unsigned int x;
    unsigned int y;
    unsigned int z;
  };

  char pad[64];
  int cooperative;
  ClusterDim clusterDim;
  int programmaticStreamSerializationAllowed;
  int priority;
  DeviceUpdatableKernelNode deviceUpdatableKernelNode;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
};

struct CUlaunchConfig {
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned int numAttrs;
};

/// What a kernel takes by value to find a tensor. Opaque.
struct alignas(128) CUtensorMap {
  uint64_t opaque[16];
};

// Graphs.

/// As since CUDA 12.0. Either `func` or `kern` is set; a null context means the current one.
struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
  CUkernel kern;
  CUcontext ctx;
};

/// `width` counts elements of `elementSize` bytes; `pitch` is ignored when `height` is 1.
struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width;
  size_t height;
};

struct CUDA_HOST_NODE_PARAMS {
  CUhostFn fn;
  void* userData;
};

}  // namespace halyard::cuda::abi
// NOLINTEND(readability-identifier-naming)

#endif  // HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_TYPES_H_
