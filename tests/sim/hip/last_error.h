// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each refusal stays in the calling thread's last error, and hipGetLastError() reads and clears it.
#ifndef HALYARD_TESTS_SIM_HIP_LAST_ERROR_H_
#define HALYARD_TESTS_SIM_HIP_LAST_ERROR_H_

#include "hip/abi/hip_abi.h"

namespace halyard::hip::abi {

// The version that the library says it is of, as the vendor counts it. Takes no lock: tests change it while no other
// call is made.
int Version();
constexpr int kVersion6 = 60000000;
constexpr int kStandardVersion = 60443484;  // 6.4.3
constexpr int kVersion7 = 70000000;
constexpr int kVersion7_2 = 70200000;
constexpr int kVersion7_15 = 71500000;  // ROCm 10

// The calling thread's last error.
hipError_t& LastError();
// Puts a refusal there, and returns it.
hipError_t Noted(hipError_t result);

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_LAST_ERROR_H_
