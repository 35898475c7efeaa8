// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: of devices, of the host, of pools; what a pointer is; fills and copies.
#include <bit>

#include "hip/entry_points.h"
#include "hip_on_cuda/call.h"
#include "hip_on_cuda/copy_params.h"

namespace halyard::hip::abi {
namespace {

static_assert(hipMemAttachGlobal == CU_MEM_ATTACH_GLOBAL);
static_assert(hipHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(hipHostRegisterMapped == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(hipMemAllocationTypePinned == unsigned{CU_MEM_ALLOCATION_TYPE_PINNED});
static_assert(hipMemLocationTypeDevice == unsigned{CU_MEM_LOCATION_TYPE_DEVICE});
static_assert(hipMemPoolAttrReleaseThreshold == unsigned{CU_MEMPOOL_ATTR_RELEASE_THRESHOLD});

// CUDA's memory is coherent without being asked.
unsigned int HostFlags(unsigned int flags) {
  static_assert(hipHostMallocPortable == CU_MEMHOSTALLOC_PORTABLE && hipHostMallocMapped == CU_MEMHOSTALLOC_DEVICEMAP);
  return flags & (hipHostMallocPortable | hipHostMallocMapped);
}

// What CUDA says of a pointer; no type at all of one that it does not know.
struct Pointer {
  unsigned int type = 0;  // CUmemorytype
  unsigned int managed = 0;
  int device = 0;
};

CUresult Describe(const CudaFunctions& cuda, hipDeviceptr_t address, Pointer* pointer) {
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* places[] = {&pointer->type, &pointer->managed, &pointer->device};
  return cuda.cuPointerGetAttributes(3, attributes, places, ToVendor<CUdeviceptr>(address));
}

// Managed memory says that it is the host's, and whether it is managed is one byte.
hipError_t WriteAttribute(hipPointer_attribute attribute, const Pointer& pointer, void* data) {
  const bool is_host = pointer.managed != 0 || pointer.type == unsigned{CU_MEMORYTYPE_HOST};
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned int*>(data) = is_host ? kMemoryTypes.host : kMemoryTypes.device;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned char*>(data) = pointer.managed != 0 ? 1 : 0;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = pointer.device;
      return hipSuccess;
  }
  return hipErrorInvalidValue;
}

}  // namespace

hipError_t hipMemGetInfo(size_t* free, size_t* total) { return Forward(&CudaFunctions::cuMemGetInfo_v2, free, total); }

// No bytes are no error here and in hipHostMalloc(): there is no memory then.
hipError_t hipMalloc(void** address, size_t bytes) {
  if (bytes != 0 || address == nullptr) return Forward(&CudaFunctions::cuMemAlloc_v2, address, bytes);
  *address = nullptr;
  return hipSuccess;
}

hipError_t hipFree(void* address) {
  return address == nullptr ? hipSuccess : Forward(&CudaFunctions::cuMemFree_v2, address);
}

hipError_t hipMallocManaged(void** address, size_t bytes, unsigned int flags) {
  return Forward(&CudaFunctions::cuMemAllocManaged, address, bytes, flags);
}

hipError_t hipHostMalloc(void** memory, size_t bytes, unsigned int flags) {
  if (bytes != 0 || memory == nullptr) return Forward(&CudaFunctions::cuMemHostAlloc, memory, bytes, HostFlags(flags));
  *memory = nullptr;
  return hipSuccess;
}

hipError_t hipHostFree(void* memory) {
  return memory == nullptr ? hipSuccess : Forward(&CudaFunctions::cuMemFreeHost, memory);
}

hipError_t hipHostRegister(void* memory, size_t bytes, unsigned int flags) {
  return Forward(&CudaFunctions::cuMemHostRegister_v2, memory, bytes, flags);
}

hipError_t hipHostUnregister(void* memory) { return Forward(&CudaFunctions::cuMemHostUnregister, memory); }

hipError_t hipHostGetDevicePointer(void** address, void* memory, unsigned int flags) {
  return Forward(&CudaFunctions::cuMemHostGetDevicePointer_v2, address, memory, flags);
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t address) {
  return Call([&](const CudaFunctions& cuda) {
    Pointer pointer;
    const CUresult result = Describe(cuda, address, &pointer);
    if (result != CUDA_SUCCESS) return ToHip(result);
    return data == nullptr || pointer.type == 0 ? hipErrorInvalidValue : WriteAttribute(attribute, pointer, data);
  });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t address) {
  return Forward(&CudaFunctions::cuMemGetAddressRange_v2, base, bytes, address);
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  return Forward(&CudaFunctions::cuIpcGetMemHandle, handle, address);
}

hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle, unsigned int flags) {
  const unsigned int wanted = Version() < kVersion6 ? 0 : hipIpcMemLazyEnablePeerAccess;
  if (flags != wanted) return Noted(hipErrorInvalidValue);
  return Forward(&CudaFunctions::cuIpcOpenMemHandle_v2, address, std::bit_cast<CUipcMemHandle>(handle),
                 unsigned{CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS});
}

hipError_t hipIpcCloseMemHandle(void* address) { return Forward(&CudaFunctions::cuIpcCloseMemHandle, address); }

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  CUmemPoolProps props{};
  if (properties == nullptr) return Noted(hipErrorInvalidValue);
  props.allocType = static_cast<CUmemAllocationType>(properties->allocType);
  props.handleTypes = static_cast<CUmemAllocationHandleType>(properties->handleTypes);
  props.location = {static_cast<CUmemLocationType>(properties->location.type), properties->location.id};
  return Forward(&CudaFunctions::cuMemPoolCreate, pool, &props);
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) { return Forward(&CudaFunctions::cuMemPoolDestroy, pool); }

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return Forward(&CudaFunctions::cuMemPoolSetAttribute, pool, attribute, value);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t bytes_to_keep) {
  return Forward(&CudaFunctions::cuMemPoolTrimTo, pool, bytes_to_keep);
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* accesses, size_t count) {
  if (accesses == nullptr || count != 1) return Noted(hipErrorInvalidValue);  // as many as the driver gives
  const CUmemAccessDesc access = {{static_cast<CUmemLocationType>(accesses->location.type), accesses->location.id},
                                  static_cast<CUmemAccess_flags>(accesses->flags)};
  return Forward(&CudaFunctions::cuMemPoolSetAccess, pool, &access, count);
}

hipError_t hipMallocFromPoolAsync(void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemAllocFromPoolAsync, address, bytes, pool, stream);
}

hipError_t hipFreeAsync(void* address, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemFreeAsync, address, stream);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t target, unsigned char value, size_t count, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemsetD8Async, target, value, count, stream);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t target, unsigned short value, size_t count, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemsetD16Async, target, value, count, stream);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t target, int value, size_t count, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemsetD32Async, target, value, count, stream);
}

hipError_t hipMemcpyAsync(void* target, const void* source, size_t bytes, hipMemcpyKind, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemcpyAsync, target, source, bytes, stream);
}

// Unified addresses tell the devices; contexts are found by them.
hipError_t hipMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                              hipStream_t stream) {
  return Call([&](const CudaFunctions& cuda) {
    CUcontext to = nullptr;
    CUcontext from = nullptr;
    CUresult result = ContextOf(cuda, target_device, &to);
    if (result == CUDA_SUCCESS) result = ContextOf(cuda, source_device, &from);
    if (result != CUDA_SUCCESS) return result;
    return cuda.cuMemcpyPeerAsync(ToVendor<CUdeviceptr>(target), to, ToVendor<CUdeviceptr>(source), from, bytes,
                                  ToVendor<CUstream>(stream));
  });
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* params, hipStream_t stream) {
  const CUDA_MEMCPY3D copy = CopyParamsOf(*params);
  return Forward(&CudaFunctions::cuMemcpy3DAsync_v2, &copy, stream);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t target, const void* source, size_t bytes, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemcpyHtoDAsync_v2, target, source, bytes, stream);
}

hipError_t hipMemPrefetchAsync(const void* address, size_t bytes, int device, hipStream_t stream) {
  return Forward(&CudaFunctions::cuMemPrefetchAsync, address, bytes, device, stream);
}

}  // namespace halyard::hip::abi
