// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core remembers of a command buffer: whether it is whole, and what an execution must bring along.
#ifndef HALYARD_CORE_VALIDATION_COMMAND_BUFFER_VALIDATION_H_
#define HALYARD_CORE_VALIDATION_COMMAND_BUFFER_VALIDATION_H_

#include <array>
#include <memory>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/validation/buffer_ref.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Values of hal_command_buffer_t::state. One-shot command buffers end as *submitted*.
inline constexpr uint32_t kCommandBufferInitial = 0;
inline constexpr uint32_t kCommandBufferRecording = 1;
inline constexpr uint32_t kCommandBufferExecutable = 2;
inline constexpr uint32_t kCommandBufferSubmitted = 3;

class CutRecording;

/// The most slots that a command buffer may have; bounds the memory that a wrong slot number can ask for.
inline constexpr uint32_t kMaxBindingCapacity = 1u << 20;

/// Hangs on every command buffer. Written while recording, by one thread; only read by executions, by any number.
/// Objects that it names are kept alive by the driver's command buffer, so it holds no references.
class CommandBufferValidation final : public CommandBufferAttachment, public HostObject {
 public:
  CommandBufferValidation();
  ~CommandBufferValidation();
  static CommandBufferValidation& Of(const hal_command_buffer_t& command_buffer) {
    return *static_cast<CommandBufferValidation*>(static_cast<CommandBufferAttachment*>(command_buffer.validation));
  }

  /// @name While recording
  /// @{

  /// Keeps the first failure. Returns `failure`, for the caller to pass on.
  Status Poison(Status failure);
  bool IsPoisoned() const { return static_cast<bool>(failure_); }
  /// OK if there was none.
  Status FirstFailure() const { return failure_.Share(); }

  void OpenGroup(hal_string_view_t label) { open_groups_.emplace_back(View(label)); }
  /// False if none is open.
  bool CloseGroup();
  size_t OpenGroups() const { return open_groups_.size(); }
  /// Their labels, from the outermost.
  const HostVector<HostString>& Groups() const { return open_groups_; }

  /// What comes after the first copy that the driver does not record; NULL if there is none.
  CutRecording* cut() const { return cut_.get(); }
  CutRecording& Cut(hal_command_buffer_t& whole);

  /// False if the event is signalled already.
  bool SignalEvent(hal_event_t* event);
  bool IsSignalled(hal_event_t* event) const;

  /// Queues that everything recorded so far may run on.
  hal_queue_mask_t Queues() const { return queues_; }
  void SetQueues(hal_queue_mask_t queues) { queues_ = queues; }

  /// A command uses a range of a slot in this way. `ref` may reach to the end of the slot.
  void RequireSlot(const hal_buffer_ref_t& ref, const BufferUse& use);
  /// A command copies between a slot and something else: lengths or overlap are only known at execution.
  void AddSlotCopy(const hal_command_copy_t& copy) { slot_copies_.push_back(copy); }
  /// The same of a strided copy, whose lengths are known.
  void AddSlotCopy(const hal_strided_copy_params_t& copy) { slot_strided_copies_.push_back(copy); }
  /// A command uses a queue allocation directly, which must still be there at execution.
  void AddQueueAllocation(hal_buffer_t* allocation);

  /// Bytes of the block of numbers of each execution.
  uint64_t NumbersCapacity() const { return numbers_capacity_; }
  void SetNumbersCapacity(uint64_t bytes) { numbers_capacity_ = bytes; }
  /// A dispatch takes numbers from the block. All of them lie inside it.
  void AddNumbers(const hal_export_info_t& info, const hal_dispatch_params_t& params);
  /// @}

  /// @name At execution
  /// @{

  /// Checks a binding table against all that was recorded and resolves the slots that are used; the others become
  /// empty. Narrows `*queues` to what the buffers allow. Costs O(slots + copies between slots + queue allocations).
  Status ResolveTable(const hal_device_t* device, const hal_buffer_ref_list_t& given, RefStorage* storage,
                      hal_buffer_ref_list_t* out, hal_queue_mask_t* queues) const;
  /// Whether it takes no numbers and is not cut, as nearly all are.
  bool IsPlain() const { return numbers_size_ == 0 && !cut_; }
  /// Whether an execution has to give numbers.
  bool TakesNumbers() const { return numbers_size_ > 0; }
  /// Checks a block of numbers against all that was recorded. Costs O(dispatches whose count is in the block).
  Status CheckNumbers(const hal_device_limits_t& limits, const void* numbers, size_t size) const;
  /// @}

 private:
  /// All that the commands ask of one slot, together.
  struct Slot {
    BufferUse use;            // no usage: no command uses it
    uint64_t min_length = 0;  // bytes
  };

  /// The workgroup count of a dispatch: where the block has a dimension, or what was recorded of it.
  struct Count {
    static constexpr uint64_t kRecorded = UINT64_MAX;
    const hal_export_info_t* info;
    std::array<uint32_t, 3> recorded;
    std::array<uint64_t, 3> offsets;  // bytes of the block
  };

  static Status ResolveSlot(const ArgumentName& name, const hal_device_t* device, const Slot& slot,
                            const hal_buffer_ref_t& given, hal_buffer_ref_t* out);
  Status CheckSlotCopies(std::span<const hal_buffer_ref_t> table) const;
  Status CheckQueueAllocations() const;

  Failure failure_;
  HostVector<HostString> open_groups_;
  std::unique_ptr<CutRecording> cut_;
  hal_queue_mask_t queues_ = HAL_QUEUE_ANY;
  HostVector<hal_event_t*> signalled_;  // sorted
  HostVector<Slot> slots_;              // as far as they are used
  HostVector<hal_command_copy_t> slot_copies_;
  HostVector<hal_strided_copy_params_t> slot_strided_copies_;
  HostVector<hal_buffer_t*> queue_allocations_;  // sorted
  uint64_t numbers_capacity_ = 0;                // bytes
  uint64_t numbers_size_ = 0;                    // bytes that commands use
  HostVector<Count> counts_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_COMMAND_BUFFER_VALIDATION_H_
