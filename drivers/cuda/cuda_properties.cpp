// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CUDA device is made of, for CudaApi.
#include <array>
#include <cstdio>
#include <iterator>

#include "cuda/cuda_api.h"

namespace halyard::cuda {
namespace {

constexpr hal_string_view_t kFormats[] = {HAL_STRING_LITERAL("cubin"), HAL_STRING_LITERAL("fatbin"),
                                          HAL_STRING_LITERAL("ptx"),
                                          HAL_STRING_LITERAL(HAL_EXECUTABLE_FORMAT_CUDA_SOURCE)};

// As the PTX manual has it for each instruction: fma.rn.f16 from sm_53, fma.rn.bf16 from sm_80, atom.add of f64 from
// sm_60, of f16 from sm_70 and of bf16 from sm_90.
hal_data_types_t DataTypesOf(int compute_capability) {
  constexpr struct {
    int capability;
    hal_data_types_t types;
  } kSince[] = {{0, HAL_DATA_TYPE_FLOAT64 | HAL_DATA_TYPE_INT64_ATOMICS | HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD},
                {53, HAL_DATA_TYPE_FLOAT16},
                {60, HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD},
                {70, HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD},
                {80, HAL_DATA_TYPE_BFLOAT16},
                {90, HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD}};
  hal_data_types_t types = HAL_DATA_TYPES_NONE;
  for (const auto& since : kSince) {
    if (compute_capability >= since.capability) types |= since.types;
  }
  return types;
}

// The vendor counts 1000 * major + 10 * minor.
HostString VersionText(int version) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%d.%d", version / 1000, version % 1000 / 10);
  return text.data();
}

}  // namespace

void CudaApi::SetProperties(int version) {
  hal_device_properties_t& p = properties_;
  p.vendor_id = 0x10DE;
  p.vendor = HAL_STRING_LITERAL("NVIDIA");
  p.driver_name = HAL_STRING_LITERAL("CUDA");
  driver_version_ = VersionText(version);
  p.driver_version = ToC(driver_version_);
  architecture_ = HostString("sm_").append(std::to_string(compute_capability_));
  p.architecture = ToC(architecture_);
  p.data_types = DataTypesOf(compute_capability_);
  p.formats = {std::size(kFormats), kFormats};
}

}  // namespace halyard::cuda
