// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that leaves the process by a descriptor or a fabric handle: CUDA's virtual memory. Memory of pools does not
// leave, and that of cuMemAlloc() only by an IPC handle: stream/native/vendor_ipc.h.
#include <cinttypes>
#include <cstdint>
#include <cstring>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

constexpr hal_peer_handles_t kOfVirtual = HAL_PEER_HANDLE_VIRTUAL_FD | HAL_PEER_HANDLE_FABRIC;

}  // namespace

// A device may have fabric handles and its system none: ProbeFabric().
Status CudaApi::ReadSharedTraits() {
  bool has_virtual_memory = false;
  bool has_descriptors = false;
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, &has_virtual_memory));
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, &has_descriptors));
  if (has_virtual_memory && has_descriptors) traits_.handles |= HAL_PEER_HANDLE_VIRTUAL_FD;
  return kOk;
}

// Two H200 had the attribute and were not permitted to make such memory. So the device is asked for some. Any refusal
// means that there are no such handles.
Status CudaApi::ProbeFabric() {
  constexpr int kFirstVersion = 12040;  // before that, drivers do not know the attribute
  bool has_fabric = false;
  if (api_version_ >= kFirstVersion) {
    HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, &has_fabric));
  }
  if (!has_fabric) return kOk;
  const Exemption exempt(library_);
  const CUmemAllocationProp properties = VirtualProperties(HAL_PEER_HANDLE_FABRIC);
  CUmemGenericAllocationHandle handle = 0;
  size_t unit = 0;
  if (library_.cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS ||
      library_.cuMemCreate(&handle, unit, &properties, 0) != CUDA_SUCCESS) {
    return kOk;
  }
  library_.Ignore(library_.cuMemRelease(handle));
  traits_.handles |= HAL_PEER_HANDLE_FABRIC;
  return kOk;
}

CUmemAllocationProp CudaApi::VirtualProperties(hal_peer_handles_t handles) const {
  unsigned int types = CU_MEM_HANDLE_TYPE_NONE;
  if (handles & HAL_PEER_HANDLE_VIRTUAL_FD) types |= CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (handles & HAL_PEER_HANDLE_FABRIC) types |= CU_MEM_HANDLE_TYPE_FABRIC;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(types);
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  return properties;
}

// Maps memory->handle. Frees what it made if it fails, except the handle.
Status CudaApi::MapShared(NativeShared* memory) {
  CUdeviceptr address = 0;
  HAL_TRY(HALYARD_CUDA(library_, cuMemAddressReserve, (&address, memory->size, 0, 0, 0)));
  Status status = HALYARD_CUDA(library_, cuMemMap, (address, memory->size, 0, memory->handle, 0));
  if (status == kOk) {
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device_}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    status = HALYARD_CUDA(library_, cuMemSetAccess, (address, memory->size, &access, 1));
    if (status == kOk) {
      memory->address = address;
      return kOk;
    }
    library_.Ignore(library_.cuMemUnmap(address, memory->size));
  }
  library_.Ignore(library_.cuMemAddressFree(address, memory->size));
  return status;
}

Status CudaApi::AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory) {
  if ((handles & ~kOfVirtual) != 0) return VendorApi::AllocateShared(handles, length, out_memory);
  const Exemption exempt(library_);
  const CUmemAllocationProp properties = VirtualProperties(handles);
  size_t unit = 0;
  HAL_TRY(
      HALYARD_CUDA(library_, cuMemGetAllocationGranularity, (&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM)));
  if (length > UINT64_MAX - unit) return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "no device has that much memory");
  NativeShared memory{NativeSharing::kVirtual, handles};
  memory.size = (length + unit - 1) / unit * unit;
  CUmemGenericAllocationHandle handle = 0;
  HAL_TRY(HALYARD_CUDA(library_, cuMemCreate, (&handle, memory.size, &properties, 0)));
  memory.handle = handle;
  const Status status = MapShared(&memory);
  if (status == kOk) {
    *out_memory = memory;
  } else {
    library_.Ignore(library_.cuMemRelease(handle));
  }
  return status;
}

Status CudaApi::ImportShared(const hal_external_memory_t& memory, NativeShared* out_memory) {
  if (memory.type == HAL_EXTERNAL_MEMORY_TYPE_IPC) return VendorApi::ImportShared(memory, out_memory);
  return ImportVirtual(memory, out_memory);
}

Status CudaApi::CheckPlace(const NativeShared& memory) const {
  CUmemAllocationProp properties{};
  HAL_TRY(HALYARD_CUDA(library_, cuMemGetAllocationPropertiesFromHandle, (&properties, memory.handle)));
  const CUmemLocation& place = properties.location;
  if (place.type == CU_MEM_LOCATION_TYPE_DEVICE && place.id == device_) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "the handle is memory of device %d, not of device %d", place.id, device_);
}

// The vendor knows the device of a handle. Of its size it only says whether so much can be mapped.
Status CudaApi::ImportVirtual(const hal_external_memory_t& memory, NativeShared* out_memory) {
  const Exemption exempt(library_);
  const bool is_fabric = memory.type == HAL_EXTERNAL_MEMORY_TYPE_FABRIC;
  NativeShared imported{NativeSharing::kVirtual, is_fabric ? HAL_PEER_HANDLE_FABRIC : HAL_PEER_HANDLE_VIRTUAL_FD};
  imported.size = memory.allocation_size;
  CUmemFabricHandle fabric;
  static_assert(sizeof(fabric) == sizeof(memory.bytes));
  std::memcpy(&fabric, memory.bytes, sizeof(fabric));
  void* const shareable = is_fabric ? &fabric : reinterpret_cast<void*>(static_cast<intptr_t>(memory.handle));
  const auto type = is_fabric ? CU_MEM_HANDLE_TYPE_FABRIC : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle handle = 0;
  HAL_TRY(HALYARD_CUDA(library_, cuMemImportFromShareableHandle, (&handle, shareable, type)));
  imported.handle = handle;
  Status status = CheckPlace(imported);
  if (status == kOk) status = MapShared(&imported);
  if (status == kOk) {
    *out_memory = imported;
  } else {
    library_.Ignore(library_.cuMemRelease(handle));
  }
  return status;
}

Status CudaApi::ExportShared(const NativeShared& memory, hal_external_memory_type_t type,
                             hal_external_memory_t* out_memory) {
  if (memory.sharing != NativeSharing::kVirtual) return VendorApi::ExportShared(memory, type, out_memory);
  const Exemption exempt(library_);
  if (type == HAL_EXTERNAL_MEMORY_TYPE_FABRIC) {
    CUmemFabricHandle fabric;
    HAL_TRY(
        HALYARD_CUDA(library_, cuMemExportToShareableHandle, (&fabric, memory.handle, CU_MEM_HANDLE_TYPE_FABRIC, 0)));
    std::memcpy(out_memory->bytes, &fabric, sizeof(fabric));
    return kOk;
  }
  int descriptor = -1;
  HAL_TRY(HALYARD_CUDA(library_, cuMemExportToShareableHandle,
                       (&descriptor, memory.handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)));
  out_memory->handle = static_cast<uint64_t>(descriptor);
  return kOk;
}

void CudaApi::FreeShared(const NativeShared& memory) {
  if (memory.sharing != NativeSharing::kVirtual) return VendorApi::FreeShared(memory);
  const Exemption exempt(library_);
  library_.Ignore(library_.cuMemUnmap(memory.address, memory.size));
  library_.Ignore(library_.cuMemAddressFree(memory.address, memory.size));
  library_.Ignore(library_.cuMemRelease(memory.handle));
}

}  // namespace halyard::cuda
