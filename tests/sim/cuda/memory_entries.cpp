// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: of devices, of the host, and what a pointer is.
#include <algorithm>
#include <cstring>

#include "cuda/call.h"
#include "cuda/device_attributes.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {
namespace {

using sim::Allocation;
using sim::MemoryKind;

Error Allocate(MemoryKind kind, size_t bytes, uintptr_t* address) {
  std::shared_ptr<Allocation> allocation;
  const Error error = Runtime::Get().memory.Allocate(kind, CurrentContext(), bytes, &allocation);
  if (error == Error::kSuccess) *address = allocation->base;
  return error;
}

// Frees at once, which waits for the work that needs the memory: the vendor does so too, without a word.
void FreeNow(const std::shared_ptr<Allocation>& allocation, const char* call, Lock& lock) {
  Runtime& runtime = Runtime::Get();
  allocation->free_queued = true;
  if (allocation->pending != 0) {
    runtime.reports.Add(sim::Rule::kFreeInUse, std::string(call) + " of allocation " + std::to_string(allocation->id) +
                                                   ", which submitted work needs; it waits for that");
    allocation->WaitUntilIdle(lock);
  }
  runtime.memory.Free(allocation);
}

bool IsHost(const Allocation& allocation) {
  return allocation.kind == MemoryKind::kPinned || allocation.kind == MemoryKind::kRegistered;
}

Error FreeOf(uintptr_t base, bool host, const char* call, Lock& lock) {
  const auto allocation = Runtime::Get().memory.FindForFree(base, call);
  const bool wrong = allocation != nullptr && (IsHost(*allocation) != host || !allocation->OwnsMemory());
  if (allocation == nullptr || wrong) return Error::kInvalidValue;
  FreeNow(allocation, call, lock);
  return Error::kSuccess;
}

template <typename Value>
Error Write(void* data, Value value) {
  std::memcpy(data, &value, sizeof(value));
  return Error::kSuccess;
}

Error WriteAttribute(void* data, CUpointer_attribute attribute, const Allocation& allocation) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Write(data, ToHandle<CUcontext>(allocation.context.get()));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Write(data, IsHost(allocation) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return Write(data, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return Write(data, uint32_t{allocation.kind == MemoryKind::kManaged});
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Write(data, allocation.device->ordinal);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return Write(data, CUdeviceptr{allocation.base});
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return Write(data, allocation.size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return Write(data, uint32_t{1});
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return Write(data, ToHandle<CUmemoryPool>(allocation.pool.get()));
    default:
      return Error::kInvalidValue;
  }
}

Error PointerAttributeOf(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (data == nullptr || allocation == nullptr) return Error::kInvalidValue;
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return Write(data, address);
  if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER) {
    const bool reachable = IsHost(*allocation) || allocation->kind == MemoryKind::kManaged;
    return reachable ? Write(data, reinterpret_cast<void*>(address)) : Error::kInvalidValue;
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

Error CheckManaged(CUdeviceptr address, size_t bytes) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (allocation == nullptr || allocation->kind != MemoryKind::kManaged) return Error::kInvalidValue;
  return Runtime::Get().memory.CheckAtSubmission({static_cast<uintptr_t>(address), bytes, false, false, "an advice"});
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
  return Call(__func__, Requires::kContext, [&] {
    const sim::Device& device = CurrentContext()->device;
    if (free != nullptr) *free = device.MemoryFree();
    if (total != nullptr) *total = device.memory_size;
    return Error::kSuccess;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return Call(__func__, Requires::kContext, [&] {
    if (address == nullptr) return Error::kInvalidValue;
    uintptr_t base = 0;
    const Error error = Allocate(MemoryKind::kDevice, bytes, &base);
    if (error == Error::kSuccess) *address = base;
    return error;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return address == 0 ? Error::kSuccess : FreeOf(address, false, "cuMemFree", lock); });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&] {
    const auto allocation = Runtime::Get().memory.Find(address);
    if (allocation == nullptr) return Error::kNotFound;
    if (base != nullptr) *base = allocation->base;
    if (bytes != nullptr) *bytes = allocation->size;
    return Error::kSuccess;
  });
}

CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (memory == nullptr || flags > 7) return Error::kInvalidValue;
    uintptr_t base = 0;
    const Error error = Allocate(MemoryKind::kPinned, bytes, &base);
    if (error == Error::kSuccess) *memory = reinterpret_cast<void*>(base);
    return error;
  });
}

CUresult cuMemFreeHost(void* memory) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return FreeOf(reinterpret_cast<uintptr_t>(memory), true, "cuMemFreeHost", lock); });
}

CUresult cuMemHostRegister_v2(void* memory, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (flags > 15) return Error::kInvalidValue;
    const auto context = CurrentContext();
    const int device = context->device.ordinal;
    if (AttributeOf(device, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED).value_or(0) == 0) return Error::kNotSupported;
    return Runtime::Get().memory.Register(MemoryKind::kRegistered, context, reinterpret_cast<uintptr_t>(memory), bytes);
  });
}

CUresult cuMemHostUnregister(void* memory) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    const auto allocation = Runtime::Get().memory.Find(reinterpret_cast<uintptr_t>(memory));
    const bool begins = allocation != nullptr && allocation->base == reinterpret_cast<uintptr_t>(memory);
    if (!begins || allocation->kind != MemoryKind::kRegistered || allocation->free_queued) return Error::kNotRegistered;
    FreeNow(allocation, "cuMemHostUnregister", lock);
    return Error::kSuccess;
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto allocation = Runtime::Get().memory.Find(reinterpret_cast<uintptr_t>(memory));
    if (address == nullptr || flags != 0 || allocation == nullptr || !IsHost(*allocation)) return Error::kInvalidValue;
    *address = reinterpret_cast<uintptr_t>(memory);
    return Error::kSuccess;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
    if (address == nullptr || !known) return Error::kInvalidValue;
    if (!CurrentContext()->device.limits.managed_memory) return Error::kNotSupported;
    uintptr_t base = 0;
    const Error error = Allocate(MemoryKind::kManaged, bytes, &base);
    if (error == Error::kSuccess) *address = base;
    return error;
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
