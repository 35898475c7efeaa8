// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/subgroup_sizes.h"

#include <algorithm>
#include <bit>

namespace halyard {
namespace {

// "32", "16 to 64", "64 and more", "32 and less".
HostString SizesText(uint32_t least, uint32_t most) {
  char text[48];
  if (least == most) {
    std::snprintf(text, sizeof(text), "%u", least);
  } else if (most == 0) {
    std::snprintf(text, sizeof(text), "%u and more", least);
  } else if (least == 0) {
    std::snprintf(text, sizeof(text), "%u and less", most);
  } else {
    std::snprintf(text, sizeof(text), "%u to %u", least, most);
  }
  return text;
}

}  // namespace

Status CheckSubgroupBounds(uint32_t exact, uint32_t least, uint32_t most, hal_status_t failure) {
  for (const uint32_t size : {exact, least, most}) {
    if ((size & (size - 1)) != 0) return Fail(failure, "subgroup_size: %u is no power of two", size);
  }
  const bool is_empty =
      (least > 0 && most > 0 && least > most) || (exact > 0 && (exact < least || (most > 0 && exact > most)));
  if (!is_empty) return kOk;
  return Fail(failure, "subgroup_size: no size is %u and from %u to %u", exact, least, most);
}

Status ChooseSubgroupSize(const hal_export_info_t& info, const SubgroupSizes& device, uint32_t preferred,
                          uint32_t* out_size) {
  const uint32_t least = info.subgroup_size > 0 ? info.subgroup_size : info.min_subgroup_size;
  const uint32_t most = info.subgroup_size > 0 ? info.subgroup_size : info.max_subgroup_size;
  *out_size = 0;
  if (least == 0 && most == 0) return kOk;
  const uint32_t first = std::bit_ceil(std::max(least, device.least));
  const uint32_t last = most > 0 ? std::min(most, device.most) : device.most;
  if (first > last) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel needs subgroups of %s work-items, and the device has those of %s",
                SizesText(least, most).c_str(), SizesText(device.least, device.most).c_str());
  }
  *out_size = preferred >= first && preferred <= last ? preferred : first;
  return kOk;
}

}  // namespace halyard
