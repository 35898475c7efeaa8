// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of other processes, by IPC handles.
#include <bit>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/ipc.h"

namespace halyard::cuda::abi {

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&] { return GetIpcHandle(address, reinterpret_cast<FileName*>(handle)); });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    return OpenIpcHandle(std::bit_cast<FileName>(handle), flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, address);
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return CloseIpcHandle(address, __func__, lock); });
}

}  // namespace halyard::cuda::abi
