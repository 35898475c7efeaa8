// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IPC handles of memory.
#ifndef HALYARD_TESTS_SIM_STREAM_API_IPC_H_
#define HALYARD_TESTS_SIM_STREAM_API_IPC_H_

#include "engine/file_memory.h"
#include "stream_api/call.h"

namespace halyard::sim {

// Memory that was allocated for itself, in whole units of 2 MiB; of others the vendors share what lies around it, too.
Error GetIpcHandle(Word address, FileName* out_handle);
// Of another process. A handle that is open is opened again at the same address. A device that is not current has to be
// one that the current one reaches. `opens_peers`: the vendor's only flag is set.
Error OpenIpcHandle(const FileName& handle, bool opens_peers, Out address);
Error CloseIpcHandle(Word address, const char* call, Lock& lock);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_IPC_H_
