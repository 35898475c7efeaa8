// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the simulation's own tests (tests/sim/unit/kernels).
#ifndef HALYARD_TESTS_STREAM_DRIVERS_TEST_KERNEL_H_
#define HALYARD_TESTS_STREAM_DRIVERS_TEST_KERNEL_H_

#include <string>
#include <vector>

#include "halyard/executable.h"
#include "vendor.h"

namespace halyard::interop {

/// One kernel of an image, with what it takes to make an executable of it.
class TestKernel {
 public:
  TestKernel(const char* name, std::vector<hal_parameter_t> parameters, std::string image = vendor::Image());
  TestKernel(const TestKernel&) = delete;  // params() points into it
  TestKernel& operator=(const TestKernel&) = delete;

  const std::string& image() const { return image_; }
  /// Valid as long as this object.
  const hal_executable_params_t& params() const { return params_; }

 private:
  const std::string image_;
  const std::vector<hal_parameter_t> parameters_;
  hal_export_info_t info_ = HAL_EXPORT_INFO_INIT;
  hal_executable_params_t params_ = HAL_INIT(hal_executable_params_t);
};

/// The parameters of "append", which puts a number behind the others in a log.
std::vector<hal_parameter_t> AppendParameters();

}  // namespace halyard::interop

#endif  // HALYARD_TESTS_STREAM_DRIVERS_TEST_KERNEL_H_
