// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual memory: physical memory is a file in memory, so that another process can really have it. What is mapped is an
// allocation to the engine only once it has access.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "engine/file_memory.h"
#include "stream_api/attributes.h"
#include "stream_api/memory.h"

namespace halyard::cuda::abi {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;

// One handle's memory. What was imported is not this process's part of the device.
struct Physical {
  Physical(int of_file, size_t of_size, Device& of_device, bool is_own, unsigned int leaves)
      : file(of_file), size(of_size), device(of_device), own(is_own), exportable(leaves) {
    if (own) device.memory_used += size;
  }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  ~Physical() {
    close(file);
    if (own) device.memory_used -= size;
  }

  const int file;
  const size_t size;
  Device& device;
  const bool own;
  const unsigned int exportable;  // CUmemAllocationHandleType, several of them
};

struct Mapping {
  size_t size = 0;
  std::shared_ptr<Physical> physical;  // which cuMemRelease() leaves alone
};

// Under the runtime's lock.
struct Virtual {
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<Physical>> handles;
  std::map<uintptr_t, size_t> reservations;
  std::map<uintptr_t, Mapping> mappings;
  CUmemGenericAllocationHandle next = 1;

  static Virtual& Get() {
    static auto* const all = new Virtual;
    return *all;
  }
  CUmemGenericAllocationHandle Add(std::shared_ptr<Physical> physical) {
    handles.emplace(next, std::move(physical));
    return next++;
  }
  std::shared_ptr<Physical> Find(CUmemGenericAllocationHandle handle) const {
    const auto found = handles.find(handle);
    return found == handles.end() ? nullptr : found->second;
  }
  bool IsReserved(uintptr_t address, size_t bytes) const {
    const auto next_one = reservations.upper_bound(address);
    if (next_one == reservations.begin()) return false;
    const auto& [base, size] = *std::prev(next_one);
    return address - base <= size && bytes <= size - (address - base);
  }
};

bool IsWhole(size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

bool HasFabric(const Device& device) {
  return AttributeOf(device.ordinal, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED).value_or(0) != 0;
}

Device* DeviceOf(const CUmemAllocationProp* prop) {
  if (prop == nullptr || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED) return nullptr;
  return prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? FindDevice(prop->location.id) : nullptr;
}

Error Create(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* prop) {
  Device* const device = DeviceOf(prop);
  if (handle == nullptr || device == nullptr || !IsWhole(bytes)) return Error::kInvalidValue;
  if (bytes > device->MemoryFree()) return Error::kOutOfMemory;
  const unsigned int leaves = prop->requestedHandleTypes;
  if ((leaves & CU_MEM_HANDLE_TYPE_FABRIC) != 0 && !HasFabric(*device)) return Error::kNotPermitted;
  const int file = MakeFile(device->ordinal, bytes);
  if (file < 0) return Error::kOutOfMemory;
  *handle = Virtual::Get().Add(std::make_shared<Physical>(file, bytes, *device, true, leaves));
  return Error::kSuccess;
}

Error Reserve(CUdeviceptr* address, size_t bytes, size_t alignment) {
  if (address == nullptr || !IsWhole(bytes) || alignment > kGranularity) return Error::kInvalidValue;
  void* const room = mmap(nullptr, bytes + kGranularity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return Error::kOutOfMemory;
  const auto begin = reinterpret_cast<uintptr_t>(room);
  const uintptr_t base = (begin + kGranularity - 1) / kGranularity * kGranularity;
  if (base > begin) munmap(room, base - begin);
  if (base < begin + kGranularity) munmap(reinterpret_cast<void*>(base + bytes), begin + kGranularity - base);
  Virtual::Get().reservations.emplace(base, bytes);
  *address = base;
  return Error::kSuccess;
}

Error FreeReservation(CUdeviceptr address, size_t bytes) {
  Virtual& all = Virtual::Get();
  const auto found = all.reservations.find(address);
  if (found == all.reservations.end() || found->second != bytes) return Error::kInvalidValue;
  const auto mapping = all.mappings.lower_bound(address);
  if (mapping != all.mappings.end() && mapping->first < address + bytes) return Error::kInvalidValue;
  all.reservations.erase(found);
  munmap(reinterpret_cast<void*>(address), bytes);
  return Error::kSuccess;
}

Error Map(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle) {
  Virtual& all = Virtual::Get();
  const auto physical = all.Find(handle);
  if (physical == nullptr || offset != 0 || !IsWhole(bytes) || bytes > physical->size) return Error::kInvalidValue;
  if (!all.IsReserved(address, bytes) || all.mappings.contains(address)) return Error::kInvalidValue;
  void* const memory =
      mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file, 0);
  if (memory == MAP_FAILED) return Error::kOutOfMemory;
  all.mappings[address] = {bytes, physical};
  return Error::kSuccess;
}

Error SetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* accesses, size_t count) {
  Virtual& all = Virtual::Get();
  const auto mapping = all.mappings.find(address);
  if (accesses == nullptr || count != 1 || mapping == all.mappings.end() || mapping->second.size != bytes) {
    return Error::kInvalidValue;
  }
  const bool both = accesses->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const bool known = accesses->location.type == CU_MEM_LOCATION_TYPE_DEVICE && FindDevice(accesses->location.id);
  if (!both || !known) return Error::kInvalidValue;
  return Runtime::Get().memory.Register(MemoryKind::kVirtual, CurrentContext(), address, bytes);
}

Error Unmap(CUdeviceptr address, size_t bytes, Lock& lock) {
  Virtual& all = Virtual::Get();
  const auto mapping = all.mappings.find(address);
  if (mapping == all.mappings.end() || mapping->second.size != bytes) return Error::kInvalidValue;
  Runtime& runtime = Runtime::Get();
  if (const auto allocation = runtime.memory.Find(address)) {
    if (IsNeeded(*allocation)) {
      runtime.reports.Add(Rule::kFreeInUse, "cuMemUnmap of allocation " + std::to_string(allocation->id) +
                                                ", which submitted work needs");
    }
    allocation->WaitUntilIdle(lock);  // work of a lost context, too, may be in the midst of it
    runtime.memory.Free(allocation);
  }
  mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
       0);
  all.mappings.erase(address);
  return Error::kSuccess;
}

Error Export(void* shareable, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type) {
  const auto physical = Virtual::Get().Find(handle);
  if (shareable == nullptr || physical == nullptr || (physical->exportable & type) == 0) return Error::kInvalidValue;
  if (type == CU_MEM_HANDLE_TYPE_FABRIC)
    return WriteValueTo(shareable, NameOf(physical->file, physical->device.ordinal));
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return Error::kInvalidValue;
  const int file = ReopenFile(physical->file);
  if (file < 0) return Error::kOutOfMemory;
  return WriteValueTo(shareable, file);
}

// A new descriptor of what a handle names; -1 if it names nothing.
int OpenShareable(void* shareable, CUmemAllocationHandleType type) {
  if (type != CU_MEM_HANDLE_TYPE_FABRIC) return ReopenFile(static_cast<int>(reinterpret_cast<intptr_t>(shareable)));
  FileName name;
  if (shareable == nullptr) return -1;
  std::memcpy(&name, shareable, sizeof(name));
  return OpenNamed(name);
}

Error Import(CUmemGenericAllocationHandle* handle, void* shareable, CUmemAllocationHandleType type) {
  const bool known = type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || type == CU_MEM_HANDLE_TYPE_FABRIC;
  if (handle == nullptr || !known) return Error::kInvalidValue;
  const int file = OpenShareable(shareable, type);
  Device* const device = file < 0 ? nullptr : FindDevice(DeviceOfFile(file));
  if (device == nullptr) {
    if (file >= 0) close(file);
    return Error::kInvalidValue;
  }
  *handle = Virtual::Get().Add(std::make_shared<Physical>(file, SizeOfFile(file), *device, false, type));
  return Error::kSuccess;
}

Error PropertiesOf(CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
  const auto physical = Virtual::Get().Find(handle);
  if (prop == nullptr || physical == nullptr) return Error::kInvalidValue;
  *prop = {};
  prop->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(physical->exportable);
  prop->location = {CU_MEM_LOCATION_TYPE_DEVICE, physical->device.ordinal};
  return Error::kSuccess;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags) {
  return Call(__func__, Requires::kInit, [&] {
    if (bytes == nullptr || DeviceOf(prop) == nullptr) return Error::kInvalidValue;
    *bytes = kGranularity;
    return Error::kSuccess;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  return Call(__func__, Requires::kInit,
              [&] { return flags != 0 ? Error::kInvalidValue : Create(handle, bytes, prop); });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return Call(__func__, Requires::kInit,
              [&] { return Virtual::Get().handles.erase(handle) == 1 ? Error::kSuccess : Error::kInvalidValue; });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  return Call(__func__, Requires::kInit,
              [&] { return flags != 0 ? Error::kInvalidValue : Reserve(address, bytes, alignment); });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return Call(__func__, Requires::kInit, [&] { return FreeReservation(address, bytes); });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return Call(__func__, Requires::kInit,
              [&] { return flags != 0 ? Error::kInvalidValue : Map(address, bytes, offset, handle); });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return Call(__func__, Requires::kInit, [&](Lock& lock) { return Unmap(address, bytes, lock); });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* accesses, size_t count) {
  return Call(__func__, Requires::kContext, [&] { return SetAccess(address, bytes, accesses, count); });
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return Call(__func__, Requires::kInit,
              [&] { return flags != 0 ? Error::kInvalidValue : Export(shareable, handle, type); });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return Call(__func__, Requires::kInit, [&] { return Import(handle, shareable, type); });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
  return Call(__func__, Requires::kInit, [&] { return PropertiesOf(prop, handle); });
}

}  // namespace halyard::cuda::abi
