// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_api.h"

namespace halyard::sim {
namespace {

CudaApi Load() {
  void* library = OpenSimLibrary(HALYARD_SIM_LIBRARY, HALYARD_SIM_KERNEL_DIR);
  CudaApi api;
#define HALYARD_SIM_FIND(base, suffix, version, need, signature) FindSymbol(library, #base #suffix, &api.base##suffix);
  HALYARD_CUDA_FUNCTIONS(HALYARD_SIM_FIND)
#undef HALYARD_SIM_FIND
  api.FindControl(library);
  return api;
}

}  // namespace

const CudaApi& CudaApi::Get() {
  static const CudaApi api = Load();
  return api;
}

}  // namespace halyard::sim
