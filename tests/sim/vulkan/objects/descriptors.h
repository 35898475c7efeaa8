// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor sets of which Vulkan allows more.
#ifndef HALYARD_TESTS_SIM_VULKAN_DESCRIPTORS_H_
#define HALYARD_TESTS_SIM_VULKAN_DESCRIPTORS_H_

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// Whether a set may be updated while it is bound and used, and by several threads.
bool IsUpdatedAfterBind(VkDescriptorSet set);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_DESCRIPTORS_H_
