// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command buffer of Vulkan with what its commands refer to.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_RECORDING_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_RECORDING_H_

#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "vulkan/memory/vulkan_buffer.h"
#include "vulkan/memory/vulkan_memory.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/recording/vulkan_set_arena.h"
#include "vulkan/recording/vulkan_staging.h"
#include "vulkan/recording/vulkan_times.h"
#include "vulkan/recording/vulkan_transfers.h"

namespace halyard::vulkan {

class VulkanRecording;
struct KernelSet;
struct VulkanKernel;

/// A descriptor set that a dispatch binds.
struct BoundSet {
  uint32_t command = 0;  ///< of the command buffer
  const KernelSet* set = nullptr;
  VkDescriptorSet handle = VK_NULL_HANDLE;
};

/// What a dispatch has left bound in a command buffer.
struct BoundState {
  const VulkanKernel* kernel = nullptr;  ///< whose pipeline and sets are bound; NULL for none
  hal_dim3_t workgroup_size{};           ///< of the pipeline
  uint32_t dynamic_local_memory = 0;     ///< the same
  hal_buffer_ref_list_t bindings{};      ///< what the sets name; it lives until the recording ends
};

/// Who gets a recording back.
class RecordingOwner {
 public:
  virtual void TakeBack(VulkanRecording* recording) noexcept = 0;

 protected:
  ~RecordingOwner() = default;
};

/// The command pool, its command buffers, the descriptor sets that they bind and the memory that they read. One
/// execution at a time: a thread acquires a recording from its owner, records it or finds it recorded, submits it, and
/// returns it when the device has completed it. It keeps all memory between recordings.
class VulkanRecording : public HostObject {
 public:
  VulkanRecording(VulkanContext& context, VulkanMemory& memory, RecordingOwner& owner);
  VulkanRecording(const VulkanRecording&) = delete;
  VulkanRecording& operator=(const VulkanRecording&) = delete;

  /// Forgets what was recorded, which the device does not use, and begins anew.
  Status Begin();
  /// What is recorded from now on is a submission of its own, on the same queue.
  Status Split();
  /// Ends what Begin() began: what the host may read is visible to it after the execution.
  Status End();
  void Return() noexcept { owner_.TakeBack(this); }

  /// Where commands are recorded.
  VkCommandBuffer commands() const { return parts_[part_count_ - 1]; }
  /// What is submitted, one after the other.
  std::span<const VkCommandBuffer> parts() const { return {parts_.data(), part_count_}; }
  const VulkanContext& context() const { return context_; }
  const DeviceFunctions& vk() const { return context_.vk(); }
  SetArena& sets() { return sets_; }
  VulkanStaging& staging() { return staging_; }
  VulkanTimes& times() { return times_; }

  /// The execution writes to memory that the host can reach.
  void NoteHostWrite() { writes_host_ = true; }
  void NoteWrite(const VulkanBuffer& buffer) { writes_host_ |= buffer.host_visible(); }
  /// Whether what was noted since the recording ended is visible to the host as well.
  bool shows_writes() const { return shows_host_ || !writes_host_; }

  /// For dispatches, which bind again only what is another.
  BoundState& bound() { return bound_; }

  void NoteSet(const BoundSet& set) { bound_sets_.push_back(set); }
  /// In the order of their commands.
  const HostVector<BoundSet>& bound_sets() const { return bound_sets_; }

  /// @name Counts of indirect dispatches that the device checks
  /// @{
  /// `checked` gets the counts, and a word that is not 0 after the execution if the counts of `what` were too large.
  void AddCountCheck(const StagedBytes& checked, std::string_view what, const hal_dim3_t& most);
  /// The counts of the next dispatch in the order of the checks.
  NativeBytes TakeCheckedCounts();
  bool checks_counts() const { return !count_checks_.empty(); }
  /// After an execution: OUT_OF_RANGE if any were too large.
  Status CheckCounts();
  /// @}

 private:
  struct CountCheck {
    StagedBytes checked;
    HostString what;
    hal_dim3_t most;
  };

  Status BeginPart();
  Status EndPart();

  VulkanContext& context_;
  RecordingOwner& owner_;
  OwnedCommandPool pool_;
  HostVector<VkCommandBuffer> parts_;  // begun or not; they go with the pool
  size_t part_count_ = 0;              // of them that are begun
  SetArena sets_;
  VulkanStaging staging_;
  VulkanTimes times_;
  BoundState bound_;
  HostVector<BoundSet> bound_sets_;
  HostVector<CountCheck> count_checks_;
  size_t counts_taken_ = 0;  // of count_checks_
  bool writes_host_ = false;
  bool shows_host_ = false;  // the recording ends with a barrier to the host
};

/// Recordings for what runs once. Thread-safe.
class RecordingPool final : private RecordingOwner {
 public:
  RecordingPool(VulkanContext& context, VulkanMemory& memory) : context_(context), memory_(memory) {}

  Status Acquire(VulkanRecording** out_recording);
  /// For what may wait for long before it runs: NULL if many are in use already.
  Status AcquireAhead(VulkanRecording** out_recording);
  /// Frees those that idle: many executions at once leave as many. May throw, and is as before then.
  void Trim();

 private:
  static constexpr size_t kMostAhead = 1024;

  Status AcquireLocked(VulkanRecording** out_recording);
  void TakeBack(VulkanRecording* recording) noexcept override;

  VulkanContext& context_;
  VulkanMemory& memory_;
  std::mutex mutex_;  // protects what follows; a leaf
  HostVector<std::unique_ptr<VulkanRecording>> all_;
  HostVector<VulkanRecording*> idle_;  // with room for all
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_RECORDING_H_
