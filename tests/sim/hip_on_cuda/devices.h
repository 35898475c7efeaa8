// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's library and the device of each thread.
#ifndef HALYARD_TESTS_SIM_HIP_ON_CUDA_DEVICES_H_
#define HALYARD_TESTS_SIM_HIP_ON_CUDA_DEVICES_H_

#include "cuda/abi/cuda_abi.h"
#include "hip/abi/hip_abi.h"

namespace halyard::hip::abi {

using namespace cuda::abi;  // NOLINT(google-build-using-namespace): each name begins with the vendor's letters

// CUDA's functions: libcuda.so.1, or the file that HALYARD_CUDA_LIBRARY names, initialised. Null if there is none that
// works, with the reason on stderr. Thread-safe.
const CudaFunctions* Cuda();

// The calling thread's device, at first 0.
int CurrentDevice();
// Makes another one current.
CUresult SetCurrentDevice(const CudaFunctions& cuda, int device);
// Makes the primary context of the thread's device current in CUDA. Once for each thread and device: afterwards it
// costs no call.
CUresult EnterDevice(const CudaFunctions& cuda);
// The primary context of a device, which stays.
CUresult ContextOf(const CudaFunctions& cuda, int device, CUcontext* out_context);
// The context that EnterDevice() made current.
CUcontext CurrentContext();

// Counts the streams that are there.
void CountStreams(int change);

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_ON_CUDA_DEVICES_H_
