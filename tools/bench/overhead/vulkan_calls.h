// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the Vulkan counterpart share: the device, its functions, and the kernels as pipelines.
#ifndef HALYARD_TOOLS_BENCH_OVERHEAD_VULKAN_CALLS_H_
#define HALYARD_TOOLS_BENCH_OVERHEAD_VULKAN_CALLS_H_

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "counterpart.h"

namespace halyard::tools {

// Without their "vk".
#define HALYARD_BENCH_VK_INSTANCE(X)   \
  X(CreateDevice)                      \
  X(DestroyInstance)                   \
  X(EnumeratePhysicalDevices)          \
  X(GetDeviceProcAddr)                 \
  X(GetPhysicalDeviceFeatures2)        \
  X(GetPhysicalDeviceMemoryProperties) \
  X(GetPhysicalDeviceProperties2)      \
  X(GetPhysicalDeviceQueueFamilyProperties)
#define HALYARD_BENCH_VK_DEVICE(X) \
  X(AllocateCommandBuffers)        \
  X(AllocateDescriptorSets)        \
  X(AllocateMemory)                \
  X(BeginCommandBuffer)            \
  X(BindBufferMemory)              \
  X(CmdBindDescriptorSets)         \
  X(CmdBindPipeline)               \
  X(CmdCopyBuffer)                 \
  X(CmdDispatch)                   \
  X(CmdFillBuffer)                 \
  X(CmdPipelineBarrier2)           \
  X(CmdPushConstants)              \
  X(CreateBuffer)                  \
  X(CreateCommandPool)             \
  X(CreateComputePipelines)        \
  X(CreateDescriptorPool)          \
  X(CreateDescriptorSetLayout)     \
  X(CreatePipelineLayout)          \
  X(CreateSemaphore)               \
  X(CreateShaderModule)            \
  X(DestroyBuffer)                 \
  X(DestroyCommandPool)            \
  X(DestroyDescriptorPool)         \
  X(DestroyDescriptorSetLayout)    \
  X(DestroyDevice)                 \
  X(DestroyPipeline)               \
  X(DestroyPipelineLayout)         \
  X(DestroySemaphore)              \
  X(DestroyShaderModule)           \
  X(DeviceWaitIdle)                \
  X(EndCommandBuffer)              \
  X(FreeMemory)                    \
  X(GetBufferMemoryRequirements)   \
  X(GetDeviceQueue)                \
  X(GetSemaphoreCounterValue)      \
  X(QueueSubmit2)                  \
  X(ResetCommandPool)              \
  X(UpdateDescriptorSets)          \
  X(WaitSemaphores)

/// Throws Failure, with the call's name.
void MustVulkan(VkResult result, const char* call);

/// A queue, which one thread at a time may use.
struct VulkanQueue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex;  // held while the queue is called
};

/// An instance and a device of the GPU that a device of Halyard works on, with the features that the counterpart uses.
class VulkanDevice {
 public:
  explicit VulkanDevice(hal_device_t* device);
  ~VulkanDevice();
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

#define HALYARD_BENCH_VK_MEMBER(name) PFN_vk##name name = nullptr;
  HALYARD_BENCH_VK_INSTANCE(HALYARD_BENCH_VK_MEMBER)
  HALYARD_BENCH_VK_DEVICE(HALYARD_BENCH_VK_MEMBER)
#undef HALYARD_BENCH_VK_MEMBER

  VkDevice handle() const { return device_; }
  uint32_t family() const { return family_; }
  VulkanQueue& queue(size_t index) { return queues_[index % queue_count_]; }
  bool updates_after_bind() const { return updates_after_bind_; }

  VkSemaphore MakeTimeline() const;
  uint64_t Value(VkSemaphore timeline) const;
  /// Memory of the device that the host cannot reach, if there is such.
  VkDeviceMemory MakeMemory(VkBuffer buffer) const;
  VkBuffer MakeBuffer(uint64_t length) const;

 private:
  void Open(hal_device_t* device);
  void Close() noexcept;
  void FindPhysical(hal_device_t* device);
  void ChooseFamily();
  void OpenDevice();

  void* library_ = nullptr;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory_{};
  uint32_t family_ = 0;
  size_t queue_count_ = 0;
  bool updates_after_bind_ = false;
  std::array<VulkanQueue, Counterpart::kStreams> queues_;
};

/// A command pool with one command buffer.
class VulkanCommands {
 public:
  explicit VulkanCommands(const VulkanDevice& vk);
  ~VulkanCommands() { vk_.DestroyCommandPool(vk_.handle(), pool_, nullptr); }
  VulkanCommands(const VulkanCommands&) = delete;
  VulkanCommands& operator=(const VulkanCommands&) = delete;

  void Record(const std::function<void(VkCommandBuffer)>& record);
  VkCommandBuffer handle() const { return handle_; }

 private:
  const VulkanDevice& vk_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer handle_ = VK_NULL_HANDLE;
};

/// A kernel of bench_kernels.
class VulkanKernel {
 public:
  VulkanKernel(const VulkanDevice& vk, const RecordedWork& work);
  ~VulkanKernel();
  VulkanKernel(const VulkanKernel&) = delete;
  VulkanKernel& operator=(const VulkanKernel&) = delete;

  /// The next executions use the other buffer.
  void SwapBuffers();
  /// Binds the pipeline, the buffer and the constants.
  void Bind(VkCommandBuffer commands) const;

 private:
  void MakeSet();

  const VulkanDevice& vk_;
  const RecordedWork work_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  std::array<VkBuffer, 2> buffers_{};
  std::array<VkDeviceMemory, 2> memory_{};
};

/// Submits, behind `after` of the same timeline if that is not 0, and signals `value`.
void SubmitVulkan(const VulkanDevice& vk, VulkanQueue& queue, VkCommandBuffer commands, VkSemaphore wait,
                  uint64_t after, VkSemaphore signal, uint64_t value);
/// Until the host sees the value. Throws Failure if it does not come.
void SpinForVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value);
/// Sleeps until the timeline has the value.
void SleepForVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value);
/// From kernels to kernels, as narrow as Vulkan has it.
void RecordKernelBarrier(const VulkanDevice& vk, VkCommandBuffer commands);

std::unique_ptr<CounterpartGraph> MakeVulkanGraph(VulkanDevice& vk, const RecordedWork& work);
std::unique_ptr<CounterpartGraph> MakeVulkanTransfer(VulkanDevice& vk, const RecordedTransfer& transfer);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_OVERHEAD_VULKAN_CALLS_H_
