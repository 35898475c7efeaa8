// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue of a device: a native stream, what is in flight on it, and the thread that looks after it.
#ifndef HALYARD_STREAM_STREAM_QUEUE_H_
#define HALYARD_STREAM_STREAM_QUEUE_H_

#include <atomic>
#include <mutex>

#include "common/host_memory.h"
#include "common/status.h"
#include "stream/completion_thread.h"
#include "stream/device_event.h"
#include "stream/epoch_counters.h"
#include "stream/native_api.h"

namespace halyard::stream {

class StreamAction;
class StreamDevice;

/// How a queue learns that a submission is done.
enum class CompletionMode {
  kPortable,  ///< a host function on a second stream counts the epoch up and wakes the completion thread
  kFast,      ///< the stream itself writes the epoch; nobody is woken who did not ask
};

/// A submission that has been handed to the stream.
struct InFlight {
  uint64_t ticket = 0;  ///< its place in the order of all submissions of the device
  StreamAction* action = nullptr;
  DeviceEventRef event;  ///< recorded after the submission's work
  bool wanted = false;   ///< somebody waits for it: the completion thread is to block on it
  bool joins = false;    ///< it waited for submissions of other queues
};

/// A queue numbers its submissions, its *epochs*, from 1. Each ends with the record of an event and then with what
/// counts the epoch: so an epoch that is seen stands for work that is done and for an event that is known as done.
///
/// Locks: `issue_mutex_` keeps what one submission puts into the stream together, and its order the same as that of the
/// epochs; under it native calls are made and `ring_mutex_` is taken. `ring_mutex_` protects the list of what is in
/// flight; it is a leaf. No queue's lock is taken under another queue's.
class StreamQueue final : private CompletionService {
 public:
  StreamQueue(StreamDevice& device, uint32_t index, CompletionMode mode, EpochCounters& counters)
      : device_(device), index_(index), mode_(mode), counters_(counters) {}
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  /// Makes the streams and starts the thread. Within a NativeScope.
  Status Open();
  /// Ends the thread and destroys the streams, with nothing in flight any more. Within a NativeScope.
  void Close() noexcept;

  uint32_t index() const { return index_; }
  NativeStream stream() const { return stream_; }

  /// Puts what the action does into the stream and takes the action over. If the action could put in nothing and fails,
  /// it is not taken over: its failure is returned. Within a NativeScope.
  Status Submit(StreamAction& action);

  /// Whether a submission is done: two loads.
  bool Seen(uint64_t epoch) const { return SeenEpoch() >= epoch; }
  /// The last submission that is known to be done.
  uint64_t SeenEpoch() const {
    if (abandoned_.load(std::memory_order_acquire)) return issued_.load(std::memory_order_acquire);
    const uint64_t counted = counters_.Counter(index_).load(std::memory_order_seq_cst);
    const uint64_t known = known_.load(std::memory_order_acquire);
    return counted > known ? counted : known;
  }
  /// The event of an epoch tells more than the counter: raises what is known.
  void RaiseSeen(uint64_t epoch) noexcept;

  /// Makes `stream` wait for a submission of this queue. Within a NativeScope.
  Status MakeWait(NativeStream stream, uint64_t epoch);

  /// Somebody waits for a submission: it is to be retired as soon as it is done.
  void Arm(uint64_t epoch) noexcept;

  /// The device is lost for good: takes everything for done, as nothing ever will be.
  void Abandon() noexcept;

  /// @name For Retirement, one thread at a time
  /// @{
  /// The oldest submission, with its epoch. False if there is none.
  bool Front(uint64_t* epoch, InFlight* out) const;
  /// The submission of an epoch that is in flight.
  InFlight At(uint64_t epoch) const;
  void PopFront() noexcept;
  /// @}

 private:
  Rest Serve() noexcept override;
  Rest ServeWith() noexcept;
  /// The event to block on next, and its epoch.
  bool NextWanted(uint64_t* epoch, DeviceEventRef* event) const;
  /// Whether the device still makes progress, as far as the oldest submission tells. Not for every look.
  void CheckProgress() noexcept;

  Status Finish(StreamAction& action, Status result, DeviceEventRef event, uint64_t* out_epoch);
  void Push(StreamAction& action, const DeviceEventRef& event, uint64_t epoch);
  Status CountEpoch(NativeEvent event, uint64_t epoch);
  static void OnHostFunction(void* user_data);

  size_t Wrap(uint64_t epoch) const { return static_cast<size_t>(epoch) & (ring_.size() - 1); }
  void GrowRing();

  StreamDevice& device_;
  const uint32_t index_;
  const CompletionMode mode_;
  EpochCounters& counters_;
  NativeStream stream_ = nullptr;
  NativeStream companion_ = nullptr;  // portable mode: where host functions run
  CompletionThread thread_;

  std::mutex issue_mutex_;           // see above
  std::atomic<uint64_t> issued_{0};  // the last epoch; written with issue_mutex_
  std::atomic<uint64_t> known_{0};   // epochs whose events are known as done
  std::atomic<bool> abandoned_{false};

  mutable std::mutex ring_mutex_;  // protects what follows
  HostVector<InFlight> ring_;      // epoch e at e modulo its size, a power of two
  uint64_t first_ = 1;             // epoch of the oldest; the newest is issued_'s, or the one before
  uint64_t end_ = 1;               // one past the newest
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_QUEUE_H_
