// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated CUDA of this process, which the fault injector controls beside the driver under test.
#ifndef HALYARD_TESTS_FAULT_INJECTION_SIMULATOR_H_
#define HALYARD_TESTS_FAULT_INJECTION_SIMULATOR_H_

#include <string>

#include "cuda/abi/cuda_abi.h"
#include "sim/control.h"

namespace halyard::fault_injection {

/// The functions of tests/sim/control.h and those of CUDA itself, in the library that HALYARD_CUDA_LIBRARY names and
/// the driver loads.
struct Simulator : cuda::CudaFunctions {
  /// Loads the library at the first call, uninitialised; throws if it is no simulation.
  static const Simulator& Get();

  /// What was reported since the last reset, one breach a line.
  std::string ReportText() const;
  /// The context that is current on this thread. Counts as a call of the vendor's API.
  cuda::CUcontext CurrentContext() const;

  decltype(&halyardSimReset) Reset = nullptr;
  decltype(&halyardSimFail) Fail = nullptr;
  decltype(&halyardSimFailures) Failures = nullptr;
  decltype(&halyardSimFailedCall) FailedCall = nullptr;
  decltype(&halyardSimCalls) Calls = nullptr;
  decltype(&halyardSimReport) Report = nullptr;
  decltype(&halyardSimObjects) Objects = nullptr;
  decltype(&halyardSimForget) Forget = nullptr;
  decltype(&halyardSimSetDelay) SetDelay = nullptr;
};

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_SIMULATOR_H_
