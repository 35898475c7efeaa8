// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_queue.h"

#include <algorithm>

#include "common/vtable.h"
#include "stream/stream_action.h"
#include "stream/stream_device.h"

namespace halyard::stream {
namespace {

// How often who submits looks at what is done, in submissions. What is retired here is still in this processor's cache,
// and few actions and events go round; leaving it all to the completion thread costs a third more a submission.
constexpr uint64_t kRetireStride = 8;

}  // namespace

Status StreamQueue::Open() {
  NativeApi& api = device_.api();
  if (Status status = api.CreateStream(&stream_); status != kOk) return status;
  if (mode_ == CompletionMode::kPortable) {
    if (Status status = api.CreateStream(&companion_); status != kOk) return status;
  }
  ring_.resize(64);
  thread_.Start(*this);
  return kOk;
}

void StreamQueue::Close() noexcept {
  const MessageKeeper keeper;
  NativeApi& api = device_.api();
  // An event is done before what counts its epoch is: the last write to the counters, or the last host function, which
  // uses this object, may still be under way.
  for (NativeStream stream : {stream_, companion_}) {
    if (stream) static_cast<void>(api.SynchronizeStream(stream));
  }
  thread_.Stop();
  if (companion_) api.DestroyStream(companion_);
  if (stream_) api.DestroyStream(stream_);
}

Status StreamQueue::Submit(StreamAction& action) {
  NativeApi& api = device_.api();
  DeviceEventRef event;
  if (Status status = device_.events().Acquire(&event); status != kOk) return status;
  // Outside the lock: that others' work in this stream waits as well does no harm.
  if (Status status = action.JoinOtherQueues(*this); status != kOk) return status;
  uint64_t epoch = 0;
  Status status = kOk;
  {
    const std::lock_guard lock(issue_mutex_);
    GrowRing();
    if (Status result = action.Enqueue(stream_); result != kOk) {
      if (result == HAL_STATUS_DEVICE_LOST || !action.has_enqueued()) return result;
      action.KeepFailure(result);
    }
    epoch = issued_.load(std::memory_order_relaxed) + 1;
    status = api.RecordEvent(event.native(), stream_);
    Push(action, event, epoch);
    if (status == kOk) status = CountEpoch(event.native(), epoch);
  }
  // Work whose end cannot be told is as bad as a device that is gone.
  if (status != kOk) device_.LoseForGood();
  thread_.Notice();
  action.Publish(*this, epoch);  // the action may be gone afterwards
  if (Seen(epoch) || epoch % kRetireStride == 0) device_.Retire();
  return kOk;
}

// Everything else that may throw has happened before an action puts its work into the stream.
void StreamQueue::GrowRing() {
  const std::lock_guard lock(ring_mutex_);
  if (end_ - first_ < ring_.size()) return;
  HostVector<InFlight> larger(ring_.size() * 2);
  for (uint64_t epoch = first_; epoch < end_; ++epoch) {
    larger[static_cast<size_t>(epoch) & (larger.size() - 1)] = std::move(ring_[Wrap(epoch)]);
  }
  ring_.swap(larger);
}

void StreamQueue::Push(StreamAction& action, const DeviceEventRef& event, uint64_t epoch) {
  const std::lock_guard lock(ring_mutex_);
  // Taken under the lock, so that tickets rise along the queue; what the action depends on has its ticket already.
  ring_[Wrap(epoch)] = {device_.NextTicket(), &action, event, /*wanted=*/false, action.joins()};
  end_ = epoch + 1;
  issued_.store(epoch, std::memory_order_release);
}

Status StreamQueue::CountEpoch(NativeEvent event, uint64_t epoch) {
  NativeApi& api = device_.api();
  if (mode_ == CompletionMode::kFast) return api.WriteValue(stream_, counters_.Address(index_), epoch);
  if (Status status = api.WaitEvent(companion_, event); status != kOk) return status;
  return api.LaunchHostFunction(companion_, OnHostFunction, this);
}

// Host functions of one stream run in order, one for each epoch.
void StreamQueue::OnHostFunction(void* user_data) {
  auto* const queue = static_cast<StreamQueue*>(user_data);
  queue->counters_.Counter(queue->index_).fetch_add(1, std::memory_order_seq_cst);
  queue->thread_.Request();
}

void StreamQueue::RaiseSeen(uint64_t epoch) noexcept {
  uint64_t known = known_.load(std::memory_order_relaxed);
  while (known < epoch && !known_.compare_exchange_weak(known, epoch, std::memory_order_acq_rel)) {
  }
}

Status StreamQueue::MakeWait(NativeStream stream, uint64_t epoch) {
  if (Seen(epoch)) return kOk;
  DeviceEventRef event;  // held, so that nobody records it again meanwhile
  {
    const std::lock_guard lock(ring_mutex_);
    if (epoch < first_) return kOk;
    event = ring_[Wrap(epoch)].event;
  }
  return device_.api().WaitEvent(stream, event.native());
}

void StreamQueue::Arm(uint64_t epoch) noexcept {
  {
    const std::lock_guard lock(ring_mutex_);
    if (epoch < first_ || epoch >= end_) return;
    ring_[Wrap(epoch)].wanted = true;
  }
  thread_.Request();
}

void StreamQueue::Abandon() noexcept {
  abandoned_.store(true, std::memory_order_seq_cst);
  thread_.Request();
}

bool StreamQueue::Front(uint64_t* epoch, InFlight* out) const {
  const std::lock_guard lock(ring_mutex_);
  if (first_ == end_) return false;
  *epoch = first_;
  *out = ring_[Wrap(first_)];
  return true;
}

InFlight StreamQueue::At(uint64_t epoch) const {
  const std::lock_guard lock(ring_mutex_);
  return ring_[Wrap(epoch)];
}

void StreamQueue::PopFront() noexcept {
  DeviceEventRef event;  // let go of outside the lock
  const std::lock_guard lock(ring_mutex_);
  event = std::move(ring_[Wrap(first_)].event);
  ring_[Wrap(first_)] = {};
  ++first_;
}

bool StreamQueue::NextWanted(uint64_t* epoch, DeviceEventRef* event) const {
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t e = first_; e < end_; ++e) {
    const InFlight& entry = ring_[Wrap(e)];
    if (!entry.wanted) continue;
    *epoch = e;
    *event = entry.event;
    return true;
  }
  return false;
}

CompletionService::Rest StreamQueue::Serve() noexcept {
  const Ref<hal_device_t> kept = device_.TryRetain();
  if (!kept) return Rest::kFinished;
  return ServeWith();  // the device may go with `kept`
}

CompletionService::Rest StreamQueue::ServeWith() noexcept {
  device_.Retire();
  uint64_t epoch = 0;
  DeviceEventRef event;
  if (mode_ == CompletionMode::kFast && !abandoned_.load() && NextWanted(&epoch, &event) && !Seen(epoch)) {
    const NativeScope scope(device_.api());
    Status status = scope.status();
    if (status == kOk) status = device_.api().SynchronizeEvent(event.native());
    if (status != kOk) device_.LoseForGood();
    RaiseSeen(epoch);
    return Rest::kNone;
  }
  InFlight front;
  if (!Front(&epoch, &front)) return Rest::kLong;
  CheckProgress();
  return Rest::kShort;
}

void StreamQueue::CheckProgress() noexcept {
  uint64_t epoch = 0;
  InFlight front;
  if (abandoned_.load() || !Front(&epoch, &front) || Seen(epoch)) return;
  const NativeScope scope(device_.api());
  bool done = false;
  Status status = scope.status();
  if (status == kOk) status = device_.api().QueryEvent(front.event.native(), &done);
  if (status != kOk) {
    device_.LoseForGood();
  } else if (done) {
    RaiseSeen(epoch);
    device_.Retire();
  }
}

}  // namespace halyard::stream
