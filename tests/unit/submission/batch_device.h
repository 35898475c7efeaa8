// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device on the batch lane, or on lanes that a test brings. Memory and work are the local driver's.
#ifndef HALYARD_TESTS_UNIT_SUBMISSION_BATCH_DEVICE_H_
#define HALYARD_TESTS_UNIT_SUBMISSION_BATCH_DEVICE_H_

#include <functional>
#include <memory>

#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "image/host_object/linked_object.h"
#include "local/memory/local_allocator.h"
#include "submission/submission_action.h"
#include "submission/submission_device.h"

namespace halyard {

class BatchDevice;

/// Commands and command buffers run on the lane; memory, files and calls are the host's business.
class BatchAction final : public SubmissionAction {
 public:
  void Prepare();
  /// Does the work, on the thread that is the lane's device.
  void Execute() noexcept;

 protected:
  bool IsForDevice() const override;
  Status SubmitStage(SubmissionQueue& queue) override;
  bool checks_stage() const override { return !cannot_fail_; }
  Status CheckStage() override { return result_.Share(); }
  void EndWork(uint64_t* start, uint64_t* end) noexcept override;
  Status RunOperation() override;
  const RecordedCommands* recorded() const override;
  void Recycle() noexcept override;

 private:
  Status RunWork();
  Status ResolveTransfer();

  bool cannot_fail_ = false;  // once it is handed over
  Failure result_;            // of the work; written before the epoch is completed
  uint64_t begin_time_ = 0;   // nanoseconds; of the work
  uint64_t end_time_ = 0;
};

using LaneMaker = std::function<std::unique_ptr<Lane>()>;

class BatchDevice final : public SubmissionDevice {
 public:
  static Status Create(const hal_driver_interface_t& tables, uint32_t ordinal, uint32_t queues,
                       const LaneMaker& make_lane, hal_device_t** out_device);
  ~BatchDevice() { CloseQueues(); }

  Status QueryFormat(hal_string_view_t format);
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);
  Status CreateEvent(hal_event_t** out_event);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);

  ActionPool<BatchAction>& actions() { return actions_; }
  Status TrimActions() override { return TrimPool(actions_); }

 protected:
  void FailDeferred(const Failure& failure) noexcept override { actions_.FailDeferred(failure); }

 private:
  BatchDevice(const hal_driver_interface_t& tables, uint32_t ordinal, uint32_t queues);

  local::LocalAllocator allocator_;
  CodeArenas code_;  // of executables
  ActionPool<BatchAction> actions_;
};

/// What makes the lanes of the devices to come; batch lanes unless a test says otherwise. Not synchronised.
LaneMaker& TheLaneMaker();

/// The driver's tables: `batch://0` and `batch://1`, with the parameter `queues` (4).
const hal_driver_interface_t* BatchDriverInterface();

}  // namespace halyard

#endif  // HALYARD_TESTS_UNIT_SUBMISSION_BATCH_DEVICE_H_
