// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_api.h"

namespace halyard::sim {
namespace {

HipApi Load() {
  HipApi api;
  api.library = OpenSimLibrary(HALYARD_SIM_HIP_LIBRARY, HALYARD_SIM_KERNEL_DIR);
#define HALYARD_SIM_FIND(name, signature) FindSymbol(api.library, #name, &api.name);
#define HALYARD_SIM_FIND_IF_ANY(name, signature) \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(api.library, #name));
  HALYARD_HIP_TEXT_FUNCTIONS(HALYARD_SIM_FIND)
  HALYARD_HIP_CALL_FUNCTIONS(HALYARD_SIM_FIND)
  HALYARD_HIP_PROPERTIES_FUNCTIONS(HALYARD_SIM_FIND_IF_ANY)
#undef HALYARD_SIM_FIND_IF_ANY
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
