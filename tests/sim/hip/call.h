// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP's side of stream_api/call.h. The library starts with the first call that needs it, and each refusal stays in the
// thread's last error.
#ifndef HALYARD_TESTS_SIM_HIP_CALL_H_
#define HALYARD_TESTS_SIM_HIP_CALL_H_

#include "hip/last_error.h"
#include "stream_api/call.h"

namespace halyard::hip::abi {

using namespace sim;  // NOLINT(google-build-using-namespace): the words of the layer that all of this is written in

inline constexpr char kDeviceName[] = "AMD Instinct MI300X (simulated)";

// Carry() with the vendor's type of answer. Nothing runs on a device that is lost, and there is always a current one.
template <typename Body>
hipError_t Call(const char* name, Body body) {
  return Noted(static_cast<hipError_t>(Carry(name, Requires::kContext, body)));
}

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_CALL_H_
