// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx_kernel.h"

#include <fstream>
#include <iterator>
#include <utility>

namespace halyard::interop {

std::string Ptx() {
  std::ifstream file(HALYARD_SIM_PTX);
  return {std::istreambuf_iterator<char>(file), {}};
}

PtxKernel::PtxKernel(const char* name, std::vector<hal_parameter_t> parameters, std::string ptx)
    : ptx_(std::move(ptx)), parameters_(std::move(parameters)) {
  info_.name = hal_string_view(name);
  for (const hal_parameter_t& parameter : parameters_) {
    info_.constants_size += parameter.size;
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) ++info_.binding_count;
  }
  info_.parameters = parameters_.data();
  info_.parameter_count = static_cast<uint32_t>(parameters_.size());
  params_.format = hal_string_view("ptx");
  params_.data = ptx_.data();
  params_.data_size = ptx_.size();
  params_.exports = &info_;
  params_.export_count = 1;
}

std::vector<hal_parameter_t> AppendParameters() {
  return {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE), hal_parameter_constant(0, sizeof(uint32_t))};
}

}  // namespace halyard::interop
