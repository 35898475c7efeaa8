// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way into the library: each exported function calls CUDA, and what CUDA answers becomes HIP's answer.
#ifndef HALYARD_TESTS_SIM_HIP_ON_CUDA_CALL_H_
#define HALYARD_TESTS_SIM_HIP_ON_CUDA_CALL_H_

#include "cuda/abi/cuda_abi.h"
#include "hip/last_error.h"
#include "hip_on_cuda/devices.h"
#include "stream/native/vendor_call.h"

namespace halyard::hip::abi {

using stream::ToVendor;

// What HIP calls a failure of CUDA's. One that ends a context is remembered for LostBy().
hipError_t FailureOf(CUresult result);
// The first failure that ended a context, or success. From then on hipGetDevice() answers it, as HIP does from 7 on:
// the driver tells a lost device so.
hipError_t LostBy();

inline hipError_t ToHip(hipError_t result) { return result; }
inline hipError_t ToHip(CUresult result) { return result == CUDA_SUCCESS ? hipSuccess : FailureOf(result); }

// Answers what `body` answers, which gets CUDA's functions. For calls that need no device.
template <typename Body>
hipError_t CallLibrary(Body body) {
  const CudaFunctions* const cuda = Cuda();
  const hipError_t result = cuda == nullptr ? hipErrorNoDevice : ToHip(body(*cuda));
  return result == hipSuccess ? result : Noted(result);
}

// The same, with the thread's device current in CUDA.
template <typename Body>
hipError_t Call(Body body) {
  return CallLibrary([&](const CudaFunctions& cuda) {
    const CUresult entered = EnterDevice(cuda);
    return entered == CUDA_SUCCESS ? ToHip(body(cuda)) : ToHip(entered);
  });
}

// Call() of one function, with the arguments converted to its types.
template <typename... Parameters, typename... Arguments>
hipError_t Forward(CUresult (*CudaFunctions::*function)(Parameters...), Arguments... arguments) {
  return Call([&](const CudaFunctions& cuda) { return (cuda.*function)(ToVendor<Parameters>(arguments)...); });
}

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_ON_CUDA_CALL_H_
