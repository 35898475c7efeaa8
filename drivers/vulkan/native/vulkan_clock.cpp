// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_clock.h"

#include <algorithm>
#include <array>

#include "base/clock.h"

namespace halyard::vulkan {

void VulkanClock::Open() {
  const VulkanTraits& traits = context_.traits();
  const InstanceFunctions& vk = context_.instance().vk();
  if (!traits.calibrated_timestamps || traits.timestamp_bits == 0 || !context_.vk().GetCalibratedTimestampsEXT) return;
  std::array<VkTimeDomainEXT, 8> domains;
  auto count = static_cast<uint32_t>(domains.size());
  if (vk.GetPhysicalDeviceCalibrateableTimeDomainsEXT(context_.physical(), &count, domains.data()) < VK_SUCCESS) return;
  const auto end = domains.begin() + count;
  works_ = std::find(domains.begin(), end, VK_TIME_DOMAIN_DEVICE_EXT) != end &&
           std::find(domains.begin(), end, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT) != end;
}

uint64_t VulkanClock::Mask(uint64_t ticks) const {
  const uint32_t bits = context_.traits().timestamp_bits;
  return bits >= 64 ? ticks : ticks & ((uint64_t{1} << bits) - 1);
}

bool VulkanClock::Relate() {
  std::array<VkCalibratedTimestampInfoEXT, 2> infos{};
  for (VkCalibratedTimestampInfoEXT& info : infos) info.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  std::array<uint64_t, 2> times;
  uint64_t deviation = 0;
  if (context_.vk().GetCalibratedTimestampsEXT(context_.device(), 2, infos.data(), times.data(), &deviation) !=
      VK_SUCCESS) {
    return false;
  }
  device_ = Mask(times[0]);
  host_ = times[1];
  return true;
}

// What the device counted since or before, which may have gone past the highest number in between.
uint64_t VulkanClock::ToHost(uint64_t ticks) {
  if (!works_) return 0;
  const std::lock_guard lock(mutex_);
  if ((host_ == 0 || MonotonicNanoseconds() - host_ > kNanosecondsPerSecond) && !Relate()) return 0;
  const uint64_t ahead = Mask(Mask(ticks) - device_);
  const uint64_t behind = Mask(device_ - Mask(ticks));
  const auto period = static_cast<double>(context_.traits().limits.timestampPeriod);
  const auto to_nanoseconds = [&](uint64_t count) {
    return period == 1.0 ? count : static_cast<uint64_t>(static_cast<double>(count) * period);
  };
  return ahead <= behind ? host_ + to_nanoseconds(ahead) : host_ - std::min(host_, to_nanoseconds(behind));
}

}  // namespace halyard::vulkan
