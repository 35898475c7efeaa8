// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The handles and structs of the CUDA driver API that Halyard uses; see cuda_abi.h for how names are made.
#ifndef HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_TYPES_H_
#define HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "cuda/abi/cuda_abi_constants.h"

namespace halyard::cuda::abi {

// Handles. The vendor's tag types stand for themselves; a device is an ordinal, an address a 64-bit integer.

using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using LinkState = struct LinkStateTag*;
using Function = struct FunctionTag*;
using Kernel = struct KernelTag*;
using Array = struct ArrayTag*;
using Event = struct EventTag*;
using Stream = struct StreamTag*;
using MemPool = struct MemPoolTag*;
using Graph = struct GraphTag*;
using GraphNode = struct GraphNodeTag*;
using GraphExec = struct GraphExecTag*;
using DeviceGraphNode = struct DeviceGraphNodeTag*;

/// CUhostFn: what cuLaunchHostFunc() runs, on a thread of the driver's. It must not call any function of this API.
using HostFn = void (*)(void* user_data);

// Devices and contexts.

/// CUuuid.
struct Uuid {
  char bytes[16];
};

// Streams and events.

/// The waitValue and writeValue members of CUstreamBatchMemOpParams, which have one layout.
struct StreamMemOpValue {
  StreamMemOp operation;
  DevicePtr address;
  union {
    uint32_t value;
    uint64_t value64;
  };
  unsigned int flags;
  DevicePtr alias;
};

/// The flushRemoteWrites and memoryBarrier members of CUstreamBatchMemOpParams, which have one layout.
struct StreamMemOpBarrier {
  StreamMemOp operation;
  unsigned int flags;
};

/// CUstreamBatchMemOpParams.
union StreamMemOpParams {
  StreamMemOp operation;
  StreamMemOpValue wait_value;
  StreamMemOpValue write_value;
  StreamMemOpBarrier flush_remote_writes;
  StreamMemOpBarrier memory_barrier;
  uint64_t pad[6];
};

// Memory.

/// CUmemLocation.
struct MemLocation {
  MemLocationType type;
  int id;
};

/// CUmemPoolProps.
struct MemPoolProps {
  MemAllocationType alloc_type;
  MemHandleType handle_types;
  MemLocation location;
  void* win32_security_attributes;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};

/// CUmemAccessDesc.
struct MemAccessDesc {
  MemLocation location;
  MemAccessFlags flags;
};

/// CUDA_MEMCPY3D: a graph's memcpy node takes it. Unused members are zero.
struct Memcpy3d {
  size_t src_x_in_bytes;
  size_t src_y;
  size_t src_z;
  size_t src_lod;
  MemoryType src_memory_type;
  const void* src_host;
  DevicePtr src_device;
  Array src_array;
  void* reserved0;
  size_t src_pitch;
  size_t src_height;
  size_t dst_x_in_bytes;
  size_t dst_y;
  size_t dst_z;
  size_t dst_lod;
  MemoryType dst_memory_type;
  void* dst_host;
  DevicePtr dst_device;
  Array dst_array;
  void* reserved1;
  size_t dst_pitch;
  size_t dst_height;
  size_t width_in_bytes;
  size_t height;
  size_t depth;
};

// Modules and launches.

/// The deviceUpdatableKernelNode member of CUlaunchAttributeValue (CUDA 12.4): a kernel node whose grid a kernel on the
/// device may change through the handle that comes back.
struct DeviceUpdatableKernelNode {
  int device_updatable;
  DeviceGraphNode device_node;
};

/// CUlaunchAttributeValue, with the members that Halyard sets.
union LaunchAttributeValue {
  char pad[64];
  int cooperative;
  int programmatic_stream_serialization_allowed;
  int priority;
  DeviceUpdatableKernelNode device_updatable_kernel_node;
};

/// CUlaunchAttribute.
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue value;
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned int grid_dim_x;
  unsigned int grid_dim_y;
  unsigned int grid_dim_z;
  unsigned int block_dim_x;
  unsigned int block_dim_y;
  unsigned int block_dim_z;
  unsigned int shared_mem_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned int attribute_count;
};

// Graphs.

/// CUDA_KERNEL_NODE_PARAMS_v2, of the functions since CUDA 12.0. Either `function` or `kernel` is set; a null context
/// means the current one.
struct KernelNodeParams {
  Function function;
  unsigned int grid_dim_x;
  unsigned int grid_dim_y;
  unsigned int grid_dim_z;
  unsigned int block_dim_x;
  unsigned int block_dim_y;
  unsigned int block_dim_z;
  unsigned int shared_mem_bytes;
  void** kernel_params;
  void** extra;
  Kernel kernel;
  Context context;
};

/// CUDA_MEMSET_NODE_PARAMS_v1: `width` counts elements of `element_size` bytes; `pitch` is ignored when `height` is 1.
struct MemsetNodeParams {
  DevicePtr dst;
  size_t pitch;
  unsigned int value;
  unsigned int element_size;
  size_t width;
  size_t height;
};

/// CUDA_HOST_NODE_PARAMS_v1.
struct HostNodeParams {
  HostFn fn;
  void* user_data;
};

}  // namespace halyard::cuda::abi

#endif  // HALYARD_DRIVERS_CUDA_ABI_CUDA_ABI_TYPES_H_
