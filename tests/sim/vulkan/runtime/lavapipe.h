// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan on the processor for test programs: of all drivers that the loader could find, Mesa's lavapipe alone.
#ifndef HALYARD_TESTS_SIM_VULKAN_RUNTIME_LAVAPIPE_H_
#define HALYARD_TESTS_SIM_VULKAN_RUNTIME_LAVAPIPE_H_

namespace halyard::vulkan_sim {

/// Has the loader use lavapipe and no implicit layers, unless the environment names drivers or layers. Call it before
/// the first instance. Lavapipe's library then stays loaded, so that LeakSanitizer knows its name when the process
/// ends.
///
/// Programs link halyard_lavapipe, which also has the suppressions.
void UseLavapipe();

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_RUNTIME_LAVAPIPE_H_
