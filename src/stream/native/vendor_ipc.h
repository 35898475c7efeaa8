// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that leaves the process by an IPC handle: a plain allocation, since memory of pools does not leave. A part of
// vendor_api.h.
#ifndef HALYARD_STREAM_NATIVE_VENDOR_IPC_H_
#define HALYARD_STREAM_NATIVE_VENDOR_IPC_H_

#include <cinttypes>

#include "stream/native/vendor_api.h"

namespace halyard::stream {

/// What small allocations share, in bytes. A handle gives away all of it, so that no other memory may lie there.
inline constexpr uint64_t kIpcUnit = uint64_t{2} << 20;

template <class Vendor>
Status VendorApi<Vendor>::AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory) {
  if (handles != HAL_PEER_HANDLE_IPC) {
    return FailWith(HAL_STATUS_INCOMPATIBLE,
                    "memory that leaves as IPC is a plain allocation: it leaves by no other handle");
  }
  if (length > UINT64_MAX - kIpcUnit) return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "no device has that much memory");
  NativeShared memory{NativeSharing::kIpc, HAL_PEER_HANDLE_IPC};
  memory.size = (length + kIpcUnit - 1) / kIpcUnit * kIpcUnit;
  HAL_TRY(AllocateDevice(memory.size, &memory.address));
  *out_memory = memory;
  return kOk;
}

// The vendor counts how often a handle is opened, and each is closed once.
template <class Vendor>
Status VendorApi<Vendor>::ImportShared(const hal_external_memory_t& memory, NativeShared* out_memory) {
  const Exemption exempt(library_);
  typename Vendor::IpcHandle handle;
  static_assert(sizeof(handle) == sizeof(memory.bytes));
  std::memcpy(&handle, memory.bytes, sizeof(handle));
  NativeShared opened{NativeSharing::kIpcOpened, HAL_PEER_HANDLES_NONE};
  const Result result = CallVendor(library_, Vendor::kOpenIpc, &opened.address, handle, library_.ipc_flags());
  if (result == Vendor::kIpcOfThisProcess) {
    library_.Ignore(result);
    return FailWith(
        HAL_STATUS_INCOMPATIBLE,
        "the IPC handle is of memory of this process, which the vendor does not open: use the memory itself");
  }
  HAL_TRY(library_.Check(Vendor::kOpenIpc.name, result));
  const Status status = DescribeOpened(&opened);
  if (status == kOk) {
    *out_memory = opened;
  } else {
    FreeShared(opened);
  }
  return status;
}

// It may begin in the midst of what is mapped for it. Whose memory it is CUDA does not tell: two H200 opened each
// other's, and named the device that opened it.
template <class Vendor>
Status VendorApi<Vendor>::DescribeOpened(NativeShared* opened) {
  NativeAddress base = 0;
  uint64_t size = 0;
  HAL_TRY(Call(Vendor::kAddressRange, &base, &size, opened->address));
  opened->size = size - (opened->address - base);
  return kOk;
}

template <class Vendor>
Status VendorApi<Vendor>::ExportShared(const NativeShared& memory, hal_external_memory_type_t,
                                       hal_external_memory_t* out_memory) {
  typename Vendor::IpcHandle handle;
  HAL_TRY(ExemptCall(Vendor::kGetIpc, &handle, memory.address));
  std::memcpy(out_memory->bytes, &handle, sizeof(handle));
  return kOk;
}

template <class Vendor>
void VendorApi<Vendor>::FreeShared(const NativeShared& memory) {
  if (memory.sharing == NativeSharing::kIpcOpened) {
    Free(Vendor::kCloseIpc, memory.address);
  } else {
    FreeDevice(memory.address);
  }
}

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_VENDOR_IPC_H_
