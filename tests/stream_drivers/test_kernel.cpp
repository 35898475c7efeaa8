// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_kernel.h"

#include <utility>

namespace halyard::interop {

TestKernel::TestKernel(const char* name, std::vector<hal_parameter_t> parameters, std::string image)
    : image_(std::move(image)), parameters_(std::move(parameters)) {
  info_.name = hal_string_view(name);
  for (const hal_parameter_t& parameter : parameters_) {
    if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) info_.constants_size += parameter.size;
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) ++info_.binding_count;
  }
  info_.parameters = parameters_.data();
  info_.parameter_count = static_cast<uint32_t>(parameters_.size());
  params_.format = hal_string_view(vendor::kNames.format);
  params_.data = image_.data();
  params_.data_size = image_.size();
  params_.exports = &info_;
  params_.export_count = 1;
}

std::vector<hal_parameter_t> AppendParameters() {
  return {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE), hal_parameter_constant(0, sizeof(uint32_t))};
}

}  // namespace halyard::interop
