// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: of devices, of the host, and what a pointer is.
#include <cstring>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/attributes.h"
#include "stream_api/memory.h"

namespace halyard::cuda::abi {
namespace {

Error WriteAttribute(void* data, CUpointer_attribute attribute, const Allocation& allocation) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return WriteValueTo(data, ToHandle<CUcontext>(allocation.context.get()));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return WriteValueTo(data, IsHost(allocation) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return WriteValueTo(data, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return WriteValueTo(data, uint32_t{allocation.kind == MemoryKind::kManaged});
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return WriteValueTo(data, allocation.device->ordinal);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return WriteValueTo(data, CUdeviceptr{allocation.base});
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return WriteValueTo(data, allocation.size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return WriteValueTo(data, uint32_t{1});
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return WriteValueTo(data, ToHandle<CUmemoryPool>(allocation.pool.get()));
    default:
      return Error::kInvalidValue;
  }
}

Error PointerAttributeOf(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (data == nullptr || allocation == nullptr) return Error::kInvalidValue;
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return WriteValueTo(data, address);
  if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER) {
    const bool reachable = IsHost(*allocation) || allocation->kind == MemoryKind::kManaged;
    return reachable ? WriteValueTo(data, reinterpret_cast<void*>(address)) : Error::kInvalidValue;
  }
  return WriteAttribute(data, attribute, *allocation);
}

size_t AttributeSize(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return 4;
    default:
      return 8;
  }
}

// Whether managed memory may be moved there by name.
Error CheckPlace(CUdevice device) {
  if (device == CU_DEVICE_CPU) return Error::kSuccess;
  if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
  const bool concurrent = AttributeOf(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS).value_or(0) != 0;
  return concurrent ? Error::kSuccess : Error::kInvalidDevice;
}

Error Prefetch(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  Error error = CheckManaged(address, bytes);
  if (error == Error::kSuccess) error = CheckPlace(device);
  if (error == Error::kSuccess) found->Submit({});  // all memory is one here
  return error;
}

Error Advise(CUdeviceptr address, size_t bytes, CUdevice device) {
  const Error error = CheckManaged(address, bytes);
  return error == Error::kSuccess ? CheckPlace(device) : error;
}

CUdevice DeviceAt(CUmemLocation location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}

}  // namespace

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return Call(__func__, Requires::kContext, [&] { return MemoryInfo(free, total); });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return Call(__func__, Requires::kContext, [&] { return AllocateMemory(MemoryKind::kDevice, bytes, address); });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return FreeDeviceMemory(address, "cuMemFree", lock); });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&] { return MemoryRange(address, base, bytes); });
}

CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext,
              [&] { return flags > 7 ? Error::kInvalidValue : AllocateMemory(MemoryKind::kPinned, bytes, memory); });
}

CUresult cuMemFreeHost(void* memory) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return FreeHostMemory(memory, "cuMemFreeHost", lock); });
}

CUresult cuMemHostRegister_v2(void* memory, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (flags > 15) return Error::kInvalidValue;
    const int device = CurrentContext()->device.ordinal;
    if (AttributeOf(device, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED).value_or(0) == 0) return Error::kNotSupported;
    return RegisterHostMemory(memory, bytes);
  });
}

CUresult cuMemHostUnregister(void* memory) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return UnregisterHostMemory(memory, "cuMemHostUnregister", lock); });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] { return HostMemoryAddress(memory, flags, address); });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
    return known ? AllocateMemory(MemoryKind::kManaged, bytes, address) : Error::kInvalidValue;
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return Prefetch(address, bytes, device, stream); });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
                               CUstream stream) {
  return Call(__func__, Requires::kContext,
              [&] { return flags != 0 ? Error::kInvalidValue : Prefetch(address, bytes, DeviceAt(location), stream); });
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise, CUdevice device) {
  return Call(__func__, Requires::kContext, [&] { return Advise(address, bytes, device); });
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise, CUmemLocation location) {
  return Call(__func__, Requires::kContext, [&] { return Advise(address, bytes, DeviceAt(location)); });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&] { return PointerAttributeOf(data, attribute, address); });
}

// Unknown memory is no error here: everything about it is zero.
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&] {
    if (count == 0 || attributes == nullptr || data == nullptr) return Error::kInvalidValue;
    for (unsigned int i = 0; i < count; ++i) {
      if (PointerAttributeOf(data[i], attributes[i], address) == Error::kSuccess) continue;
      std::memset(data[i], 0, AttributeSize(attributes[i]));
    }
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
