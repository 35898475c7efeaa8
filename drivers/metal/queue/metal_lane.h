// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lane of a Metal queue: a command buffer for each submission, and a shared event that counts them.
#ifndef HALYARD_METAL_QUEUE_METAL_LANE_H_
#define HALYARD_METAL_QUEUE_METAL_LANE_H_

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "metal/native/metal_types.h"
#include "metal/recording/metal_encoding.h"
#include "metal/recording/metal_staging.h"
#include "submission/lane.h"

namespace halyard::metal {

class MetalAction;
class MetalRecordingDevice;

/// A submission waits on the device for the events of other submissions: those of its own queue too, because command
/// buffers of untracked memory overlap. It ends with the signal of its epoch to its own event, which is for devices
/// alone. The host learns of its end from the completed handler. For a command buffer that Metal kills never reaches
/// its signal, but its handler comes.
///
/// **Room.** Metal keeps a caller waiting that asks for more command buffers than a queue has. So an action takes room
/// before it is submitted; where there is none it lines up, and a handler hands the room on. What lines up is not
/// submitted: nothing waits for its signals on a device.
///
/// **Failure.** A handler that hears of an error keeps it and wakes the completion thread, which gives the device up
/// (Query()). Then the timelines fail. After that Drain() sets the event to its highest value, so that nothing that
/// waits for it on a device hangs. Then it waits for all lanes of the device.
///
/// Locks: under mutex() work is encoded and committed. `state_mutex_` is a leaf, which handlers take too. Nothing under
/// mutex() waits for a handler.
class MetalLane final : public Lane {
 public:
  explicit MetalLane(MetalRecordingDevice& device);
  ~MetalLane() override;

  Status Open() override;
  void Drain() noexcept override;
  bool reports_progress() const override { return true; }
  Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) override;
  uint64_t Completed() const noexcept override { return completed_.load(std::memory_order_seq_cst); }
  bool Query(uint64_t epoch) noexcept override;
  bool IsEnding(uint64_t epoch) noexcept override;
  bool Sleep(uint64_t epoch) noexcept override { return Completed() >= epoch; }

  /// @name Room
  /// @{
  /// Whether the action may be submitted now. Else it is run again once it may, and has room then.
  bool TakeRoom(MetalAction& action) noexcept;
  /// The action was not submitted after all.
  void ReturnRoom() noexcept;
  /// The device is lost: all that lines up is run, to fail.
  void ReleaseWaiting() noexcept;
  /// @}

  /// @name While profiling: when the device worked on a submission, in seconds of the host's clock
  /// @{
  struct Times {
    double start = 0;
    double end = 0;
    bool told = false;  ///< by its handler
  };
  bool HasTimes(uint64_t epoch) noexcept;
  /// Forgets them. False if there are none.
  bool TakeTimes(uint64_t epoch, Times* out) noexcept;
  /// @}

  NativeSharedEvent event() const { return event_.get(); }
  NativeCommandQueue native() const { return queue_.get(); }

 private:
  /// Waits for all handlers, after it has released what waits for a command buffer that failed.
  void EndOwn() noexcept;
  /// Waits for all handlers.
  void AwaitEnd() noexcept;
  Status EncodeWaits(NativeCommandBuffer commands, const MetalAction& action);
  Status Encode(NativeCommandBuffer commands, MetalAction& action);
  void Commit(NativeCommandBuffer commands, MetalAction& action, uint64_t epoch);
  /// A handler: the command buffer of a submission has ended.
  void OnEnded(NativeCommandBuffer commands, uint64_t epoch) noexcept;
  void NoteTimes(uint64_t epoch, double start, double end) noexcept;
  void NoteEnd(uint64_t epoch) noexcept;
  /// @name With state_mutex_
  /// @{
  void RaiseCompleted(uint64_t epoch) noexcept;
  MetalAction* PassRoomOn() noexcept;
  /// @}

  MetalRecordingDevice& device_;
  Owned<NativeCommandQueue> queue_;
  Owned<NativeSharedEvent> event_;
  MetalStaging staging_;  // with mutex(), as what follows
  MetalFences fences_;
  MetalEncoding::Scratch scratch_;

  std::atomic<uint64_t> completed_{0};  // written with state_mutex_
  std::atomic<bool> failed_{false};     // the epoch that is next has failed, with failure_

  std::mutex state_mutex_;         // protects what follows
  std::condition_variable ended_;  // committed_ has fallen
  uint32_t committed_ = 0;         // command buffers whose handlers have not run yet
  uint32_t room_taken_ = 0;        // actions that have room, and command buffers
  RunnableList waiting_;           // actions without room, in order
  HostVector<uint64_t> early_;     // epochs beyond completed_ + 1 that have ended
  Failure failure_;                // what Metal said of the first that failed
  uint64_t failed_epoch_ = UINT64_MAX;
  HostMap<uint64_t, Times> times_;  // of submissions that are profiled, by their epochs
  bool event_released_ = false;     // event_ has its highest value, or gets it now
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_QUEUE_METAL_LANE_H_
