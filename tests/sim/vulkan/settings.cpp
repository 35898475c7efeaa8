// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/settings.h"

#include <algorithm>
#include <cstdlib>

namespace halyard::vulkan_sim {
namespace {

std::string_view Text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

uint64_t Number(std::string_view text) { return std::strtoull(std::string(text).c_str(), nullptr, 10); }

template <typename Take>
void ForEachPart(std::string_view list, Take take) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (end != 0) take(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// The poorest device that the driver has to run on. It breaks one rule of Vulkan, to prove what flushes memory: no
// memory type is coherent.
void Narrow(Settings& settings) {
  settings.no_extensions = settings.no_timestamps = true;
  settings.hidden.insert("HOST_COHERENT");
  settings.limits = {{"minStorageBufferOffsetAlignment", 256},
                     {"minUniformBufferOffsetAlignment", 256},
                     {"maxUniformBufferRange", 16384},
                     {"maxPerStageDescriptorUniformBuffers", 12},
                     {"nonCoherentAtomSize", 256},
                     {"maxPushConstantsSize", 128},
                     {"maxPerStageDescriptorStorageBuffers", 4},
                     {"maxDescriptorSetStorageBuffers", 24}};
}

}  // namespace

Settings ReadSettings() {
  Settings settings;
  if (Number(Text("HALYARD_SIM_VULKAN_NARROW")) != 0) Narrow(settings);
  ForEachPart(Text("HALYARD_SIM_VULKAN_HIDE"), [&](std::string_view name) { settings.hidden.emplace(name); });
  ForEachPart(Text("HALYARD_SIM_VULKAN_LIMITS"), [&](std::string_view part) {
    const size_t equals = std::min(part.find('='), part.size() - 1);
    settings.limits[std::string(part.substr(0, equals))] = Number(part.substr(equals + 1));
  });
  settings.update_after_bind = Number(Text("HALYARD_SIM_VULKAN_UPDATE_AFTER_BIND")) != 0;
  settings.discrete = Number(Text("HALYARD_SIM_VULKAN_DISCRETE")) != 0;
  const std::string_view subgroups = Text("HALYARD_SIM_VULKAN_SUBGROUPS");
  const size_t dash = subgroups.find('-');
  settings.least_subgroup = static_cast<uint32_t>(Number(subgroups.substr(0, dash)));
  settings.most_subgroup = static_cast<uint32_t>(Number(subgroups.substr(dash == subgroups.npos ? 0 : dash + 1)));
  settings.queues = static_cast<uint32_t>(Number(Text("HALYARD_SIM_VULKAN_QUEUES")));
  settings.devices = static_cast<uint32_t>(Number(Text("HALYARD_SIM_DEVICES")));
  settings.budget = Number(Text("HALYARD_SIM_VULKAN_BUDGET"));
  settings.memory = Number(Text("HALYARD_SIM_MEMORY"));
  return settings;
}

}  // namespace halyard::vulkan_sim
