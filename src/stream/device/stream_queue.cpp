// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/stream_queue.h"

#include <algorithm>

#include "base/clock.h"
#include "base/prefetch.h"
#include "base/process_wide.h"
#include "driver_kit/object/vtable.h"
#include "stream/device/stream_action.h"
#include "stream/device/stream_device.h"
#include "submission/test_points.h"

namespace halyard::stream {
namespace {

// How many submissions there are at most between two that the stream announces.
constexpr uint64_t kAnnounceStride = 8;
// How often who submits looks at what is done, in submissions. What is retired here is still in this processor's cache,
// and few actions and events go round; leaving it all to the completion thread costs a third more a submission.
constexpr uint64_t kRetireStride = 8;
// How long the completion thread looks for what somebody waits for before it sleeps.
constexpr uint64_t kLookTime = 20'000;  // nanoseconds

}  // namespace

/// Queues in portable mode, by names that are never used twice. Host functions find their queue here: once a device is
/// lost nobody tells when the last of them has run, so that one may come when its queue is gone.
class QueueDirectory : public HostObject {
 public:
  void* Add(StreamQueue* queue) {
    const std::lock_guard lock(mutex_);
    void* const name = reinterpret_cast<void*>(++last_);
    queues_.emplace(name, queue);
    return name;
  }
  /// No host function is at work on the queue any more, or ever will be.
  void Remove(void* name) noexcept {
    const std::lock_guard lock(mutex_);
    queues_.erase(name);
  }
  static void OnHostFunction(void* name) {
    auto* const directory = ProcessWide<QueueDirectory>::Find();
    if (!directory) return;
    const std::lock_guard lock(directory->mutex_);
    const auto found = directory->queues_.find(name);
    if (found != directory->queues_.end()) found->second->OnCounted();
  }

 private:
  std::mutex mutex_;  // protects what follows; held while a queue counts, with the completion thread's bell under it
  HostMap<void*, StreamQueue*> queues_;
  uintptr_t last_ = 0;
};

Status StreamQueue::Open() {
  NativeApi& api = device_.api();
  if (!stream_) {
    if (Status status = api.CreateStream(&stream_); status != kOk) return status;
  }
  if (mode_ == CompletionMode::kPortable) {
    if (!companion_) {
      if (Status status = api.CreateStream(&companion_); status != kOk) return status;
    }
    if (!name_) name_ = ProcessWide<QueueDirectory>::Get().Add(this);
  }
  ring_.resize(64);
  return thread_.Start(*this);
}

void StreamQueue::Close() noexcept {
  const MessageKeeper keeper;
  NativeApi& api = device_.api();
  // An event is done before what counts its epoch is: the last write to the counters, or the last host function, may
  // still be under way.
  for (NativeStream stream : {stream_, companion_}) {
    if (stream) static_cast<void>(TryTwice([&] { return api.SynchronizeStream(stream); }));
  }
  if (name_) ProcessWide<QueueDirectory>::Get().Remove(name_);
  thread_.Stop();
  if (companion_) api.DestroyStream(companion_);
  if (stream_) api.DestroyStream(stream_);
}

Status StreamQueue::Submit(StreamAction& action) {
  // Outside the lock: that others' work in this stream waits as well does no harm.
  if (Status status = action.JoinOtherQueues(*this); status != kOk) return status;
  uint64_t epoch = 0;
  Status status = kOk;
  {
    const std::lock_guard lock(issue_mutex_);
    epoch = issued_.load(std::memory_order_relaxed) + 1;
    if (Status prepared = PrepareSlot(epoch); prepared != kOk) return prepared;
    if (Status result = action.Enqueue(stream_); result != kOk) {
      if (result == HAL_STATUS_DEVICE_LOST || !action.has_enqueued()) return result;
      action.KeepFailure(result);
    }
    status = device_.api().RecordEvent(ring_[Wrap(epoch)].event.native(), stream_);
    if (status != kOk && status != HAL_STATUS_DEVICE_LOST) {
      // Before anybody can look at the event, which says nothing of this submission; AwaitUnmarked() tells how it went.
      static_cast<void>(device_.api().SynchronizeStream(stream_));
    }
    Push(action, epoch);
    const uint64_t stride = mode_ == CompletionMode::kFast ? kAnnounceStride : 1;
    if (status == kOk && epoch - announced_.load(std::memory_order_relaxed) >= stride) status = Announce(epoch);
    if (status != kOk && status != HAL_STATUS_DEVICE_LOST) status = AwaitUnmarked(epoch);
  }
  // Work whose end cannot be told is as bad as a device that is gone.
  if (status != kOk) device_.LoseForGood();
  thread_.Notice();
  AtTestPoint();
  action.Publish(*this, epoch);  // the action may be gone afterwards
  AtTestPoint();
  if (epoch % kRetireStride == 0 || Seen(epoch)) device_.Retire();
  return kOk;
}

bool StreamQueue::Follow(StreamAction& action, uint64_t epoch) noexcept {
  {
    const std::lock_guard lock(ring_mutex_);
    if (epoch < first_.load(std::memory_order_relaxed)) return false;
    ring_[Wrap(epoch)].followers.Push(&action);
  }
  AtTestPoint();
  action.Publish(*this, epoch);  // the action may be gone afterwards
  AtTestPoint();
  if (Seen(epoch)) device_.Retire();
  return true;
}

// Everything else that may fail or throw has happened before an action puts its work into the stream.
Status StreamQueue::PrepareSlot(uint64_t epoch) {
  // acquire: what retirement did with the slot is done.
  if (epoch - first_.load(std::memory_order_acquire) >= ring_.size()) GrowRing();
  DeviceEventRef& event = ring_[Wrap(epoch)].event;
  return event && event.unique() ? kOk : device_.events().Acquire(&event);
}

void StreamQueue::GrowRing() {
  HostVector<InFlight> larger(ring_.size() * 2);
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t epoch = first_.load(std::memory_order_relaxed); IsInRing(epoch); ++epoch) {
    larger[static_cast<size_t>(epoch) & (larger.size() - 1)] = std::move(ring_[Wrap(epoch)]);
  }
  ring_.swap(larger);
}

void StreamQueue::Push(StreamAction& action, uint64_t epoch) noexcept {
  InFlight& slot = ring_[Wrap(epoch)];
  // Tickets rise along the queue, and what the action depends on has its ticket already.
  slot.ticket = device_.NextTicket();
  slot.action = &action;
  slot.wanted = false;
  slot.joins = action.joins();
  if (slot.joins) last_join_.store(epoch, std::memory_order_relaxed);
  issued_.store(epoch, std::memory_order_release);
}

// With issue_mutex_, for the last epoch.
Status StreamQueue::Announce(uint64_t epoch) {
  NativeApi& api = device_.api();
  if (mode_ == CompletionMode::kFast) {
    if (Status status = api.WriteValue(stream_, counters_.Address(index_), epoch); status != kOk) return status;
  } else {
    const NativeEvent event = ring_[Wrap(epoch)].event.native();  // stays there while the lock is held
    if (Status status = api.WaitEvent(companion_, event); status != kOk) return status;
    if (Status status = api.LaunchHostFunction(companion_, QueueDirectory::OnHostFunction, name_); status != kOk)
      return status;
  }
  announced_.store(epoch, std::memory_order_release);
  return kOk;
}

// The work of a submission is in the stream, but what marks or counts its end is not. So it is waited for here, with
// issue_mutex_ held: before its end is known neither its memory may be given back nor may others be told of it.
Status StreamQueue::AwaitUnmarked(uint64_t epoch) {
  const Status status = TryTwice([&] { return device_.api().SynchronizeStream(stream_); });
  if (status != kOk) return status;
  // In place of the host function. That an earlier epoch may seem to be counted by it does no harm: it is done as well.
  if (mode_ == CompletionMode::kPortable) counters_.Counter(index_).fetch_add(1, std::memory_order_seq_cst);
  RaiseSeen(epoch);
  return kOk;
}

// Host functions of one stream run in order, one for each epoch.
void StreamQueue::OnCounted() noexcept {
  counters_.Counter(index_).fetch_add(1, std::memory_order_seq_cst);
  AtTestPoint();
  thread_.Request();
}

void StreamQueue::RaiseSeen(uint64_t epoch) noexcept {
  // seq_cst also where nothing is to be raised: who looked at this first sees what was published before.
  uint64_t known = known_.load(std::memory_order_seq_cst);
  while (known < epoch && !known_.compare_exchange_weak(known, epoch, std::memory_order_seq_cst)) {
  }
}

// Of an epoch that is not announced, if it was not meanwhile.
bool StreamQueue::Ask(uint64_t epoch) noexcept {
  const MessageKeeper keeper;
  const NativeScope scope(device_.api());
  Status status = scope.status();
  if (status == kOk && shared_.load(std::memory_order_acquire)) return QueryEvent(epoch);
  if (status == kOk) {
    // Whoever has the lock is about to submit more.
    std::unique_lock lock(issue_mutex_, std::try_to_lock);
    if (lock && announced_.load(std::memory_order_relaxed) >= epoch) return Seen(epoch);
    if (!lock || issued_.load(std::memory_order_relaxed) != epoch) {
      if (lock) lock.unlock();  // a failure calls the application
      return QueryEvent(epoch);
    }
    status = TryTwice([&] { return Announce(epoch); });
  }
  if (status != kOk) device_.LoseForGood();
  return Seen(epoch);
}

bool StreamQueue::Query(uint64_t epoch) noexcept {
  if (Seen(epoch)) return true;
  const MessageKeeper keeper;
  const NativeScope scope(device_.api());
  if (scope.status() != kOk) device_.LoseForGood();
  return scope.status() != kOk || QueryEvent(epoch);
}

bool StreamQueue::QueryEvent(uint64_t epoch) noexcept {
  DeviceEventRef event;  // held, so that nobody records it again meanwhile
  if (!EventOf(epoch, &event)) return true;
  bool done = false;
  if (TryTwice([&] { return device_.api().QueryEvent(event.native(), &done); }) != kOk) {
    device_.LoseForGood();
  } else if (done) {
    RaiseSeen(epoch);
  }
  return Seen(epoch);
}

bool StreamQueue::EventOf(uint64_t epoch, DeviceEventRef* out_event) const {
  if (Seen(epoch)) return false;
  const std::lock_guard lock(ring_mutex_);
  if (!IsInRing(epoch)) return false;
  *out_event = ring_[Wrap(epoch)].event;
  return true;
}

Status StreamQueue::MakeWait(NativeStream stream, uint64_t epoch) {
  DeviceEventRef event;  // held, so that nobody records it again meanwhile
  return EventOf(epoch, &event) ? device_.api().WaitEvent(stream, event.native()) : kOk;
}

void StreamQueue::Arm(uint64_t epoch) noexcept {
  {
    const std::lock_guard lock(ring_mutex_);
    if (!IsInRing(epoch)) return;
    ring_[Wrap(epoch)].wanted = true;
  }
  AtTestPoint();
  thread_.Request();
}

void StreamQueue::Abandon() noexcept {
  abandoned_.store(true, std::memory_order_seq_cst);
  thread_.Request();
}

bool StreamQueue::FindOldest(uint64_t seen, Oldest* out) noexcept {
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t first = first_.load(std::memory_order_relaxed); first <= seen && IsInRing(first); ++first) {
    const InFlight& entry = ring_[Wrap(first)];
    Runnable* const next = first == taken_ ? entry.followers.head() : entry.action;
    if (next) {
      *out = {entry.ticket, static_cast<StreamAction*>(next)};
      return true;
    }
    first_.store(first + 1, std::memory_order_release);  // all of it is ended
  }
  return false;
}

void StreamQueue::TakeOldest() noexcept {
  const uint64_t first = first_.load(std::memory_order_relaxed);
  if (taken_ != first) {
    taken_ = first;
    return;
  }
  const std::lock_guard lock(ring_mutex_);
  ring_[Wrap(first)].followers.Pop();
}

bool StreamQueue::FindJoin(uint64_t epoch, uint64_t seen, uint64_t* out_epoch, const StreamAction** out_action) const {
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t e = std::max(epoch + 1, first_.load(std::memory_order_relaxed)); e <= seen && IsInRing(e); ++e) {
    const InFlight& entry = ring_[Wrap(e)];
    if (!entry.joins) continue;
    *out_epoch = e;
    *out_action = entry.action;
    return true;
  }
  return false;
}

bool StreamQueue::NextWanted(uint64_t after, uint64_t* epoch) const {
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t e = std::max(after + 1, first_.load(std::memory_order_relaxed)); IsInRing(e); ++e) {
    if (!ring_[Wrap(e)].wanted) continue;
    *epoch = e;
    return true;
  }
  return false;
}

CompletionService::Rest StreamQueue::Serve() noexcept {
  const Ref<hal_device_t> kept = device_.TryRetain();
  if (!kept) return Rest::kFinished;
  return ServeWith();  // the device may go with `kept`
}

// What is done at the beginning is retired now, or by its submitter, who has yet to publish it. Whatever else is wanted
// is waited for, also if it is done by now: nobody else may have noticed (tests/models/retirement.pml).
CompletionService::Rest StreamQueue::ServeWith() noexcept {
  const uint64_t seen = SeenEpoch();
  AtTestPoint();
  device_.Retire();
  AtTestPoint();
  uint64_t epoch = 0;
  if (mode_ == CompletionMode::kFast && !abandoned_.load() && NextWanted(seen, &epoch)) {
    return AwaitWanted(epoch) ? Rest::kNone : Rest::kBrief;
  }
  if (first_.load(std::memory_order_acquire) > issued_.load(std::memory_order_acquire)) return Rest::kLong;
  CheckProgress();
  return Rest::kShort;
}

bool StreamQueue::AwaitWanted(uint64_t epoch) noexcept {
  const uint64_t until = MonotonicNanoseconds() + (looked_for_ == epoch ? 0 : kLookTime);
  looked_for_ = epoch;
  bool seen = Look(epoch);
  while (!seen && MonotonicNanoseconds() < until) {
    Relax();
    seen = Look(epoch);
  }
  // Only its own event tells if a later one is announced, and if the device is lost.
  return seen || SleepUntilDone(epoch) || Query(epoch);
}

// On an event of its own, as one that can be slept on costs a microsecond more. It can only be recorded if nothing was
// submitted after the epoch. A second stream that waits for the epoch's event could do it at any time, but streams
// share the device's few channels, and it would hold up others'.
bool StreamQueue::SleepUntilDone(uint64_t epoch) noexcept {
  // An earlier one may become wanted meanwhile; what is recorded now may come after others' work.
  if (shared_.load(std::memory_order_acquire) || !Query(epoch - 1)) return false;
  device_.Retire();  // what was found just now: nobody else may look before this thread wakes again
  const MessageKeeper keeper;
  const NativeScope scope(device_.api());
  Status status = scope.status();
  if (status == kOk && !sleeper_) {
    status = Guard([this] { return device_.sleep_events().Acquire(&sleeper_); });
    if (status != kOk && status != HAL_STATUS_DEVICE_LOST) return false;
  }
  if (status == kOk) {
    const std::lock_guard lock(issue_mutex_);
    if (issued_.load(std::memory_order_relaxed) != epoch) return false;
    status = TryTwice([&] { return device_.api().RecordEvent(sleeper_.native(), stream_); });
  }
  if (status == kOk) status = TryTwice([&] { return device_.api().SynchronizeEvent(sleeper_.native()); });
  if (status != kOk) device_.LoseForGood();
  RaiseSeen(epoch);
  return true;
}

void StreamQueue::CheckProgress() noexcept {
  const uint64_t newest = issued_.load(std::memory_order_acquire);
  const uint64_t oldest = first_.load(std::memory_order_acquire);
  if (abandoned_.load() || oldest > newest || Seen(newest)) return;
  const MessageKeeper keeper;
  const NativeScope scope(device_.api());
  if (scope.status() != kOk) {
    device_.LoseForGood();
  } else if (QueryEvent(newest) || (!Seen(oldest) && QueryEvent(oldest))) {
    device_.Retire();
  }
}

}  // namespace halyard::stream
