// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of subgroups that a kernel is made for, and those that a device has.
#ifndef HALYARD_FUNCTION_SUBGROUP_SIZES_H_
#define HALYARD_FUNCTION_SUBGROUP_SIZES_H_

#include "base/status.h"
#include "halyard/executable.h"

namespace halyard {

/// Powers of two from the least to the most.
struct SubgroupSizes {
  uint32_t least = 0;
  uint32_t most = 0;
};

/// Fails with `failure` unless the sizes of an export are right by themselves: powers of two, in order.
Status CheckSubgroupBounds(uint32_t exact, uint32_t least, uint32_t most, hal_status_t failure);

/// Which size of a device a kernel runs in: its own, or the device's preferred one if that is in its bounds, or else
/// the smallest in both. INCOMPATIBLE, with the sizes of both, if there is none.
/// @param out_size  0 if the kernel is made for any
Status ChooseSubgroupSize(const hal_export_info_t& info, const SubgroupSizes& device, uint32_t preferred,
                          uint32_t* out_size);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_SUBGROUP_SIZES_H_
