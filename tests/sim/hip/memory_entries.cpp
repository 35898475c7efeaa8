// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: of devices, of the host, of pools, and what a pointer is.
#include "hip/call.h"
#include "hip/copy_params.h"
#include "hip/entry_points.h"
#include "stream_api/memory.h"
#include "stream_api/pools.h"
#include "stream_api/transfers.h"

namespace halyard::hip::abi {
namespace {

// No bytes are no error: there is no memory then.
Error AllocateSome(MemoryKind kind, size_t bytes, void** address) {
  if (bytes != 0 || address == nullptr) return AllocateMemory(kind, bytes, address);
  *address = nullptr;
  return Error::kSuccess;
}

// Managed memory says that it is the host's.
unsigned int MemoryTypeOf(const Allocation& allocation) {
  const MemoryTypes& types = Version() < kVersion6 ? kMemoryTypesBefore6 : kMemoryTypes;
  return IsHost(allocation) || allocation.kind == MemoryKind::kManaged ? types.host : types.device;
}

Error WriteAttribute(void* data, hipPointer_attribute attribute, const Allocation& allocation) {
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return WriteValueTo(data, MemoryTypeOf(allocation));
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return WriteValueTo(data, uint8_t{allocation.kind == MemoryKind::kManaged});
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return WriteValueTo(data, allocation.device->ordinal);
  }
  return Error::kInvalidValue;
}

Error Prefetch(const void* address, size_t bytes, int device, hipStream_t stream) {
  constexpr int kHost = -1;
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  if (device != kHost && FindDevice(device) == nullptr) return Error::kInvalidDevice;
  const Error error = CheckManaged(address, bytes);
  if (error == Error::kSuccess) found->Submit({});  // all memory is one here
  return error;
}

}  // namespace

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  return Call(__func__, [&] { return MemoryInfo(free, total); });
}

hipError_t hipMalloc(void** address, size_t bytes) {
  return Call(__func__, [&] { return AllocateSome(MemoryKind::kDevice, bytes, address); });
}

hipError_t hipFree(void* address) {
  return Call(__func__, [&](Lock& lock) { return FreeDeviceMemory(address, "hipFree", lock); });
}

hipError_t hipMallocManaged(void** address, size_t bytes, unsigned int flags) {
  return Call(__func__, [&] {
    return flags == hipMemAttachGlobal ? AllocateMemory(MemoryKind::kManaged, bytes, address) : Error::kInvalidValue;
  });
}

hipError_t hipHostMalloc(void** memory, size_t bytes, unsigned int) {
  return Call(__func__, [&] { return AllocateSome(MemoryKind::kPinned, bytes, memory); });
}

hipError_t hipHostFree(void* memory) {
  return Call(__func__, [&](Lock& lock) {
    return memory == nullptr ? Error::kSuccess : FreeHostMemory(memory, "hipHostFree", lock);
  });
}

hipError_t hipHostRegister(void* memory, size_t bytes, unsigned int) {
  return Call(__func__, [&] { return RegisterHostMemory(memory, bytes); });
}

hipError_t hipHostUnregister(void* memory) {
  return Call(__func__, [&](Lock& lock) { return UnregisterHostMemory(memory, "hipHostUnregister", lock); });
}

hipError_t hipHostGetDevicePointer(void** address, void* memory, unsigned int flags) {
  return Call(__func__, [&] { return HostMemoryAddress(memory, flags, address); });
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t address) {
  return Call(__func__, [&] {
    const auto allocation = Runtime::Get().memory.Find(Word(address));
    const bool known = data != nullptr && allocation != nullptr;
    return known ? WriteAttribute(data, attribute, *allocation) : Error::kInvalidValue;
  });
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  return Call(__func__, [&] { return CreatePool(pool, properties, 0); });
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  return Call(__func__, [&] { return DestroyPool(pool); });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return Call(__func__, [&] { return SetPoolAttribute(pool, static_cast<PoolAttribute>(attribute), value); });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t bytes_to_keep) {
  return Call(__func__, [&] { return TrimPool(pool, bytes_to_keep); });
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* accesses, size_t count) {
  return Call(__func__, [&] {
    if (accesses == nullptr && count != 0) return Error::kInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (accesses[i].location.type != hipMemLocationTypeDevice) return Error::kInvalidValue;
      const bool accessible = accesses[i].flags == hipMemAccessFlagsProtReadWrite;
      const Error error = SetPoolAccess(pool, accesses[i].location.id, accessible);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

hipError_t hipMallocFromPoolAsync(void** address, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  return Call(__func__, [&] { return AllocateFromPool(address, bytes, pool, stream); });
}

hipError_t hipFreeAsync(void* address, hipStream_t stream) {
  return Call(__func__, [&] { return FreeToPool(address, stream, "hipFreeAsync"); });
}

hipError_t hipMemsetD8Async(hipDeviceptr_t target, unsigned char value, size_t count, hipStream_t stream) {
  return Call(__func__, [&] { return SubmitFill({Word(target), value, 1, count}, stream); });
}

hipError_t hipMemsetD16Async(hipDeviceptr_t target, unsigned short value, size_t count, hipStream_t stream) {
  return Call(__func__, [&] { return SubmitFill({Word(target), value, 2, count}, stream); });
}

hipError_t hipMemsetD32Async(hipDeviceptr_t target, int value, size_t count, hipStream_t stream) {
  return Call(__func__, [&] { return SubmitFill({Word(target), static_cast<uint32_t>(value), 4, count}, stream); });
}

hipError_t hipMemcpyAsync(void* target, const void* source, size_t bytes, hipMemcpyKind, hipStream_t stream) {
  return Call(__func__,
              [&](Lock& lock) { return SubmitCopy(CopyOf(target, source, bytes, CopyKind::kAny), stream, lock); });
}

hipError_t hipMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                              hipStream_t stream) {
  return Call(__func__, [&](Lock& lock) {
    if (FindDevice(target_device) == nullptr || FindDevice(source_device) == nullptr) return Error::kInvalidDevice;
    return SubmitPeerCopy(CopyOf(target, source, bytes, CopyKind::kOnDevice), stream, lock);
  });
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* params, hipStream_t stream) {
  return Call(__func__, [&](Lock& lock) {
    CopyRows copy;
    const Error error = ReadCopy(params, &copy);
    return error == Error::kSuccess ? SubmitCopy(copy, stream, lock) : error;
  });
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t target, const void* source, size_t bytes, hipStream_t stream) {
  return Call(__func__,
              [&](Lock& lock) { return SubmitCopy(CopyOf(target, source, bytes, CopyKind::kUpload), stream, lock); });
}

hipError_t hipMemPrefetchAsync(const void* address, size_t bytes, int device, hipStream_t stream) {
  return Call(__func__, [&] { return Prefetch(address, bytes, device, stream); });
}

}  // namespace halyard::hip::abi
