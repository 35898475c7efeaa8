// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library itself: initialisation, version, errors.
#include <utility>

#include "hip/call.h"
#include "hip/entry_points.h"
#include "stream_api/process.h"

namespace halyard::hip::abi {
namespace {

// From 7 on a lost device stays every thread's last error.
hipError_t Lost() {
  const Lock lock(Runtime::Get().mutex);
  if (Runtime::Get().shut_down) return hipErrorDeinitialized;  // no thread gets a current device any more
  const auto context = CurrentContext();
  return context == nullptr ? hipSuccess : static_cast<hipError_t>(ToVendor(context->lost));
}

}  // namespace

hipError_t hipInit(unsigned int flags) {
  const hipError_t result = Call(__func__, [&] { return flags == 0 ? Error::kSuccess : Error::kInvalidValue; });
  return result == hipErrorNoDevice && Version() < kVersion6 ? Noted(hipErrorInvalidDevice) : result;
}

hipError_t hipRuntimeGetVersion(int* version) {
  return Noted(static_cast<hipError_t>(Carry(__func__, Requires::kNothing, [&] {
    if (version == nullptr) return Error::kInvalidValue;
    *version = Version();
    return Error::kSuccess;
  })));
}

hipError_t hipGetLastError() {
  if (const auto refusal = Refusal(__func__, Requires::kNothing)) return static_cast<hipError_t>(*refusal);
  const hipError_t last = std::exchange(LastError(), hipSuccess);
  const hipError_t lost = Lost();
  return lost == hipSuccess ? last : lost;
}

}  // namespace halyard::hip::abi
