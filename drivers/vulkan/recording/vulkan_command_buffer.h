// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of a Vulkan device: planned when they end, recorded natively for a table of buffers, kept.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_COMMAND_BUFFER_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_COMMAND_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "driver_kit/executable/check_beforehand.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/queue/tracked_hazards.h"
#include "halyard/driver_api.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/recording/vulkan_barriers.h"
#include "vulkan/recording/vulkan_commands.h"
#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {

class VulkanRecordingDevice;

/// The plan of its barriers is made when the recording ends, and does not change. What Vulkan records depends on the
/// buffers in the slots, on the memory of queue allocations and on the numbers of dispatches. So up to four native
/// recordings are kept, each for what it was made with; an execution takes an idle one. If the buffers are others, its
/// descriptor sets are written again where the device allows that and only dispatches bind the buffers; else all is
/// recorded again, and so it is for other numbers, which are push constants and counts of native commands. If more
/// executions run at once, or the command buffer runs once, the device's pool lends a recording.
class VulkanCommandBuffer final : public hal_command_buffer_t, public HostObject, private RecordingOwner {
 public:
  VulkanCommandBuffer(VulkanRecordingDevice& owner, const hal_command_buffer_params_t& params);

  Status Begin() { return kOk; }
  Status Record(const hal_command_t* command) {
    HAL_TRY(CheckBeforehand<VulkanExecutable>(*command));
    commands_.Append(*command);
    return kOk;
  }
  Status End();

  const RecordedCommands& recorded() const { return commands_; }

  /// What one execution brings along.
  struct Execution {
    CommandList commands;  ///< those that were recorded, with their numbers
    BindingTable table;
    std::span<const std::byte> numbers;  ///< the block that the numbers came from
  };
  /// A recording for an execution, until it is returned. One that is timed is made anew. Thread-safe.
  Status Acquire(const Execution& execution, Timing timing, VulkanRecording** out_recording);

 private:
  /// How an execution orders its commands; see TrackedHazards.
  enum class Order { kPlanned, kOneByOne };
  /// A command that runs something, or a label.
  struct Node {
    uint32_t command = 0;
    WorkBarrier barrier;
    WorkBarrier barrier_one_by_one;  // if commands run one after the other
    const WorkBarrier& Barrier(Order order) const { return order == Order::kPlanned ? barrier : barrier_one_by_one; }
  };
  /// What a native recording was made with: the memory behind a slot, or behind a queue allocation.
  struct Place {
    uint64_t block = 0;  ///< its identity; 0 for none
    uint64_t offset = 0;
    uint64_t length = 0;
    bool operator==(const Place&) const = default;
  };
  /// Which places a recording was made with are others now.
  using Changes = HostVector<bool>;
  struct Kept {
    std::unique_ptr<VulkanRecording> recording;
    HostVector<Place> places;
    HostVector<std::byte> numbers;  // the same
    Changes changes;                // for the execution that has it, which keeps their memory for the next
    bool is_recorded = false;
    bool is_idle = true;

    bool IsFor(const HostVector<Place>& wanted, std::span<const std::byte> wanted_numbers) const {
      return is_recorded && places == wanted && std::ranges::equal(numbers, wanted_numbers);
    }
  };

  static constexpr size_t kMostKept = 4;

  void TakeBack(VulkanRecording* recording) noexcept override;
  void Plan();
  void PreparePipelines() const;
  void NoteBuffers(const hal_command_t& command);
  void NoteTransient(const hal_buffer_ref_t& ref);
  void NoteBaked(const hal_buffer_ref_t& ref);
  Status Encode(const Execution& execution, Timing timing, Order order, bool keeps_sets,
                VulkanRecording& recording) const;
  Status CheckCounts(const CommandContext& context, size_t first_node, Order order) const;
  /// Whether writing descriptor sets again is enough.
  bool CanPatch(const Changes& changes) const;
  Status Patch(BindingTable table, const Changes& changes, VulkanRecording& recording) const;
  bool Touches(const hal_command_dispatch_t& dispatch, const Changes& changes) const;
  Status Prepare(const Execution& execution, Kept& kept, bool was_recorded) const;
  static void NoteChanges(const HostVector<Place>& before, const HostVector<Place>& now, Changes* out);
  void LookUp(BindingTable table, HostVector<Place>* out) const;
  /// With mutex_.
  Kept* FindIdle(const HostVector<Place>& places, std::span<const std::byte> numbers);

  VulkanRecordingDevice& device_;
  const hal_command_buffer_flags_t given_flags_;
  TrackedHazards hazards_;
  RecordedCommands commands_;
  HostVector<Node> nodes_;
  HostVector<const hal_buffer_t*> transients_;  // buffers of queue allocations that commands name
  HostVector<uint32_t> baked_slots_;            // that others than dispatches use
  HostVector<const hal_buffer_t*> baked_transients_;
  bool has_fixed_sets_ = false;  // a dispatch's sets cannot be written again

  std::mutex mutex_;       // protects what follows; a leaf
  HostVector<Kept> kept_;  // never moves: it has room for all from the beginning
  HostVector<Place> wanted_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_COMMAND_BUFFER_H_
