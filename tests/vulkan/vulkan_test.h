// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of the Vulkan driver share: an application that calls Vulkan itself.
#ifndef HALYARD_TESTS_VULKAN_VULKAN_TEST_H_
#define HALYARD_TESTS_VULKAN_VULKAN_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cts/cts.h"
#include "halyard/vulkan_interop.h"
#include "vulkan/native/vulkan_library.h"

namespace halyard::vulkan {

/// Fails the test unless a call of Vulkan's succeeds.
void CheckVk(VkResult result, const char* what);

/// A buffer of the application, with memory that the host can reach.
struct NativeBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint32_t type = 0;
  uint64_t size = 0;
  uint8_t* bytes = nullptr;
};

/// A logical device of Vulkan with its functions, as an application uses it. Destroys what it makes.
class NativeDevice {
 public:
  /// Opens one, with the extensions that the physical device has of these.
  explicit NativeDevice(const std::vector<const char*>& extensions = {});
  /// Uses that of a device of Halyard.
  explicit NativeDevice(const cts::Device& device);
  ~NativeDevice();
  NativeDevice(const NativeDevice&) = delete;
  NativeDevice& operator=(const NativeDevice&) = delete;

  const DeviceFunctions& vk() const { return vk_; }
  const InstanceFunctions& instance_vk() const { return instance_vk_; }
  VkDevice handle() const { return static_cast<VkDevice>(told_.device); }
  VkQueue queue() const;
  /// What hal_driver_wrap_device() takes; points into this object.
  hal_vulkan_device_t told() const { return told_; }
  /// The features that the device was opened with.
  VkPhysicalDeviceVulkan12Features& v12() { return v12_; }
  VkPhysicalDeviceVulkan13Features& v13() { return v13_; }

  VkSemaphore MakeTimeline(uint64_t value = 0);
  uint64_t ValueOf(VkSemaphore timeline) const;
  /// Waits on the host.
  void Await(VkSemaphore timeline, uint64_t value) const;
  /// Sets a timeline by a submission of the application's own. The caller has the queue.
  void Submit(VkSemaphore timeline, uint64_t value) const;

  NativeBuffer MakeBuffer(uint64_t size, VkBufferUsageFlags usage);

 private:
  void OpenInstance();
  void OpenDevice(const std::vector<const char*>& wanted);
  void ChainFeatures();
  std::vector<const char*> Have(const std::vector<const char*>& wanted) const;

  const bool owns_;
  hal_vulkan_device_t told_ = HAL_INIT(hal_vulkan_device_t);
  std::vector<const char*> extensions_;
  VkPhysicalDeviceFeatures2 features_{};
  VkPhysicalDeviceVulkan12Features v12_{};
  VkPhysicalDeviceVulkan13Features v13_{};
  InstanceFunctions instance_vk_;
  DeviceFunctions vk_;
  std::vector<VkSemaphore> timelines_;
  std::vector<NativeBuffer> buffers_;
};

const hal_vulkan_interop_interface_t& InteropOf(const cts::Device& device);

/// With an instance of Vulkan of its own, as the simulation reads the environment once for each.
cts::Device OpenAnew(const std::string& parameters = "");
/// Waits until every device that is not abandoned has ended: the last reference may go on a thread of the library,
/// which ends the device then. No thread calls Vulkan for one of them any more. The test has released its objects.
void AwaitEndOfDevices();
inline cts::Device OpenVulkan(const std::string& parameters = "") { return cts::OpenDevice("vulkan://0" + parameters); }

/// A handle as the extension passes it.
template <class Native>
uint64_t Number(Native handle) {
  return reinterpret_cast<uint64_t>(handle);
}

/// Open file descriptors of the process.
size_t CountDescriptors();

}  // namespace halyard::vulkan

#endif  // HALYARD_TESTS_VULKAN_VULKAN_TEST_H_
