// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL's vendor: CUDA.
#include <dlfcn.h>

#include <cstdlib>

#include "base/foreign_code.h"
#include "nccl/vendor.h"

namespace halyard::sim::nccl {
namespace {

// The vendor's functions with the types that they have at the machine's level.
template <class... Arguments>
HALYARD_CALLS_FOREIGN_CODE bool Call(const char* name, Arguments... arguments) {
  static void* const library = dlopen(std::getenv("HALYARD_CUDA_LIBRARY"), RTLD_NOW);  // NOLINT(concurrency-mt-unsafe)
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function && function(arguments...) == 0;
}

}  // namespace

CurrentDevice::CurrentDevice(void* device) : ok_(Call("cuCtxPushCurrent_v2", device)) {}
CurrentDevice::~CurrentDevice() {
  if (ok_) Call("cuCtxPopCurrent_v2", &before_);
}

bool FindCurrentDevice(void** out_device, int* out_ordinal) {
  return Call("cuCtxGetCurrent", out_device) && *out_device && Call("cuCtxGetDevice", out_ordinal);
}
bool AllocatePinned(size_t size, void** out_memory) { return Call("cuMemHostAlloc", out_memory, size, 3U); }
void FreePinned(void* memory) { Call("cuMemFreeHost", memory); }
bool LaunchHostFunction(void* stream, void (*function)(void*), void* user_data) {
  return Call("cuLaunchHostFunc", stream, function, user_data);
}
bool WaitForWord(void* stream, uint64_t* word, uint64_t value) {
  return Call("cuStreamWaitValue64_v2", stream, reinterpret_cast<uint64_t>(word), value, 0U);
}
bool Synchronize(void* stream) { return Call("cuStreamSynchronize", stream); }

}  // namespace halyard::sim::nccl
