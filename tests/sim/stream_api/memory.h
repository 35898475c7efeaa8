// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of devices and of the host: what the vendors' functions do, under the runtime's lock.
#ifndef HALYARD_TESTS_SIM_STREAM_API_MEMORY_H_
#define HALYARD_TESTS_SIM_STREAM_API_MEMORY_H_

#include "stream_api/call.h"

namespace halyard::sim {

bool IsHost(const Allocation& allocation);

// Memory of the current device, or of the host for it.
Error AllocateMemory(MemoryKind kind, size_t bytes, Out address);
// Frees device or managed memory, or pinned memory. `call` is what reports name.
Error FreeDeviceMemory(Word address, const char* call, Lock& lock);
Error FreeHostMemory(Word address, const char* call, Lock& lock);
Error RegisterHostMemory(Word address, size_t bytes);
Error UnregisterHostMemory(Word address, const char* call, Lock& lock);
Error HostMemoryAddress(Word memory, unsigned int flags, Out address);
Error MemoryInfo(size_t* free, size_t* total);
// The allocation that an address lies in. Both places may be null.
Error MemoryRange(Word address, Out base, Out bytes);

// kInvalidValue unless the range lies in managed memory.
Error CheckManaged(Word address, size_t bytes);

// Writes one value as an attribute.
template <typename Value>
Error WriteValueTo(void* data, Value value) {
  std::memcpy(data, &value, sizeof(value));
  return Error::kSuccess;
}

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_MEMORY_H_
