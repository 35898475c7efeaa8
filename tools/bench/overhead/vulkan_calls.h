// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the Vulkan counterpart share: the device, its functions, and the kernels as pipelines.
#ifndef HALYARD_TOOLS_BENCH_OVERHEAD_VULKAN_CALLS_H_
#define HALYARD_TOOLS_BENCH_OVERHEAD_VULKAN_CALLS_H_

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "counterpart.h"
#include "halyard/vulkan_interop.h"

namespace halyard::tools {

// Without their "vk".
#define HALYARD_BENCH_VK_INSTANCE(X) \
  X(GetDeviceProcAddr)               \
  X(GetPhysicalDeviceFeatures2)      \
  X(GetPhysicalDeviceMemoryProperties)
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
  X(DestroyPipeline)               \
  X(DestroyPipelineLayout)         \
  X(DestroySemaphore)              \
  X(DestroyShaderModule)           \
  X(EndCommandBuffer)              \
  X(FreeMemory)                    \
  X(GetBufferMemoryRequirements)   \
  X(GetSemaphoreCounterValue)      \
  X(QueueSubmit2)                  \
  X(ResetCommandPool)              \
  X(UpdateDescriptorSets)          \
  X(WaitSemaphores)

/// Throws Failure, with the call's name.
void MustVulkan(VkResult result, const char* call);

/// A queue of Vulkan, and its number in Halyard. Several may be one.
struct VulkanQueue {
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t number = 0;
};

/// The device of Vulkan that a device of Halyard stands on, with the functions that the counterpart calls. With a
/// device of its own, each turn would begin with a change of the GPU's context, which costs more than what is measured.
class VulkanDevice {
 public:
  explicit VulkanDevice(hal_device_t* device);
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

#define HALYARD_BENCH_VK_MEMBER(name) PFN_vk##name name = nullptr;
  HALYARD_BENCH_VK_INSTANCE(HALYARD_BENCH_VK_MEMBER)
  HALYARD_BENCH_VK_DEVICE(HALYARD_BENCH_VK_MEMBER)
#undef HALYARD_BENCH_VK_MEMBER

  VkDevice handle() const { return device_; }
  uint32_t family() const { return family_; }
  const VulkanQueue& queue(size_t index) const { return queues_[index % queues_.size()]; }
  bool updates_after_bind() const { return updates_after_bind_; }

  void Submit(const VulkanQueue& queue, const VkSubmitInfo2& info) const;
  VkSemaphore MakeTimeline() const;
  uint64_t Value(VkSemaphore timeline) const;
  /// Memory of the device that the host cannot reach, if there is such.
  VkDeviceMemory MakeMemory(VkBuffer buffer) const;
  VkBuffer MakeBuffer(uint64_t length) const;

 private:
  void FindQueues();

  hal_device_t* const halyard_;
  const hal_vulkan_interop_interface_t* interop_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory_{};
  uint32_t family_ = 0;
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
void SubmitVulkan(const VulkanDevice& vk, const VulkanQueue& queue, VkCommandBuffer commands, VkSemaphore wait,
                  uint64_t after, VkSemaphore signal, uint64_t value);
/// Until the host sees the value. Throws Failure if it does not come.
void SpinForVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value);
/// Sleeps until the timeline has the value.
void SleepForVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value);
/// The same for destructors: what fails is left.
void AwaitVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value) noexcept;
/// From kernels to kernels, as narrow as Vulkan has it.
void RecordKernelBarrier(const VulkanDevice& vk, VkCommandBuffer commands);

std::unique_ptr<CounterpartGraph> MakeVulkanGraph(VulkanDevice& vk, const RecordedWork& work);
std::unique_ptr<CounterpartGraph> MakeVulkanTransfer(VulkanDevice& vk, const RecordedTransfer& transfer);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_OVERHEAD_VULKAN_CALLS_H_
