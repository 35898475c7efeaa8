// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers as a program would record them with Vulkan and submit them again and again.
#include "vulkan_calls.h"

namespace halyard::tools {
namespace {

// What runs again, on the first queue.
class VulkanReplay : public CounterpartGraph {
 public:
  explicit VulkanReplay(VulkanDevice& vk) : vk_(vk), commands_(vk), timeline_(vk.MakeTimeline()) {}
  ~VulkanReplay() override {
    AwaitEnd();
    vk_.DestroySemaphore(vk_.handle(), timeline_, nullptr);
  }

  void Launch() override {
    SubmitVulkan(vk_, vk_.queue(0), commands_.handle(), timeline_, value_, timeline_, value_ + 1);
    ++value_;
  }
  void Wait() override { SpinForVulkan(vk_, timeline_, value_); }
  void Sleep() override { SleepForVulkan(vk_, timeline_, value_); }

 protected:
  void AwaitEnd() const noexcept { AwaitVulkan(vk_, timeline_, value_); }

  VulkanDevice& vk_;
  VulkanCommands commands_;

 private:
  const VkSemaphore timeline_;
  uint64_t value_ = 0;
};

// One descriptor set serves all dispatches, as they use the same buffer: all of it, even if they are in several lanes.
class VulkanGraph final : public VulkanReplay {
 public:
  VulkanGraph(VulkanDevice& vk, const RecordedWork& work) : VulkanReplay(vk), work_(work), kernel_(vk, work) {
    Record();
  }
  ~VulkanGraph() override { AwaitEnd(); }

  void Patch() override {
    kernel_.SwapBuffers();
    if (!vk_.updates_after_bind()) Record();
  }

 private:
  void Record() {
    commands_.Record([this](VkCommandBuffer commands) {
      kernel_.Bind(commands);
      for (int i = 0; i < work_.dispatches; ++i) {
        if (work_.chained && i > 0 && work_.lane(i) == 0) RecordKernelBarrier(vk_, commands);
        vk_.CmdDispatch(commands, 1, 1, 1);
      }
    });
  }

  const RecordedWork work_;
  VulkanKernel kernel_;
};

std::vector<VkBufferCopy> Regions(const RecordedTransfer& transfer) {
  if (transfer.kind == RecordedTransfer::Kind::kCopy) {
    return {{transfer.source_offset, transfer.target_offset, transfer.length}};
  }
  std::vector<VkBufferCopy> rows(transfer.rows());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = {i * 2 * transfer.row, i * 2 * transfer.row, transfer.row};
  return rows;
}

class VulkanTransfer final : public VulkanReplay {
 public:
  VulkanTransfer(VulkanDevice& vk, const RecordedTransfer& transfer) : VulkanReplay(vk) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      buffers_[i] = vk.MakeBuffer(transfer.length + 16);
      memory_[i] = vk.MakeMemory(buffers_[i]);
      MustVulkan(vk.BindBufferMemory(vk.handle(), buffers_[i], memory_[i], 0), "vkBindBufferMemory");
    }
    commands_.Record([&](VkCommandBuffer commands) {
      if (transfer.kind == RecordedTransfer::Kind::kFill) {
        vk.CmdFillBuffer(commands, buffers_[1], 0, transfer.length, 0x01010101);
        return;
      }
      const std::vector<VkBufferCopy> regions = Regions(transfer);
      vk.CmdCopyBuffer(commands, buffers_[0], buffers_[1], static_cast<uint32_t>(regions.size()), regions.data());
    });
  }
  ~VulkanTransfer() override {
    AwaitEnd();
    for (VkBuffer buffer : buffers_) vk_.DestroyBuffer(vk_.handle(), buffer, nullptr);
    for (VkDeviceMemory memory : memory_) vk_.FreeMemory(vk_.handle(), memory, nullptr);
  }

  void Patch() override {}

 private:
  std::array<VkBuffer, 2> buffers_{};
  std::array<VkDeviceMemory, 2> memory_{};
};

}  // namespace

std::unique_ptr<CounterpartGraph> MakeVulkanGraph(VulkanDevice& vk, const RecordedWork& work) {
  return std::make_unique<VulkanGraph>(vk, work);
}

std::unique_ptr<CounterpartGraph> MakeVulkanTransfer(VulkanDevice& vk, const RecordedTransfer& transfer) {
  return std::make_unique<VulkanTransfer>(vk, transfer);
}

}  // namespace halyard::tools
