// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares every function of drivers/hip/abi/hip_abi.h as this library exports it, so that a definition with another
// signature does not compile.
#ifndef HALYARD_TESTS_SIM_HIP_ENTRY_POINTS_H_
#define HALYARD_TESTS_SIM_HIP_ENTRY_POINTS_H_

#include <type_traits>

#include "hip/abi/hip_abi.h"

namespace halyard::hip::abi {

extern "C" {
#define HALYARD_SIM_DECLARE(name, signature) \
  __attribute__((visibility("default"))) std::remove_pointer_t<PFN_##name> name;
HALYARD_HIP_FUNCTIONS(HALYARD_SIM_DECLARE)
#undef HALYARD_SIM_DECLARE
// Not used by the driver: with it a test holds a stream up.
__attribute__((visibility("default"))) hipError_t hipStreamWaitValue64(hipStream_t stream, void* address,
                                                                       uint64_t value, unsigned int flags,
                                                                       uint64_t mask);
}

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_ENTRY_POINTS_H_
