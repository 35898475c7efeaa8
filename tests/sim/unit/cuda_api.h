// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated library as a program sees it: loaded at run time, every function by its exported name.
#ifndef HALYARD_TESTS_SIM_UNIT_CUDA_API_H_
#define HALYARD_TESTS_SIM_UNIT_CUDA_API_H_

#include "control.h"
#include "cuda/abi/cuda_abi.h"

namespace halyard::sim {

using namespace cuda::abi;

struct CudaApi : CudaFunctions {
  // Loads the library on first use, with the settings that the tests want.
  static const CudaApi& Get();

  decltype(&halyardSimReset) Reset = nullptr;
  decltype(&halyardSimFail) Fail = nullptr;
  decltype(&halyardSimFailures) Failures = nullptr;
  decltype(&halyardSimFailedCall) FailedCall = nullptr;
  decltype(&halyardSimCalls) Calls = nullptr;
  decltype(&halyardSimLoseDevice) LoseDevice = nullptr;
  decltype(&halyardSimReport) Report = nullptr;
  decltype(&halyardSimReports) Reports = nullptr;
  decltype(&halyardSimIgnore) Ignore = nullptr;
  decltype(&halyardSimCheckLeaks) CheckLeaks = nullptr;
  decltype(&halyardSimObjects) Objects = nullptr;
  decltype(&halyardSimForget) Forget = nullptr;
  decltype(&halyardSimShutDown) ShutDown = nullptr;
  decltype(&halyardSimSetAttribute) SetAttribute = nullptr;
  decltype(&halyardSimSetDelay) SetDelay = nullptr;
  decltype(&halyardSimSetNodeGrid) SetNodeGrid = nullptr;
  decltype(&halyardSimSetNodeEnabled) SetNodeEnabled = nullptr;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_CUDA_API_H_
