// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of other processes, by IPC handles.
#include <bit>

#include "hip/call.h"
#include "hip/entry_points.h"
#include "hip/last_error.h"
#include "stream_api/ipc.h"
#include "stream_api/memory.h"

namespace halyard::hip::abi {

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t address) {
  return Call(__func__, [&] { return MemoryRange(address, base, bytes); });
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  return Call(__func__, [&] { return GetIpcHandle(address, reinterpret_cast<FileName*>(handle)); });
}

hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle, unsigned int flags) {
  const unsigned int wanted = Version() < kVersion6 ? 0 : hipIpcMemLazyEnablePeerAccess;
  return Call(__func__, [&] { return OpenIpcHandle(std::bit_cast<FileName>(handle), flags == wanted, address); });
}

hipError_t hipIpcCloseMemHandle(void* address) {
  return Call(__func__, [&](Lock& lock) { return CloseIpcHandle(address, __func__, lock); });
}

}  // namespace halyard::hip::abi
