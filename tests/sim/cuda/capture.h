// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What captures of streams forbid.
#ifndef HALYARD_TESTS_SIM_CUDA_CAPTURE_H_
#define HALYARD_TESTS_SIM_CUDA_CAPTURE_H_

namespace halyard::cuda::abi {

// Whether the calling thread may not call a function now because a thread captures a stream. If so, the captures that
// forbid it are invalidated.
bool CaptureForbids(const char* name);

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_CAPTURE_H_
