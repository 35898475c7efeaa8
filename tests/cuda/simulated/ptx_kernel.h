// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the simulation's own tests (tests/sim/unit/kernels), as a JIT compiler would hand them over.
#ifndef HALYARD_TESTS_CUDA_SIMULATED_PTX_KERNEL_H_
#define HALYARD_TESTS_CUDA_SIMULATED_PTX_KERNEL_H_

#include <string>
#include <vector>

#include "halyard/executable.h"

namespace halyard::interop {

/// The text that holds all of them.
std::string Ptx();

/// One kernel of a PTX text, with what it takes to make an executable of it.
class PtxKernel {
 public:
  PtxKernel(const char* name, std::vector<hal_parameter_t> parameters, std::string ptx = Ptx());
  PtxKernel(const PtxKernel&) = delete;  // params() points into it
  PtxKernel& operator=(const PtxKernel&) = delete;

  const std::string& ptx() const { return ptx_; }
  /// Valid as long as this object.
  const hal_executable_params_t& params() const { return params_; }

 private:
  const std::string ptx_;
  const std::vector<hal_parameter_t> parameters_;
  hal_export_info_t info_ = HAL_EXPORT_INFO_INIT;
  hal_executable_params_t params_ = HAL_EXECUTABLE_PARAMS_INIT;
};

/// The parameters of "append", which puts a number behind the others in a log.
std::vector<hal_parameter_t> AppendParameters();

}  // namespace halyard::interop

#endif  // HALYARD_TESTS_CUDA_SIMULATED_PTX_KERNEL_H_
