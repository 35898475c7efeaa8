// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that works by itself: its queues, its threads, and the end of what it has completed.
#ifndef HALYARD_SUBMISSION_SUBMISSION_DEVICE_H_
#define HALYARD_SUBMISSION_SUBMISSION_DEVICE_H_

#include <atomic>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "submission/retirement.h"
#include "submission/submission_queue.h"
#include "submission/worker_thread.h"

namespace halyard {

class SubmissionSemaphore;

/// A driver derives from it, gives it a lane for each queue, and closes the queues in its destructor, which may run on
/// any thread: that of a caller, a completion thread or a worker.
class SubmissionDevice : public DeviceBase {
 public:
  Status CreateSemaphore(uint64_t initial_value, hal_semaphore_t** out_semaphore);

  /// Makes the device behave as lost: all that is pending fails, what waits for other devices included. What is in
  /// flight keeps its memory until the device has completed it.
  void Lose(std::string_view reason);
  /// The device is not to be used any more, for the reason in this thread's message, which is that of `status`. What is
  /// in flight is given up: at once after DEVICE_LOST, else when the lanes are drained.
  void LosePermanently(Status status) noexcept;
  /// Passes a vendor's status on, after LosePermanently() if that is what it means.
  Status Checked(Status status) noexcept {
    if (status == HAL_STATUS_DEVICE_LOST && !health().lost()) LosePermanently(status);
    return status;
  }

  /// Ends what the device has completed. Keep the device alive meanwhile.
  void Retire() noexcept { retirement_.Run(); }
  /// The place of the next submission in the order of all.
  uint64_t NextSubmissionIndex() { return submissions_.fetch_add(1, std::memory_order_relaxed); }
  /// A reference, unless the last one is gone.
  Ref<hal_device_t> TryRetain();
  /// Frees the actions that are not in use.
  virtual Status TrimActions() = 0;

  /// Queues that are open: those of the application and, after them, interop queues.
  uint32_t queue_count() const { return open_queues_.load(std::memory_order_acquire); }
  SubmissionQueue& queue(size_t index) const { return *queues_[index]; }
  /// One of several queues, in turn.
  SubmissionQueue& NextQueue(hal_queue_mask_t queues);

  /// The semaphore as this device's own; NULL if it is not.
  SubmissionSemaphore* OwnSemaphore(hal_semaphore_t* semaphore) const;
  /// The semaphore as one whose pending signals this device's lanes can wait for; NULL if it is not.
  SubmissionSemaphore* KnownSemaphore(hal_semaphore_t* semaphore) const;

  /// @name Threads
  /// @{
  /// Runs what the device's threads bring about: timepoints' callbacks, and work of devices without threads.
  CallTaker& callbacks() { return callbacks_; }
  /// Calls the host.
  WorkerThread& host_calls() { return *host_calls_; }
  /// Does what takes some time: memory, the next stages of work.
  WorkerThread& host_work() { return *host_work_; }
  /// Moves files, which takes as long as they are.
  WorkerThread& file_work() { return *file_work_; }
  /// @}

 protected:
  /// Whose pending signals a device's lanes can wait for.
  enum class Joins {
    kOwnQueues,   ///< those of its own queues; for other devices' the host waits
    kAllDevices,  ///< also those of other devices of the same driver: see SubmissionAction::ComeAfterForeign()
  };

  SubmissionDevice(const hal_driver_interface_t& tables, Joins joins);
  ~SubmissionDevice() = default;

  /// Takes the lanes, each of which becomes a queue that is not open yet. Once.
  void SetLanes(HostVector<std::unique_ptr<Lane>> lanes);
  /// Opens the next queue; after a failure it may be called again. One thread at a time.
  Status OpenQueue();
  /// All queues, open or not.
  size_t lane_count() const { return queues_.size(); }
  /// Ends the threads and the queues, with nothing in flight. First thing in the derived destructor.
  void CloseQueues() noexcept;

  /// For TrimActions(), with the device's pool. Semaphores know actions that have ended, and forget them first.
  template <class Action>
  Status TrimPool(ActionPool<Action>& actions) {
    TrimHostMemory();
    return actions.Trim([this](const HostVector<Action*>& unused) {
      return ForgetActions({unused.begin(), unused.end()});
    });
  }
  /// Makes every action that still waits ready to fail.
  virtual void FailDeferred(const Failure& failure) noexcept = 0;

 private:
  Status ForgetActions(const HostVector<SubmissionAction*>& unused);

  const Joins joins_;
  Retirement::Queues queues_;
  WorkerThread callbacks_{WorkerThread::End::kLeave};
  Retirement retirement_{queues_, callbacks_};
  std::unique_ptr<WorkerThread> host_calls_;
  std::unique_ptr<WorkerThread> host_work_;
  std::unique_ptr<WorkerThread> file_work_;
  std::atomic<uint64_t> submissions_{0};
  std::atomic<uint32_t> turn_{0};
  std::atomic<uint32_t> open_queues_{0};
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_SUBMISSION_DEVICE_H_
