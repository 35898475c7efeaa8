// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue operation from its submission to its end: what it owns, how it is reported, how callbacks are called.
#ifndef HALYARD_DRIVER_KIT_QUEUE_OPERATION_ACTION_H_
#define HALYARD_DRIVER_KIT_QUEUE_OPERATION_ACTION_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/queue_action.h"
#include "driver_kit/queue/recorded_commands.h"
#include "driver_kit/trace/group_times.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Owns what an operation needs. A driver derives from it, says what the operation does (RunOperation()) and where
/// (OnReady()), and keeps its actions in a pool, where they keep their memory: a submission allocates nothing once
/// warm.
class OperationAction : public QueueAction, public HostObject {
 public:
  /// Takes an operation over. `buffer` is the one that an ALLOCA makes; ignored otherwise. May throw, and is as
  /// before then.
  void Capture(DeviceBase& device, const hal_queue_operation_t& operation, hal_buffer_t* buffer = nullptr);

  const Failure* DeviceFailure() const noexcept final {
    DeviceHealth& health = device().health();
    return health.lost() ? &health.failure() : nullptr;
  }

  /// The number of the operation on its device, until the operation is over: ended, with all callbacks that its signals
  /// caused. 0 then. Any thread may ask.
  uint64_t unended_number() const { return number_.load(std::memory_order_acquire); }

  /// Carries the operation out on this thread and ends it.
  void Run() noexcept override;

 protected:
  ~OperationAction() { Clear(); }

  /// For operations that go on after Run() has returned: whether they may begin, and their end. Fails as a wait or the
  /// device has.
  Status CheckMayRun() const;
  /// Ends the operation; called instead of what Run() does. `start` and `end` are nanoseconds for profiling, `end` 0
  /// for now.
  void Finish(uint64_t start, uint64_t end, Status status) noexcept;
  /// Whether the operation is reported when it ends.
  bool profiled() const { return submit_time_ != 0; }

  /// Does the work, on whichever thread called Run(), while the device is healthy and no wait has failed. Callbacks of
  /// the host are not its business.
  virtual Status RunOperation() = 0;

  /// What records and the log call the operation: "copy", "execute". Lives forever.
  virtual std::string_view Name() const;
  /// EXECUTE: what the command buffer has recorded; NULL of a driver that keeps no commands.
  virtual const RecordedCommands* recorded() const { return nullptr; }

  /// What the application calls the operation, until it ends; empty if it has no label.
  std::string_view label() const { return extras_ ? extras_->label : std::string_view(); }

  uint64_t number() const { return number_.load(std::memory_order_relaxed); }
  hal_queue_operation_type_t type() const { return type_; }
  /// The queues that may run it. One that chooses among them says so with set_queue().
  hal_queue_mask_t queues() const { return queues_; }
  void set_queue(uint32_t index) { queues_ = hal_queue_mask_t{1} << index; }
  /// Whether there is nothing to do but to pass a failure on.
  bool only_fails() const { return wait_failed() && type() != HAL_QUEUE_OPERATION_TYPE_HOST_CALL; }

  DeviceBase& device() const { return static_cast<DeviceBase&>(*device_.get()); }
  /// COMMAND: what to run.
  const hal_command_t& command() const { return *arguments_.command; }
  /// EXECUTE: what to run, and with which buffers.
  hal_command_buffer_t* command_buffer() const { return arguments_.execute.command_buffer; }
  /// EXECUTE: its commands, by the indices that records of dispatches have. Those that take numbers have them.
  CommandList commands() const {
    if (extras_ && !extras_->filled.empty()) return extras_->filled;
    return recorded() ? recorded()->commands() : CommandList();
  }
  /// EXECUTE: the block that the numbers came from; empty if there are none.
  std::span<const std::byte> numbers() const { return extras_ ? extras_->numbers : std::span<const std::byte>(); }
  std::span<const hal_buffer_ref_t> table() const {
    if (type_ != HAL_QUEUE_OPERATION_TYPE_EXECUTE) return {};
    return {arguments_.execute.table.refs, arguments_.execute.table.count};
  }
  /// ALLOCA and DEALLOCA: the buffer that gets or loses its memory.
  hal_buffer_t* buffer() const { return arguments_.buffer; }
  /// READ and WRITE.
  const hal_queue_io_t& io() const { return arguments_.io; }

  /// Moves the bytes of a READ or WRITE between its file and `data`.
  Status TransferFile(void* data, uint64_t length) const { return TransferFile(0, data, length); }
  /// A part of them, that begins after `skip` bytes.
  Status TransferFile(uint64_t skip, void* data, uint64_t length) const;

  /// The device, queue, number, submit time, label and debug groups of the operation, for records of what it contains.
  OperationRecord MakeRecord();
  /// The first of the queues that may run it.
  uint32_t queue_index() const { return static_cast<uint32_t>(std::countr_zero(queues_)); }

  /// Gives up the device, which must outlive the action's pool: the last step of Recycle().
  [[nodiscard]] Ref<hal_device_t> TakeDevice() {
    number_.store(0, std::memory_order_release);
    return std::move(device_);
  }

 private:
  /// By the type of the operation. What they name is retained, what they point to lies in the arena.
  union Arguments {
    const hal_command_t* command;
    hal_queue_execute_t execute;
    hal_buffer_t* buffer;
    hal_queue_io_t io;
    hal_queue_host_call_t host_call;
  };

  /// What few operations have.
  struct Extras {
    std::string_view label;
    GroupTimes* groups;            // owned; while profiling, from the first record to the report
    CommandList filled;            // what to execute, if it takes numbers
    hal_operation_times_t* times;  // the application's, if it asks for them
    std::span<const std::byte> numbers;
  };

  void CaptureArguments(const hal_queue_operation_t& operation, hal_buffer_t* buffer);
  void CaptureNumbers(std::span<const std::byte> given);
  template <class Visitor>
  void VisitObjects(const Visitor& visit) const;
  void CaptureLabel(const hal_queue_operation_t& operation) noexcept;
  void CaptureTimes(hal_operation_times_t* times);
  Extras& MakeExtras();
  void Clear() noexcept;

  Status RunIfHealthy() noexcept;
  Status RunHostCall(Status status) noexcept;
  void FindGroups() noexcept;
  void Report(uint64_t start, uint64_t end, hal_status_t status) noexcept;
  void LogUntold(const Status& status) noexcept;

  Ref<hal_device_t> device_;
  std::atomic<uint64_t> number_{0};  // see unended_number(); written by the thread that has the action
  uint64_t submit_time_ = 0;         // nanoseconds; 0 unless it is timed, for a session or for the application
  // Stays until the next Capture(): Defer() may still look at it when another thread ends the action, as a wait failed.
  hal_queue_operation_type_t type_{};
  bool owns_arguments_ = false;  // from Capture() to Clear(); never of a barrier
  hal_queue_mask_t queues_{};
  Arguments arguments_{};
  Arena arena_;
  Extras* extras_ = nullptr;  // in the arena, until Clear()
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_OPERATION_ACTION_H_
