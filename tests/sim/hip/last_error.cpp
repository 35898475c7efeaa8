// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/last_error.h"

#include "hip/entry_points.h"

namespace halyard::hip::abi {

hipError_t& LastError() {
  static thread_local hipError_t last = hipSuccess;
  return last;
}

hipError_t Noted(hipError_t result) {
  const bool stays = result != hipSuccess && (result != hipErrorNotReady || Version() < kVersion7);
  if (stays) LastError() = result;
  return result;
}

// These two cannot fail, so no plan of failing calls counts them.
const char* hipGetErrorName(hipError_t error) {
#define HALYARD_SIM_NAME(known, value) \
  if (error == (known)) return #known;
  HALYARD_hipError_t(HALYARD_SIM_NAME);
#undef HALYARD_SIM_NAME
  return "hipErrorUnknown";
}

const char* hipGetErrorString(hipError_t error) {
#define HALYARD_SIM_NAME(known, value) \
  if (error == (known)) return "the text of " #known;
  HALYARD_hipError_t(HALYARD_SIM_NAME);
#undef HALYARD_SIM_NAME
  return "an error without a name";
}

}  // namespace halyard::hip::abi
