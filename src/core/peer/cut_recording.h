// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command buffer with copies between devices that its driver does not record.
#ifndef HALYARD_CORE_PEER_CUT_RECORDING_H_
#define HALYARD_CORE_PEER_CUT_RECORDING_H_

#include <array>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/peer/peer_copy.h"
#include "core/validation/command_buffer_validation.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

/// What comes after the first such copy: copies, and command buffers of the driver with what is recorded between them.
/// One after the other they are what the whole is. Written while recording, by one thread; only read by executions.
class CutRecording : public HostObject {
 public:
  /// `whole` keeps what was recorded before the first cut; it outlives this object.
  explicit CutRecording(hal_command_buffer_t& whole) : whole_(whole) {}
  CutRecording(const CutRecording&) = delete;
  CutRecording& operator=(const CutRecording&) = delete;

  /// @name While recording
  /// @{
  Status Cut(const hal_command_t& copy);
  /// Any command after a cut.
  Status Record(const hal_command_t& command);
  Status End();
  /// @}

 private:
  friend class CutSubmission;

  /// A command buffer, or a copy with all that it points to.
  struct Step {
    Ref<hal_command_buffer_t> commands;
    hal_command_type_t type = HAL_COMMAND_TYPE_COPY;
    hal_command_copy_t copy{};
    hal_strided_copy_params_t strided{};
    Ref<hal_buffer_t> source;  // none for a slot
    Ref<hal_buffer_t> target;

    /// The copy with the buffers of an execution.
    void Resolve(std::span<const hal_buffer_ref_t> table, hal_strided_copy_params_t* params, hal_command_t* out) const;
  };
  /// The timeline of one execution: it orders the steps.
  struct Chain {
    Ref<hal_semaphore_t> semaphore;
    uint64_t last = 0;  // value that has been or will be signalled
  };

  hal_command_buffer_t* Current() { return rest_ ? rest_ : &whole_; }
  Status OpenRest();
  Status WaitForEvents(const hal_command_wait_events_t& wait);
  Status TakeChain(Chain* out) const;
  void PutChain(Chain chain) const;

  hal_command_buffer_t& whole_;
  HostVector<Step> steps_;
  hal_command_buffer_t* rest_ = nullptr;  // of the last step, while it is being recorded
  HostVector<hal_event_t*> signalled_;    // in rest_; what was signalled before is reached when rest_ begins

  mutable std::mutex mutex_;  // protects chains_; a leaf
  mutable HostVector<Chain> chains_;
};

/// Submits one execution of a command buffer that is cut.
class CutSubmission {
 public:
  CutSubmission(const CutRecording& cut, hal_device_t* device) : cut_(cut), device_(device) {}
  CutSubmission(const CutSubmission&) = delete;
  CutSubmission& operator=(const CutSubmission&) = delete;
  /// Unless it was confirmed, nothing of what was submitted runs.
  ~CutSubmission();

  /// Submits all steps but the last, which `*operation` becomes. At entry that is the execution. None of them begins.
  Status Begin(hal_queue_operation_t* operation);
  /// The last step was submitted: lets the first one begin.
  void Confirm() noexcept;

 private:
  static constexpr size_t kFewWaits = 8;

  void SetWaits(const hal_semaphore_list_t& waits);
  void MakeStep(const CutRecording::Step& step, const hal_queue_operation_t& execution, hal_queue_operation_t* out);
  Status Submit(hal_queue_operation_t* operation);

  const CutRecording& cut_;
  hal_device_t* const device_;
  CutRecording::Chain chain_;
  PeerCopySubmission last_copy_;
  hal_strided_copy_params_t params_{};  // of the copy that is submitted now
  hal_timeline_point_t before_{};       // the same
  hal_timeline_point_t after_{};        // the same
  std::array<hal_timeline_point_t, kFewWaits + 1> few_waits_;
  HostVector<hal_timeline_point_t> many_waits_;
  hal_semaphore_list_t waits_{};  // the application's, and that all steps are submitted
};

}  // namespace halyard

#endif  // HALYARD_CORE_PEER_CUT_RECORDING_H_
