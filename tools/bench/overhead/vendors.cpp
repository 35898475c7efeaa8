// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every vendor's API that Halyard can be compared with.
#include <algorithm>
#include <array>

#include "counterpart.h"

namespace halyard::tools {
namespace {

constexpr auto kVendors = std::to_array<Vendor>({
    {"cuda", "the CUDA driver API", MakeCudaCounterpart},
#ifdef HALYARD_BENCH_HAS_VULKAN
    {"vulkan", "Vulkan", MakeVulkanCounterpart},
#endif
});

}  // namespace

const Vendor* FindVendor(std::string_view driver) {
  const auto* const found = std::ranges::find(kVendors, driver, &Vendor::driver);
  return found == kVendors.end() ? nullptr : found;
}

}  // namespace halyard::tools
