// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel of a module, for tests and fuzzers; drivers take several from one divider.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_SPIRV_PART_H_
#define HALYARD_TESTS_UNIT_SUPPORT_SPIRV_PART_H_

#include "image/reflection/spirv/spirv_divider.h"

namespace halyard::testing {

/// A copy of a module with one kernel, and with what it needs. See SpirvDivider.
inline Status ExtractSpirvKernel(std::span<const uint32_t> words, std::string_view kernel,
                                 HostVector<uint32_t>* out_words) {
  SpirvDivider divider;
  SpirvWords part;
  HAL_TRY(divider.Open(words));
  HAL_TRY(divider.Take(kernel, &part));
  *out_words = *part;
  return kOk;
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_SPIRV_PART_H_
