// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that leaves the process by a descriptor: CUDA's virtual memory. Memory of pools does not leave, and that of
// cuMemAlloc() only as an IPC handle.
#include <cinttypes>
#include <cstdint>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

constexpr CUmemAllocationHandleType kDescriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

CUmemAllocationProp PropertiesOf(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = kDescriptor;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

}  // namespace

Status CudaApi::ReadSharedTraits() {
  bool has_virtual_memory = false;
  bool has_descriptors = false;
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, &has_virtual_memory));
  HAL_TRY(Read(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, &has_descriptors));
  traits_.shared_memory = has_virtual_memory && has_descriptors;
  return kOk;
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

Status CudaApi::AllocateShared(uint64_t length, NativeShared* out_memory) {
  const Exemption exempt(library_);
  const CUmemAllocationProp properties = PropertiesOf(device_);
  size_t unit = 0;
  HAL_TRY(
      HALYARD_CUDA(library_, cuMemGetAllocationGranularity, (&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM)));
  if (length > UINT64_MAX - unit) return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "no device has that much memory");
  NativeShared memory;
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

// The vendor knows the device of a handle. Of its size it only says whether so much can be mapped.
Status CudaApi::ImportShared(int descriptor, uint64_t size, NativeShared* out_memory) {
  const Exemption exempt(library_);
  NativeShared memory;
  memory.size = size;
  CUmemGenericAllocationHandle handle = 0;
  void* const shareable = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
  HAL_TRY(HALYARD_CUDA(library_, cuMemImportFromShareableHandle, (&handle, shareable, kDescriptor)));
  memory.handle = handle;
  CUmemAllocationProp properties{};
  Status status = HALYARD_CUDA(library_, cuMemGetAllocationPropertiesFromHandle, (&properties, handle));
  const bool is_here = properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties.location.id == device_;
  if (status == kOk && !is_here) {
    status = Fail(HAL_STATUS_INCOMPATIBLE, "the descriptor is memory of device %d, not of device %d",
                  properties.location.id, device_);
  }
  if (status == kOk) status = MapShared(&memory);
  if (status == kOk) {
    *out_memory = memory;
  } else {
    library_.Ignore(library_.cuMemRelease(handle));
  }
  return status;
}

Status CudaApi::ExportShared(const NativeShared& memory, int* out_descriptor) {
  const Exemption exempt(library_);
  return HALYARD_CUDA(library_, cuMemExportToShareableHandle, (out_descriptor, memory.handle, kDescriptor, 0));
}

void CudaApi::FreeShared(const NativeShared& memory) {
  const Exemption exempt(library_);
  library_.Ignore(library_.cuMemUnmap(memory.address, memory.size));
  library_.Ignore(library_.cuMemAddressFree(memory.address, memory.size));
  library_.Ignore(library_.cuMemRelease(memory.handle));
}

}  // namespace halyard::cuda
