// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment says about the forwarding library; tests/sim/README.md lists the variables. Each instance has
// the settings of the time when it was made.
#ifndef HALYARD_TESTS_SIM_VULKAN_SETTINGS_H_
#define HALYARD_TESTS_SIM_VULKAN_SETTINGS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace halyard::vulkan_sim {

struct Settings {
  std::set<std::string, std::less<>> hidden;            // extensions and features; HOST_COHERENT
  std::map<std::string, uint64_t, std::less<>> limits;  // by the name of the member of VkPhysicalDeviceLimits
  bool no_extensions = false;
  bool no_timestamps = false;
  bool update_after_bind = false;  // of storage buffers, which the real device can do without saying so
  bool discrete = false;           // devices say that they are discrete GPUs
  uint32_t queues = 0;             // that each family has; 0: as many as there are
  uint32_t least_subgroup = 0;     // work-items, that pipelines can ask for; 0: as the real device has them
  uint32_t most_subgroup = 0;      // the same
  uint32_t devices = 0;            // that there are; 0: as many as there are
  uint64_t budget = 0;             // bytes of each heap that VK_EXT_memory_budget tells of; 0: without the extension
  uint64_t memory = 0;             // bytes of each heap, of each logical device; 0: as many as there are

  bool Hides(std::string_view name) const { return hidden.contains(name); }
  bool HidesExtension(std::string_view name) const { return no_extensions || Hides(name); }
};

Settings ReadSettings();

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_SETTINGS_H_
