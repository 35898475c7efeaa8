// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a physical device can do, read once. Each feature beyond Vulkan 1.3's minimum has an older way beside it.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_TRAITS_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_TRAITS_H_

#include <array>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/native/vulkan_instance.h"

namespace halyard::vulkan {

/// All usages that buffers of the driver's are made with.
inline constexpr VkBufferUsageFlags kBufferUsage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

struct VulkanTraits {
  HostString name;
  HostString uuid;    ///< of the device: 36 characters
  HostString driver;  ///< its name and version, for people
  uint32_t api_version = 0;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t driver_version = 0;
  VkDriverId driver_id{};
  std::array<uint8_t, VK_UUID_SIZE> cache_uuid{};  ///< which pipeline caches fit
  VkPhysicalDeviceType type{};
  VkPhysicalDeviceLimits limits{};
  uint32_t subgroup_size = 0;      ///< work-items of subgroups, unless a pipeline asks for another size
  uint32_t min_subgroup_size = 0;  ///< that a pipeline can ask for; `subgroup_size` if it can ask for none
  uint32_t max_subgroup_size = 0;
  uint32_t max_workgroup_subgroups = 0;          ///< in a workgroup of a pipeline that asks
  bool subgroup_choice = false;                  ///< pipelines can ask for a size
  bool full_subgroups = false;                   ///< they can ask that none has idle work-items
  VkSubgroupFeatureFlags subgroup_features = 0;  ///< operations of subgroups in kernels
  uint64_t max_buffer_size = 0;                  ///< bytes
  VkPhysicalDeviceMemoryProperties memory{};
  uint32_t family = 0;       ///< of the queues that are used
  uint32_t queue_count = 0;  ///< queues that it has
  uint32_t timestamp_bits = 0;
  bool unified_memory = false;      ///< the device works in the host's memory
  bool update_after_bind = false;   ///< descriptors may change while command buffers that bind them are kept
  bool host_memory_import = false;  ///< VK_EXT_external_memory_host
  uint64_t import_alignment = 0;    ///< bytes; of such memory
  /// Once NVIDIA's driver 580 has refused pages that may only be read, it refuses all memory of any kind.
  bool pins_writable_pages_only = false;
  bool calibrated_timestamps = false;
  bool portability = false;       ///< VK_KHR_portability_subset must be enabled
  bool updates_uniforms = false;  ///< the same of descriptors of uniform buffers
  bool robustness2 = false;       ///< VK_EXT_robustness2
  bool null_descriptors = false;  ///< a descriptor may name no buffer
  bool memory_budget = false;     ///< VK_EXT_memory_budget
  bool robust_access = false;
  bool robust_updates = false;                          ///< robust access goes with such descriptors
  bool memory_fd = false;                               ///< VK_KHR_external_memory_fd
  bool dma_buf = false;                                 ///< VK_EXT_external_memory_dma_buf
  bool semaphore_fd = false;                            ///< VK_KHR_external_semaphore_fd
  VkExternalMemoryHandleTypeFlags exported_memory = 0;  ///< by descriptor, all at once
  VkExternalMemoryHandleTypeFlags imported_memory = 0;  ///< by descriptor
  bool dedicated_memory = false;                        ///< such memory must be dedicated to one buffer
  bool exported_timelines = false;                      ///< by descriptor
  bool imported_timelines = false;
  HostVector<uint32_t> capabilities;  ///< of SPIR-V that kernels may declare, sorted

  bool is_cpu() const { return type == VK_PHYSICAL_DEVICE_TYPE_CPU; }
};

/// UNAVAILABLE, with what the device lacks. `out_traits` has its name then all the same.
Status ReadTraits(const VulkanInstance& instance, VkPhysicalDevice device, VulkanTraits* out_traits);

class VulkanFeatures;

/// How the application has opened a device.
struct EnabledTraits {
  uint32_t family = 0;
  uint64_t queues = 0;  ///< indices in the family, a bit for each
  std::span<const char* const> extensions;
  const VulkanFeatures* features = nullptr;
};

/// The same of a device that was opened with less than it has. INCOMPATIBLE, with what is missing.
Status ReadTraits(const VulkanInstance& instance, VkPhysicalDevice device, const EnabledTraits& enabled,
                  VulkanTraits* out_traits);
/// 36 characters.
HostString FormatUuid(std::span<const uint8_t, VK_UUID_SIZE> bytes);
/// Smaller is listed earlier: GPUs before what works on the host's processor.
int RankOf(const VulkanTraits& traits);

/// The features that a device is opened with: what the driver needs, and of what kernels may ask for all that it has.
/// It is one chain, so it stays where it is.
class VulkanFeatures {
 public:
  /// @param has_robustness2  the device has VK_EXT_robustness2
  explicit VulkanFeatures(bool has_robustness2);
  VulkanFeatures(const VulkanFeatures&) = delete;
  VulkanFeatures& operator=(const VulkanFeatures&) = delete;

  void Read(const VulkanInstance& instance, VkPhysicalDevice device);
  /// The first that is needed and missing; NULL if there is none.
  const char* FindMissing() const;
  /// Leaves what is used.
  void Select(bool robust);

  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2{};
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_TRAITS_H_
