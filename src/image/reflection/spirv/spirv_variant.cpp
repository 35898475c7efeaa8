// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_reflection.h"

namespace halyard {
namespace {

Status CheckVariant(std::span<const uint32_t> words, const SpirvKernel& kernel, hal_dim3_t size) {
  if (kernel.size_source == SpirvSizeSource::kConstants) {
    return Fail(HAL_STATUS_FAILED_PRECONDITION,
                "kernel '%s': specialisation constants give the size of its workgroups, not LocalSize",
                kernel.name.c_str());
  }
  if (kernel.size_source == SpirvSizeSource::kFixed) {
    return Fail(
        HAL_STATUS_FAILED_PRECONDITION,
        "kernel '%s': its module fixes workgroups of %u x %u x %u with the built-in WorkgroupSize or LocalSizeId",
        kernel.name.c_str(), kernel.workgroup_size.x, kernel.workgroup_size.y, kernel.workgroup_size.z);
  }
  if (size.x == 0 || size.y == 0 || size.z == 0) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "kernel '%s': a workgroup of %u x %u x %u has no work-items",
                kernel.name.c_str(), size.x, size.y, size.z);
  }
  const size_t word = kernel.size_word;
  if (word < 3 || word + 3 > words.size() || (words[word - 3] & 0xFFFF) != spirv::kOpExecutionMode ||
      words[word - 1] != spirv::kLocalSize) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "kernel '%s' is of another module: word %zu is not its LocalSize",
                kernel.name.c_str(), word);
  }
  return kOk;
}

}  // namespace

Status MakeSpirvVariant(std::span<const uint32_t> words, const SpirvKernel& kernel, hal_dim3_t workgroup_size,
                        HostVector<uint32_t>* out_words) {
  HAL_TRY(CheckVariant(words, kernel, workgroup_size));
  out_words->assign(words.begin(), words.end());
  (*out_words)[kernel.size_word] = workgroup_size.x;
  (*out_words)[kernel.size_word + 1] = workgroup_size.y;
  (*out_words)[kernel.size_word + 2] = workgroup_size.z;
  return kOk;
}

}  // namespace halyard
