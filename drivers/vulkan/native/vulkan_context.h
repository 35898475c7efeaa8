// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A logical device of Vulkan with its functions and queues, and handles that know how they go.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_CONTEXT_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_CONTEXT_H_

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/native/vulkan_errors.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/native/vulkan_instance.h"
#include "vulkan/native/vulkan_library.h"
#include "vulkan/native/vulkan_traits.h"

namespace halyard::vulkan {

/// A queue of Vulkan, which one thread at a time may use. Several lanes may share it.
struct NativeQueue {
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t index = 0;                          // in its family
  std::mutex mutex;                            // held while the queue is called; a leaf
  std::atomic<std::thread::id> application{};  // the thread between lock_queue() and unlock_queue()
};

/// A device that the application has opened.
struct WrappedDevice {
  VkDevice device = VK_NULL_HANDLE;
  uint64_t queues = 0;  ///< indices in the family, a bit for each
  void (*release)(void* user_data) = nullptr;
  void* release_data = nullptr;
};

class VulkanContext : public HostObject {
 public:
  VulkanContext(std::shared_ptr<const VulkanInstance> instance, VkPhysicalDevice physical, const VulkanTraits& traits)
      : instance_(std::move(instance)), physical_(physical), traits_(traits) {}
  ~VulkanContext();
  VulkanContext(const VulkanContext&) = delete;
  VulkanContext& operator=(const VulkanContext&) = delete;

  /// Opens the device with `queue_count` queues, or with as many as the family has; and with a spare one, if the family
  /// has more.
  Status Open(uint32_t queue_count, bool robust);
  /// Takes a device of the application's instead. ReleaseAtEnd() has the application told when it is no longer used.
  Status Wrap(const WrappedDevice& wrapped);
  void ReleaseAtEnd() { releases_ = true; }

  /// Whether the device is the application's, which may use other queues of it at any time.
  bool is_wrapped() const { return wrapped_.device != VK_NULL_HANDLE; }
  const DeviceFunctions& vk() const { return vk_; }
  VkDevice device() const { return device_; }
  VkPhysicalDevice physical() const { return physical_; }
  const VulkanInstance& instance() const { return *instance_; }
  const VulkanTraits& traits() const { return traits_; }
  NativeQueue& queue(size_t index) { return queues_[index % queues_.size()]; }
  size_t queue_count() const { return queues_.size(); }
  /// Whether descriptor sets are made so that they may be written again while command buffers that bind them are kept.
  bool updates_sets() const { return updates_sets_; }
  /// Whether command buffers can be labelled, for tools.
  bool has_labels() const { return static_cast<bool>(vk_.CmdBeginDebugUtilsLabelEXT); }
  /// @name A device that may never end what it was given
  /// Nothing of it is destroyed, and nothing returned to the application, as the device may use all of it.
  /// @{
  void Abandon() noexcept { abandoned_.store(true, std::memory_order_release); }
  bool abandoned() const noexcept { return abandoned_.load(std::memory_order_acquire); }
  /// @}
  /// A queue without work; its handle is NULL if there is none.
  NativeQueue& spare_queue() { return spare_queue_; }

 private:
  void NameExtensions(HostVector<const char*>* out) const;
  void AddQueue(uint32_t index);
  void LeaveAsItIs() noexcept;

  const std::shared_ptr<const VulkanInstance> instance_;
  const VkPhysicalDevice physical_;
  const VulkanTraits& traits_;
  DeviceFunctions vk_;
  VkDevice device_ = VK_NULL_HANDLE;
  bool updates_sets_ = false;
  std::atomic<bool> abandoned_{false};
  WrappedDevice wrapped_;  // without a device if the device is the driver's own
  bool releases_ = false;
  std::deque<NativeQueue, HostStdAllocator<NativeQueue>> queues_;
  NativeQueue spare_queue_;
};

/// A handle that goes with its owner. `Destroy` is the function of the table.
template <class Handle, auto Destroy>
class Owned {
 public:
  Owned() = default;
  Owned(const VulkanContext& context, Handle handle) : context_(&context), handle_(handle) {}
  Owned(Owned&& other) noexcept : context_(other.context_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }

  void reset() noexcept {
    if (handle_ != VK_NULL_HANDLE && !context_->abandoned())
      (context_->vk().*Destroy)(context_->device(), handle_, nullptr);
    handle_ = VK_NULL_HANDLE;
  }
  Handle get() const { return handle_; }
  /// It is the caller's to destroy.
  Handle release() noexcept { return std::exchange(handle_, VK_NULL_HANDLE); }
  /// For a function that makes one.
  Handle* out(const VulkanContext& context) {
    reset();
    context_ = &context;
    return &handle_;
  }
  explicit operator bool() const { return handle_ != VK_NULL_HANDLE; }

 private:
  const VulkanContext* context_ = nullptr;
  Handle handle_ = VK_NULL_HANDLE;
};

using OwnedBuffer = Owned<VkBuffer, &DeviceFunctions::DestroyBuffer>;
using OwnedCommandPool = Owned<VkCommandPool, &DeviceFunctions::DestroyCommandPool>;
using OwnedDescriptorPool = Owned<VkDescriptorPool, &DeviceFunctions::DestroyDescriptorPool>;
using OwnedMemory = Owned<VkDeviceMemory, &DeviceFunctions::FreeMemory>;
using OwnedPipeline = Owned<VkPipeline, &DeviceFunctions::DestroyPipeline>;
using OwnedPipelineCache = Owned<VkPipelineCache, &DeviceFunctions::DestroyPipelineCache>;
using OwnedPipelineLayout = Owned<VkPipelineLayout, &DeviceFunctions::DestroyPipelineLayout>;
using OwnedQueryPool = Owned<VkQueryPool, &DeviceFunctions::DestroyQueryPool>;
using OwnedSemaphore = Owned<VkSemaphore, &DeviceFunctions::DestroySemaphore>;
using OwnedSetLayout = Owned<VkDescriptorSetLayout, &DeviceFunctions::DestroyDescriptorSetLayout>;
using OwnedShaderModule = Owned<VkShaderModule, &DeviceFunctions::DestroyShaderModule>;

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_CONTEXT_H_
