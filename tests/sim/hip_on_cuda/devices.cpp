// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_on_cuda/devices.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace halyard::hip::abi {
namespace {

// `context` is null until the thread makes a call that needs a device.
struct Current {
  int device = 0;
  CUcontext context = nullptr;
};
constinit thread_local Current current;

// The primary contexts of devices that were used, each retained until the process ends.
constexpr size_t kMostDevices = 64;
constinit std::array<std::atomic<CUcontext>, kMostDevices> contexts{};
constinit std::atomic<int> streams{0};

// Every function by its exported name. A name stands for one signature.
bool FindFunctions(void* library, const char* path, CudaFunctions* functions) {
// NOLINTBEGIN(bugprone-macro-parentheses): names
#define HALYARD_SIM_FIND(base, suffix, version, need, signature)                                      \
  functions->base##suffix = reinterpret_cast<PFN_##base##_v##version>(dlsym(library, #base #suffix)); \
  if (functions->base##suffix == nullptr && cuda::abi::Need::need == cuda::abi::Need::kRequired) {    \
    std::fprintf(stderr, "hip_on_cuda: '%s' has no %s\n", path, #base #suffix);                       \
    return false;                                                                                     \
  }
  // NOLINTEND(bugprone-macro-parentheses)
  HALYARD_CUDA_FUNCTIONS(HALYARD_SIM_FIND)
#undef HALYARD_SIM_FIND
  return true;
}

// At exit, before CUDA's own handler: a check for leaks wants the contexts destroyed. Not if a thread may still be at
// work.
void ReleaseContexts() {
  if (streams.load(std::memory_order_acquire) != 0) return;
  for (size_t device = 0; device < contexts.size(); ++device) {
    if (contexts[device].exchange(nullptr, std::memory_order_acq_rel) == nullptr) continue;
    static_cast<void>(Cuda()->cuDevicePrimaryCtxRelease_v2(static_cast<CUdevice>(device)));
  }
}

const CudaFunctions* Load() {
  static CudaFunctions functions;
  const char* path = std::getenv("HALYARD_CUDA_LIBRARY");
  if (path == nullptr || *path == 0) path = "libcuda.so.1";
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "hip_on_cuda: %s\n", dlerror());
    return nullptr;
  }
  if (!FindFunctions(library, path, &functions)) return nullptr;
  const CUresult result = functions.cuInit(0);
  if (result == CUDA_SUCCESS) {
    std::atexit(ReleaseContexts);
    return &functions;
  }
  std::fprintf(stderr, "hip_on_cuda: cuInit() of '%s' fails: %d\n", path, static_cast<int>(result));
  return nullptr;
}

// Of two threads that retain it at once, the second releases it again.
CUresult PrimaryContext(const CudaFunctions& cuda, int device, CUcontext* out_context) {
  if (device < 0 || static_cast<size_t>(device) >= kMostDevices) return CUDA_ERROR_INVALID_DEVICE;
  std::atomic<CUcontext>& kept = contexts[static_cast<size_t>(device)];
  *out_context = kept.load(std::memory_order_acquire);
  if (*out_context != nullptr) return CUDA_SUCCESS;
  const CUresult result = cuda.cuDevicePrimaryCtxRetain(out_context, device);
  CUcontext before = nullptr;
  if (result != CUDA_SUCCESS || kept.compare_exchange_strong(before, *out_context)) return result;
  return cuda.cuDevicePrimaryCtxRelease_v2(device);
}

CUresult Enter(const CudaFunctions& cuda, int device) {
  CUcontext context = nullptr;
  CUresult result = PrimaryContext(cuda, device, &context);
  if (result == CUDA_SUCCESS) result = cuda.cuCtxSetCurrent(context);
  if (result == CUDA_SUCCESS) current = {device, context};
  return result;
}

}  // namespace

const CudaFunctions* Cuda() {
  static const CudaFunctions* const functions = Load();
  return functions;
}

int CurrentDevice() { return current.device; }

CUresult SetCurrentDevice(const CudaFunctions& cuda, int device) {
  return current.context != nullptr && current.device == device ? CUDA_SUCCESS : Enter(cuda, device);
}

CUresult EnterDevice(const CudaFunctions& cuda) {
  return current.context != nullptr ? CUDA_SUCCESS : Enter(cuda, current.device);
}

CUresult ContextOf(const CudaFunctions& cuda, int device, CUcontext* out_context) {
  return PrimaryContext(cuda, device, out_context);
}

CUcontext CurrentContext() { return current.context; }

// The simulated CUDA waits at exit until all is gone, in a handler that is newer than that of Load(). So the contexts
// are released by one that is newer still.
void CountStreams(int change) {
  static std::once_flag noted;
  if (streams.fetch_add(change, std::memory_order_acq_rel) + change != 0) return;
  std::call_once(noted, [] { std::atexit(ReleaseContexts); });
}

}  // namespace halyard::hip::abi
