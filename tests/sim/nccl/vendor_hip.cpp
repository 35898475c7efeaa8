// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RCCL's vendor: HIP.
#include <dlfcn.h>

#include <cstdlib>

#include "base/foreign_code.h"
#include "nccl/vendor.h"

namespace halyard::sim::nccl {
namespace {

// The vendor's functions with the types that they have at the machine's level.
template <class... Arguments>
HALYARD_CALLS_FOREIGN_CODE bool Call(const char* name, Arguments... arguments) {
  static void* const library = dlopen(std::getenv("HALYARD_HIP_LIBRARY"), RTLD_NOW);  // NOLINT(concurrency-mt-unsafe)
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function && function(arguments...) == 0;
}

int OrdinalOf(void* device) { return static_cast<int>(reinterpret_cast<intptr_t>(device)) - 1; }
void* DeviceOf(int ordinal) { return reinterpret_cast<void*>(static_cast<intptr_t>(ordinal) + 1); }

}  // namespace

CurrentDevice::CurrentDevice(void* device) {
  int before = 0;
  ok_ = Call("hipGetDevice", &before) && Call("hipSetDevice", OrdinalOf(device));
  before_ = DeviceOf(before);
}
CurrentDevice::~CurrentDevice() {
  if (ok_) Call("hipSetDevice", OrdinalOf(before_));
}

bool FindCurrentDevice(void** out_device, int* out_ordinal) {
  if (!Call("hipGetDevice", out_ordinal)) return false;
  *out_device = DeviceOf(*out_ordinal);
  return true;
}
bool AllocatePinned(size_t size, void** out_memory) { return Call("hipHostMalloc", out_memory, size, 3U); }
void FreePinned(void* memory) { Call("hipHostFree", memory); }
bool LaunchHostFunction(void* stream, void (*function)(void*), void* user_data) {
  return Call("hipLaunchHostFunc", stream, function, user_data);
}
bool WaitForWord(void* stream, uint64_t* word, uint64_t value) {
  return Call("hipStreamWaitValue64", stream, static_cast<void*>(word), value, 0U, ~uint64_t{0});
}
bool Synchronize(void* stream) { return Call("hipStreamSynchronize", stream); }

}  // namespace halyard::sim::nccl
