// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue of a device: a native stream, what is in flight on it, and the thread that looks after it.
#ifndef HALYARD_STREAM_DEVICE_STREAM_QUEUE_H_
#define HALYARD_STREAM_DEVICE_STREAM_QUEUE_H_

#include <atomic>
#include <mutex>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/device_event.h"
#include "stream/native/epoch_counters.h"
#include "stream/native/native_api.h"
#include "submission/completion_thread.h"
#include "submission/queue_point.h"

namespace halyard::stream {

class QueueDirectory;
class StreamAction;
class StreamDevice;

/// How a queue learns that a submission is done.
enum class CompletionMode {
  kPortable,  ///< a host function on a second stream counts the epoch up and wakes the completion thread
  kFast,      ///< the stream itself writes the epoch; nobody is woken who did not ask
};

/// What is to be ended next on a queue.
struct Oldest {
  uint64_t ticket = 0;  ///< its submission's place in the order of all submissions of the device
  StreamAction* action = nullptr;
};

/// A queue numbers its submissions, its *epochs*, from 1. Each ends with the record of an event. What counts the epochs
/// comes after the record, so an epoch that is seen stands for work that is done and for an event that is known as
/// done.
///
/// In fast mode not every epoch is counted, as the write costs the host several times what the record does. The stream
/// *announces* an epoch by writing it if somebody looks for it and nothing was submitted after it, and every so often
/// anyway. A look at an older one that was not announced queries its event.
///
/// An action that puts nothing into the stream *follows* a submission: it is ended with it.
///
/// Locks: `issue_mutex_` keeps what one submission puts into the stream together, and its order the same as that of the
/// epochs; under it native calls are made and `ring_mutex_` is taken. `ring_mutex_` protects the ring of what is in
/// flight; it is a leaf. A new entry is written without it, and is there for others once `issued_` says so. No queue's
/// lock is taken under another queue's.
class StreamQueue final : private CompletionService {
 public:
  StreamQueue(StreamDevice& device, uint32_t index, CompletionMode mode, EpochCounters& counters)
      : device_(device), index_(index), mode_(mode), counters_(counters) {}
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  /// Makes the streams and starts the thread; after a failure it may be called again. Within a NativeScope.
  Status Open();
  /// Ends the thread and destroys the streams, with nothing in flight any more. Within a NativeScope.
  void Close() noexcept;

  uint32_t index() const { return index_; }
  /// From now on the application puts work into the stream as well: nothing is announced but with submissions.
  void Share() noexcept { shared_.store(true, std::memory_order_release); }
  NativeStream stream() const { return stream_; }

  /// Puts what the action does into the stream and takes the action over. If the action could put in nothing and fails,
  /// it is not taken over: its failure is returned. Within a NativeScope.
  Status Submit(StreamAction& action);
  /// Takes over an action that ends with a submission of this queue. False if that has ended.
  bool Follow(StreamAction& action, uint64_t epoch) noexcept;

  /// Whether a submission is known to be done: some loads.
  bool Seen(uint64_t epoch) const { return SeenEpoch() >= epoch; }
  /// The last submission that is known to be done.
  uint64_t SeenEpoch() const {
    if (abandoned_.load(std::memory_order_seq_cst)) return issued_.load(std::memory_order_acquire);
    const uint64_t counted = counters_.Counter(index_).load(std::memory_order_seq_cst);
    const uint64_t known = known_.load(std::memory_order_seq_cst);
    return counted > known ? counted : known;
  }
  /// Something else tells more than the counter: raises what is known.
  void RaiseSeen(uint64_t epoch) noexcept;
  /// Finds out whether a submission is done. Costs what Seen() does if the stream announces it, or will from now on.
  bool Look(uint64_t epoch) noexcept {
    return Seen(epoch) || (announced_.load(std::memory_order_acquire) < epoch && Ask(epoch));
  }
  /// The same for who looks again and again: where a later one is announced, the counter may stand still for long.
  bool Poll(uint64_t epoch) noexcept {
    if (Look(epoch)) return true;
    return mode_ == CompletionMode::kFast && announced_.load(std::memory_order_acquire) > epoch && Query(epoch);
  }
  /// The same, once: nothing is announced for it.
  bool Query(uint64_t epoch) noexcept;
  /// Whether nothing is in flight, as Look() finds out.
  bool LookIdle() noexcept { return Look(issued_.load(std::memory_order_acquire)); }

  /// The event of a submission that is in flight; false if it is done.
  bool EventOf(uint64_t epoch, DeviceEventRef* out_event) const;
  /// Makes `stream` wait for a submission of this queue. Within a NativeScope.
  Status MakeWait(NativeStream stream, uint64_t epoch);

  /// Somebody waits for a submission: it is to be retired as soon as it is done.
  void Arm(uint64_t epoch) noexcept;

  /// The device is lost for good: takes everything for done, as nothing ever will be.
  void Abandon() noexcept;

  /// @name For Retirement, one thread at a time
  /// @{
  /// Whether everything of the submissions up to `seen` is ended: one load.
  bool IsEnded(uint64_t seen) const { return first_.load(std::memory_order_relaxed) > seen; }
  /// What is to be ended next, of the submissions up to `seen`. False if there is nothing.
  bool FindOldest(uint64_t seen, Oldest* out) noexcept;
  /// What was found is taken out, and is the caller's to end.
  void TakeOldest() noexcept;
  /// Whether a submission after `epoch` waited for other queues: one load.
  bool HasJoinAfter(uint64_t epoch) const { return last_join_.load(std::memory_order_acquire) > epoch; }
  /// The first submission after `epoch`, up to `seen`, that waited for other queues, and its action, which is not ended
  /// yet. False if there is none.
  bool FindJoin(uint64_t epoch, uint64_t seen, uint64_t* out_epoch, const StreamAction** out_action) const;
  /// @}

 private:
  friend class QueueDirectory;
  /// A submission that has been handed to the stream.
  struct InFlight {
    uint64_t ticket = 0;
    StreamAction* action = nullptr;
    RunnableList followers;  // actions that end with it, after `action`
    DeviceEventRef event;    // recorded after the submission's work; stays for the next one in this place
    bool wanted = false;     // somebody waits for it: the completion thread is to look for it
    bool joins = false;      // it waited for submissions of other queues
  };

  Rest Serve() noexcept override;
  Rest ServeWith() noexcept;
  /// The oldest submission after `after` that somebody waits for.
  bool NextWanted(uint64_t after, uint64_t* epoch) const;
  /// Waits for a submission that is wanted. False if it would have to poll.
  bool AwaitWanted(uint64_t epoch) noexcept;
  bool SleepUntilDone(uint64_t epoch) noexcept;
  /// Whether the device still makes progress, as far as events tell. Not for every look.
  void CheckProgress() noexcept;
  bool Ask(uint64_t epoch) noexcept;
  /// Looks at the event of a submission. Within a NativeScope.
  bool QueryEvent(uint64_t epoch) noexcept;

  /// With ring_mutex_: whether an epoch has its place in the ring.
  bool IsInRing(uint64_t epoch) const {
    return epoch >= first_.load(std::memory_order_relaxed) && epoch <= issued_.load(std::memory_order_acquire);
  }
  Status PrepareSlot(uint64_t epoch);
  void Push(StreamAction& action, uint64_t epoch) noexcept;
  Status Announce(uint64_t epoch);
  Status AwaitUnmarked(uint64_t epoch);
  /// Portable mode: a submission is done.
  void OnCounted() noexcept;

  size_t Wrap(uint64_t epoch) const { return static_cast<size_t>(epoch) & (ring_.size() - 1); }
  void GrowRing();

  StreamDevice& device_;
  const uint32_t index_;
  const CompletionMode mode_;
  EpochCounters& counters_;
  NativeStream stream_ = nullptr;
  NativeStream companion_ = nullptr;  // portable mode: where host functions run
  void* name_ = nullptr;              // portable mode: by which they find this queue
  CompletionThread thread_;
  DeviceEventRef sleeper_;   // the completion thread's
  uint64_t looked_for_ = 0;  // the completion thread's: the last epoch that it spun for

  std::mutex issue_mutex_;              // see above
  std::atomic<uint64_t> issued_{0};     // the last epoch; written with issue_mutex_
  std::atomic<uint64_t> announced_{0};  // the last epoch that the stream announces; written with issue_mutex_
  std::atomic<uint64_t> last_join_{0};  // the last epoch that waited for other queues; written with issue_mutex_
  std::atomic<uint64_t> known_{0};      // epochs that are known as done by other means than the counter
  std::atomic<bool> abandoned_{false};
  std::atomic<bool> shared_{false};  // the application puts work into the stream, too

  mutable std::mutex ring_mutex_;  // protects what follows, but for the slot of the next epoch
  HostVector<InFlight> ring_;      // epoch e at e modulo its size, a power of two
  // Epoch of the oldest; the newest is issued_. Rises when that and all its followers are ended: what they signal is
  // signalled. Written with ring_mutex_ by Retirement.
  std::atomic<uint64_t> first_{1};
  uint64_t taken_ = 0;  // Retirement's: the last epoch whose action is taken out
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_STREAM_QUEUE_H_
