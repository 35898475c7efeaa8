// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of an asynchronous device: its queues, its threads and the retirement of its work.
#ifndef HALYARD_SUBMISSION_SUBMISSION_DEVICE_H_
#define HALYARD_SUBMISSION_SUBMISSION_DEVICE_H_

#include <atomic>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "base/vendor_gate.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "submission/retirement.h"
#include "submission/submission_queue.h"
#include "submission/worker_thread.h"

namespace halyard {

class SubmissionSemaphore;

/// A driver derives from it, passes a lane for each queue, and closes the queues in its destructor. The destructor may
/// run on any thread: a caller's, a completion thread or a worker.
class SubmissionDevice : public DeviceBase {
 public:
  Status CreateSemaphore(const hal_semaphore_params_t* params, hal_semaphore_t** out_semaphore);

  /// Makes the device behave as lost. All pending operations fail, including those that wait for other devices. Work in
  /// flight keeps its memory until the device has completed it.
  void Lose(std::string_view reason);
  /// Marks the device as lost permanently; the message of `status` is the reason. After
  /// DEVICE_LOST, work in flight counts as completed at once; otherwise once the lanes are drained.
  void LosePermanently(Status status) noexcept;
  /// Returns a vendor's status, and calls LosePermanently() first if it is DEVICE_LOST.
  Status Checked(Status status) noexcept {
    if (status.code() == HAL_STATUS_DEVICE_LOST && !health().lost()) LosePermanently(status.Share());
    return status;
  }

  /// Looks for completed submissions at any cost except blocking, and retires them: for a thread that waits for all.
  void LookAtAll() noexcept;
  /// Retires completed submissions. The caller keeps the device alive meanwhile.
  void Retire() noexcept { retirement_.Run(); }
  /// From now on the application may learn from the device itself that work has ended, even where a lane is only asked
  /// to tell of it.
  void TellsApplication() noexcept { tells_application_.store(true, std::memory_order_relaxed); }
  bool tells_application() const { return tells_application_.load(std::memory_order_relaxed); }
  /// Returns the index of the next submission, in the order of all queues.
  uint64_t NextSubmissionIndex() { return submissions_.fetch_add(1, std::memory_order_relaxed); }
  /// Returns a reference, or NULL if the last one was released.
  Ref<hal_device_t> TryRetain();
  /// The way of the device's threads to the vendor.
  VendorGate& gate() const { return gate_; }
  /// Frees the actions that are not in use.
  virtual Status TrimActions() = 0;

  /// The number of open queues: those of the application and, after them, interop queues.
  uint32_t queue_count() const { return open_queues_.load(std::memory_order_acquire); }
  SubmissionQueue& queue(size_t index) const { return *queues_[index]; }
  /// Returns one of several queues, in turn.
  SubmissionQueue& NextQueue(hal_queue_mask_t queues);

  /// The semaphore as this device's own; NULL if it is not.
  SubmissionSemaphore* OwnSemaphore(hal_semaphore_t* semaphore) const;
  /// The semaphore as one whose pending signals this device's lanes can wait for; NULL if it is not.
  SubmissionSemaphore* KnownSemaphore(hal_semaphore_t* semaphore) const;

  /// @name Threads
  /// @{
  /// Runs what the device's threads release: callbacks of timepoints, and work of devices without threads.
  CallTaker& callbacks() { return callbacks_; }
  /// Runs host calls.
  WorkerThread& host_calls() { return *host_calls_; }
  /// Runs slow work of the host: memory, and the next stages of operations.
  WorkerThread& host_work() { return *host_work_; }
  /// Runs file transfers.
  WorkerThread& file_work() { return *file_work_; }
  /// @}

 protected:
  /// The devices whose pending signals the lanes can wait for.
  enum class Joins {
    kOwnQueues,   ///< those of its own queues; for other devices' the host waits
    kAllDevices,  ///< also those of other devices of the same driver: see SubmissionAction::ComeAfterForeign()
  };

  /// @param gate  of the vendor's library, which the device's threads call
  SubmissionDevice(const hal_driver_interface_t& tables, VendorGate& gate, Joins joins);
  ~SubmissionDevice() = default;

  /// Takes the lanes and makes a queue of each, which is not open yet. Called once.
  void SetLanes(HostVector<std::unique_ptr<Lane>> lanes);
  /// Opens the next queue; after a failure it may be called again. One thread at a time.
  Status OpenQueue();
  /// All queues, open or not.
  size_t lane_count() const { return queues_.size(); }
  /// Ends the threads and the queues. Nothing may be in flight. The derived destructor calls it first.
  void CloseQueues() noexcept;

  /// For TrimActions(), with the device's pool. Semaphores first drop their references to actions that have ended.
  template <class Action>
  Status TrimPool(ActionPool<Action>& actions) {
    TrimHostMemory();
    return actions.Trim([this](const HostVector<Action*>& unused) {
      return ForgetActions({unused.begin(), unused.end()});
    });
  }
  /// Makes every deferred action ready to fail.
  virtual void FailDeferred(const Failure& failure) noexcept = 0;

 private:
  Status ForgetActions(const HostVector<SubmissionAction*>& unused);

  VendorGate& gate_;
  const Joins joins_;
  Retirement::Queues queues_;
  WorkerThread callbacks_{WorkerThread::End::kLeave};
  Retirement retirement_{queues_, callbacks_};
  std::unique_ptr<WorkerThread> host_calls_;
  std::unique_ptr<WorkerThread> host_work_;
  std::unique_ptr<WorkerThread> file_work_;
  std::atomic<uint64_t> submissions_{0};
  std::atomic<bool> tells_application_{false};
  std::atomic<uint32_t> turn_{0};
  std::atomic<uint32_t> open_queues_{0};
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_SUBMISSION_DEVICE_H_
