// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_api.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace halyard::sim {
namespace {

template <typename Pointer>
void Find(void* library, const char* symbol, Pointer* function) {
  *function = reinterpret_cast<Pointer>(dlsym(library, symbol));
  if (*function != nullptr) return;
  std::fprintf(stderr, "%s does not export %s\n", HALYARD_SIM_LIBRARY, symbol);
  std::abort();
}

CudaApi Load() {
  setenv("HALYARD_SIM_KERNELS", HALYARD_SIM_KERNEL_DIR, 1);
  setenv("HALYARD_SIM_DEVICES", "2", 1);
  void* library = dlopen(HALYARD_SIM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  CudaApi api;
#define HALYARD_SIM_FIND(base, suffix, version, need, signature) Find(library, #base #suffix, &api.base##suffix);
  HALYARD_CUDA_FUNCTIONS(HALYARD_SIM_FIND)
#undef HALYARD_SIM_FIND
  Find(library, "halyardSimReset", &api.Reset);
  Find(library, "halyardSimFail", &api.Fail);
  Find(library, "halyardSimFailures", &api.Failures);
  Find(library, "halyardSimFailedCall", &api.FailedCall);
  Find(library, "halyardSimCalls", &api.Calls);
  Find(library, "halyardSimLoseDevice", &api.LoseDevice);
  Find(library, "halyardSimReport", &api.Report);
  Find(library, "halyardSimReports", &api.Reports);
  Find(library, "halyardSimIgnore", &api.Ignore);
  Find(library, "halyardSimCheckLeaks", &api.CheckLeaks);
  Find(library, "halyardSimObjects", &api.Objects);
  Find(library, "halyardSimForget", &api.Forget);
  Find(library, "halyardSimShutDown", &api.ShutDown);
  Find(library, "halyardSimSetAttribute", &api.SetAttribute);
  Find(library, "halyardSimSetDelay", &api.SetDelay);
  Find(library, "halyardSimSetNodeGrid", &api.SetNodeGrid);
  Find(library, "halyardSimSetNodeEnabled", &api.SetNodeEnabled);
  return api;
}

}  // namespace

const CudaApi& CudaApi::Get() {
  static const CudaApi api = Load();
  return api;
}

}  // namespace halyard::sim
