// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
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

Error WriteAttribute(void* data, PointerAttribute attribute, const Allocation& allocation) {
  switch (attribute) {
    case PointerAttribute::kContext:
      return Write(data, ToHandle<Context>(allocation.context.get()));
    case PointerAttribute::kMemoryType:
      return Write(data, IsHost(allocation) ? MemoryType::kHost : MemoryType::kDevice);
    case PointerAttribute::kBufferId:
      return Write(data, allocation.id);
    case PointerAttribute::kIsManaged:
      return Write(data, uint32_t{allocation.kind == MemoryKind::kManaged});
    case PointerAttribute::kDeviceOrdinal:
      return Write(data, allocation.device->ordinal);
    case PointerAttribute::kRangeStartAddr:
      return Write(data, DevicePtr{allocation.base});
    case PointerAttribute::kRangeSize:
      return Write(data, allocation.size);
    case PointerAttribute::kMapped:
      return Write(data, uint32_t{1});
    case PointerAttribute::kMempoolHandle:
      return Write(data, ToHandle<MemPool>(allocation.pool.get()));
    default:
      return Error::kInvalidValue;
  }
}

Error PointerAttributeOf(void* data, PointerAttribute attribute, DevicePtr address) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (data == nullptr || allocation == nullptr) return Error::kInvalidValue;
  if (attribute == PointerAttribute::kDevicePointer) return Write(data, address);
  if (attribute == PointerAttribute::kHostPointer) {
    const bool reachable = IsHost(*allocation) || allocation->kind == MemoryKind::kManaged;
    return reachable ? Write(data, reinterpret_cast<void*>(address)) : Error::kInvalidValue;
  }
  return WriteAttribute(data, attribute, *allocation);
}

size_t AttributeSize(PointerAttribute attribute) {
  switch (attribute) {
    case PointerAttribute::kMemoryType:
    case PointerAttribute::kIsManaged:
    case PointerAttribute::kDeviceOrdinal:
    case PointerAttribute::kMapped:
      return 4;
    default:
      return 8;
  }
}

Error CheckManaged(DevicePtr address, size_t bytes) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (allocation == nullptr || allocation->kind != MemoryKind::kManaged) return Error::kInvalidValue;
  return Runtime::Get().memory.CheckAtSubmission({static_cast<uintptr_t>(address), bytes, false, false, "an advice"});
}

// Whether managed memory may be moved there by name.
Error CheckPlace(Device device) {
  if (device == kDeviceCpu) return Error::kSuccess;
  if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
  const bool concurrent = AttributeOf(device, DeviceAttribute::kConcurrentManagedAccess).value_or(0) != 0;
  return concurrent ? Error::kSuccess : Error::kInvalidDevice;
}

Error Prefetch(DevicePtr address, size_t bytes, Device device, Stream stream) {
  const auto found = FindStream(stream);
  if (found == nullptr) return Error::kInvalidHandle;
  Error error = CheckManaged(address, bytes);
  if (error == Error::kSuccess) error = CheckPlace(device);
  if (error == Error::kSuccess) found->Submit({});  // all memory is one here
  return error;
}

Error Advise(DevicePtr address, size_t bytes, Device device) {
  const Error error = CheckManaged(address, bytes);
  return error == Error::kSuccess ? CheckPlace(device) : error;
}

Device DeviceAt(MemLocation location) { return location.type == MemLocationType::kDevice ? location.id : kDeviceCpu; }

}  // namespace

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  return Call(__func__, Requires::kContext, [&] {
    const sim::Device& device = CurrentContext()->device;
    if (free != nullptr) *free = device.MemoryFree();
    if (total != nullptr) *total = device.memory_size;
    return Error::kSuccess;
  });
}

Result cuMemAlloc_v2(DevicePtr* address, size_t bytes) {
  return Call(__func__, Requires::kContext, [&] {
    if (address == nullptr) return Error::kInvalidValue;
    uintptr_t base = 0;
    const Error error = Allocate(MemoryKind::kDevice, bytes, &base);
    if (error == Error::kSuccess) *address = base;
    return error;
  });
}

Result cuMemFree_v2(DevicePtr address) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return address == 0 ? Error::kSuccess : FreeOf(address, false, "cuMemFree", lock); });
}

Result cuMemGetAddressRange_v2(DevicePtr* base, size_t* bytes, DevicePtr address) {
  return Call(__func__, Requires::kContext, [&] {
    const auto allocation = Runtime::Get().memory.Find(address);
    if (allocation == nullptr) return Error::kNotFound;
    if (base != nullptr) *base = allocation->base;
    if (bytes != nullptr) *bytes = allocation->size;
    return Error::kSuccess;
  });
}

Result cuMemHostAlloc(void** memory, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (memory == nullptr || flags > 7) return Error::kInvalidValue;
    uintptr_t base = 0;
    const Error error = Allocate(MemoryKind::kPinned, bytes, &base);
    if (error == Error::kSuccess) *memory = reinterpret_cast<void*>(base);
    return error;
  });
}

Result cuMemFreeHost(void* memory) {
  return Call(__func__, Requires::kContext,
              [&](Lock& lock) { return FreeOf(reinterpret_cast<uintptr_t>(memory), true, "cuMemFreeHost", lock); });
}

Result cuMemHostRegister_v2(void* memory, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    if (flags > 15) return Error::kInvalidValue;
    const auto context = CurrentContext();
    const int device = context->device.ordinal;
    if (AttributeOf(device, DeviceAttribute::kHostRegisterSupported).value_or(0) == 0) return Error::kNotSupported;
    return Runtime::Get().memory.Register(MemoryKind::kRegistered, context, reinterpret_cast<uintptr_t>(memory), bytes);
  });
}

Result cuMemHostUnregister(void* memory) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    const auto allocation = Runtime::Get().memory.Find(reinterpret_cast<uintptr_t>(memory));
    const bool begins = allocation != nullptr && allocation->base == reinterpret_cast<uintptr_t>(memory);
    if (!begins || allocation->kind != MemoryKind::kRegistered || allocation->free_queued) return Error::kNotRegistered;
    FreeNow(allocation, "cuMemHostUnregister", lock);
    return Error::kSuccess;
  });
}

Result cuMemHostGetDevicePointer_v2(DevicePtr* address, void* memory, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto allocation = Runtime::Get().memory.Find(reinterpret_cast<uintptr_t>(memory));
    if (address == nullptr || flags != 0 || allocation == nullptr || !IsHost(*allocation)) return Error::kInvalidValue;
    *address = reinterpret_cast<uintptr_t>(memory);
    return Error::kSuccess;
  });
}

Result cuMemAllocManaged(DevicePtr* address, size_t bytes, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const bool known = flags == static_cast<unsigned int>(MemAttachFlags::kGlobal) ||
                       flags == static_cast<unsigned int>(MemAttachFlags::kHost);
    if (address == nullptr || !known) return Error::kInvalidValue;
    if (!CurrentContext()->device.limits.managed_memory) return Error::kNotSupported;
    uintptr_t base = 0;
    const Error error = Allocate(MemoryKind::kManaged, bytes, &base);
    if (error == Error::kSuccess) *address = base;
    return error;
  });
}

Result cuMemPrefetchAsync(DevicePtr address, size_t bytes, Device device, Stream stream) {
  return Call(__func__, Requires::kContext, [&] { return Prefetch(address, bytes, device, stream); });
}

Result cuMemPrefetchAsync_v2(DevicePtr address, size_t bytes, MemLocation location, unsigned int flags, Stream stream) {
  return Call(__func__, Requires::kContext,
              [&] { return flags != 0 ? Error::kInvalidValue : Prefetch(address, bytes, DeviceAt(location), stream); });
}

Result cuMemAdvise(DevicePtr address, size_t bytes, MemAdvice, Device device) {
  return Call(__func__, Requires::kContext, [&] { return Advise(address, bytes, device); });
}

Result cuMemAdvise_v2(DevicePtr address, size_t bytes, MemAdvice, MemLocation location) {
  return Call(__func__, Requires::kContext, [&] { return Advise(address, bytes, DeviceAt(location)); });
}

Result cuPointerGetAttribute(void* data, PointerAttribute attribute, DevicePtr address) {
  return Call(__func__, Requires::kContext, [&] { return PointerAttributeOf(data, attribute, address); });
}

// Memory that nobody knows is no error here: everything about it is zero.
Result cuPointerGetAttributes(unsigned int count, PointerAttribute* attributes, void** data, DevicePtr address) {
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
