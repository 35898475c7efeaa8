// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_api.h"

namespace halyard::sim {
namespace {

HipApi Load() {
  using hip::abi::Need;
  HipApi api;
  api.library = OpenSimLibrary(HALYARD_SIM_HIP_LIBRARY, HALYARD_SIM_KERNEL_DIR);
#define HALYARD_SIM_FIND(name, need, result, signature)                        \
  if (Need::need == Need::kRequired || dlsym(api.library, #name) != nullptr) { \
    FindSymbol(api.library, #name, &api.name);                                 \
  }
  HALYARD_HIP_FUNCTIONS(HALYARD_SIM_FIND)
#undef HALYARD_SIM_FIND
  FindSymbol(api.library, "hipStreamWaitValue64", &api.hipStreamWaitValue64);
  api.FindControl(api.library);
  return api;
}

}  // namespace

const HipApi& HipApi::Get() {
  static const HipApi api = Load();
  return api;
}

}  // namespace halyard::sim
