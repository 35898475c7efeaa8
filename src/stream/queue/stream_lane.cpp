// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/queue/stream_lane.h"

#include <utility>

#include "base/process_wide.h"
#include "driver_kit/object/vtable.h"
#include "stream/queue/stream_action.h"
#include "submission/submission_queue.h"
#include "submission/test_points.h"

namespace halyard::stream {
namespace {

// In fast mode the stream writes at least one completion value in so many submissions.
constexpr uint64_t kWriteStride = 8;

// Of the LaneDirectory. Outlives it, because a host function may come while hal_shutdown() destroys the directory.
// Held while a lane counts, with the completion thread's bell under it.
constinit ForkSafeMutex g_directory_mutex;
constinit uintptr_t g_last_name = 0;  // protected by it, and never used twice, whatever directory there is

}  // namespace

/// Lanes in portable mode, by names that are never used twice. Host functions find their lane here: once a device is
/// lost nothing tells when the last of them has run, so one may run when its lane is gone.
class LaneDirectory : public HostObject {
 public:
  /// Waits for a host function that has found it.
  ~LaneDirectory() { const std::lock_guard lock(g_directory_mutex); }
  void* Add(StreamLane* lane) {
    const std::lock_guard lock(g_directory_mutex);
    void* const name = reinterpret_cast<void*>(++g_last_name);
    lanes_.emplace(name, lane);
    return name;
  }
  /// No host function is at work on the lane any more, or ever will be.
  void Remove(void* name) noexcept {
    decltype(lanes_)::node_type removed;  // freed without the lock: validation takes its own when memory is freed
    const std::lock_guard lock(g_directory_mutex);
    removed = lanes_.extract(name);
  }
  static void OnHostFunction(void* name) {
    const std::lock_guard lock(g_directory_mutex);
    auto* const directory = ProcessWide<LaneDirectory>::Find();
    if (!directory) return;
    const auto found = directory->lanes_.find(name);
    if (found != directory->lanes_.end()) found->second->OnCounted();
  }

 private:
  HostMap<void*, StreamLane*> lanes_;  // protected by g_directory_mutex
};

Status StreamLane::Open() {
  NativeApi& api = context_.api();
  if (!stream_) {
    HAL_TRY(api.CreateStream(&stream_));
    context_.set_stream(index_, stream_);
  }
  if (mode_ == CompletionMode::kPortable) {
    if (!companion_) HAL_TRY(api.CreateStream(&companion_));
    if (!name_) name_ = ProcessWide<LaneDirectory>::Get().Add(this);
  }
  events_.resize(64);
  return kOk;
}

void StreamLane::Drain() noexcept {
  NativeApi& api = context_.api();
  const NativeScope scope(api);
  // An event is completed before what counts its epoch: the last write to the counters, or the last host function, may
  // still be under way.
  for (NativeStream stream : {stream_, companion_}) {
    if (stream && scope.entered()) TryTwice([&] { return api.SynchronizeStream(stream); }).Ignore();
  }
  if (name_) ProcessWide<LaneDirectory>::Get().Remove(std::exchange(name_, nullptr));
}

StreamLane::~StreamLane() {
  NativeApi& api = context_.api();
  if (companion_) api.DestroyStream(companion_);
  if (stream_) api.DestroyStream(stream_);
}

Status StreamLane::Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) {
  const KeptGraphs::Submitter submitter(context_.kept_graphs());
  HAL_TRY(PrepareEvent(epoch));
  kept_.BeginSubmission(epoch);
  HAL_TRY(EnqueueWork(static_cast<StreamAction&>(*batch[0]), submitter.min_nodes(), out_handed));
  Status status = MarkEnd(epoch);
  newest_.store(epoch, std::memory_order_release);
  const uint64_t stride = mode_ == CompletionMode::kFast ? kWriteStride : 1;
  if (status == kOk && epoch - written_.load(std::memory_order_relaxed) >= stride) status = WriteCompletion(epoch);
  if (status == kOk || status.code() == HAL_STATUS_DEVICE_LOST) return status;
  status.Ignore();
  return AwaitUnmarked(out_handed);
}

// Everything else that may fail or throw has happened before an action puts its work into the stream. An event whose
// epoch is completed may be used again, unless another holder keeps it.
Status StreamLane::PrepareEvent(uint64_t epoch) {
  if (epoch > events_.size() && !queue().IsCompleted(epoch - events_.size())) {
    HostVector<DeviceEventRef> larger(events_.size() * 2);
    const std::lock_guard lock(events_mutex_);
    for (uint64_t e = epoch - events_.size(); e < epoch; ++e) {
      larger[static_cast<size_t>(e) & (larger.size() - 1)] = std::move(events_[Wrap(e)]);
    }
    events_.swap(larger);
  }
  DeviceEventRef& event = events_[Wrap(epoch)];
  if (event && event.unique()) return kOk;
  DeviceEventRef fresh;
  HAL_TRY(context_.events().Acquire(&fresh));
  const std::lock_guard lock(events_mutex_);
  event = std::move(fresh);
  return kOk;
}

Status StreamLane::EnqueueWork(StreamAction& action, size_t min_nodes, Handed* out_handed) {
  if (Status status = action.Enqueue(stream_, kept_, min_nodes); status != kOk) {
    if (status.code() == HAL_STATUS_DEVICE_LOST || !action.has_enqueued()) return status;
    action.KeepFailure(status);
  }
  *out_handed = Handed::kInFlight;
  return kOk;
}

Status StreamLane::MarkEnd(uint64_t epoch) {
  const Status status = context_.api().RecordEvent(events_[Wrap(epoch)].native(), stream_);
  if (status != kOk && status.code() != HAL_STATUS_DEVICE_LOST) {
    // Before another thread can look at the event, which says nothing of this submission; AwaitUnmarked() tells how it
    // went.
    context_.api().SynchronizeStream(stream_).Ignore();
  }
  return status;
}

// With mutex(), for the last epoch.
Status StreamLane::WriteCompletion(uint64_t epoch) {
  NativeApi& api = context_.api();
  if (mode_ == CompletionMode::kFast) {
    HAL_TRY(api.WriteValue(stream_, counters_.Address(index_), epoch));
  } else {
    const NativeEvent event = events_[Wrap(epoch)].native();  // stays there while the lock is held
    HAL_TRY(api.WaitEvent(companion_, event));
    HAL_TRY(api.LaunchHostFunction(companion_, LaneDirectory::OnHostFunction, name_));
  }
  written_.store(epoch, std::memory_order_release);
  return kOk;
}

// The work of a submission is in the stream, but what marks or counts its end is not. So it is waited for here, with
// mutex() held: before its end is known, its memory must not be freed and no other thread may be told of it.
Status StreamLane::AwaitUnmarked(Handed* out_handed) {
  const Status status = TryTwice([&] { return context_.api().SynchronizeStream(stream_); });
  if (status != kOk) return status;
  // In place of the host function. That an earlier epoch may seem to be counted by it does no harm: it is completed.
  if (mode_ == CompletionMode::kPortable) counters_.Counter(index_).fetch_add(1, std::memory_order_seq_cst);
  *out_handed = Handed::kDone;
  return kOk;
}

// Host functions of one stream run in order, one for each epoch.
void StreamLane::OnCounted() noexcept {
  counters_.Counter(index_).fetch_add(1, std::memory_order_seq_cst);
  AtTestPoint();
  OnProgress();
}

bool StreamLane::Poll(uint64_t epoch, bool again) noexcept {
  if (written_.load(std::memory_order_acquire) < epoch && RequestCompletion(epoch)) return true;
  // Where a later epoch is written the counter may stand still for long.
  return !again && mode_ == CompletionMode::kFast && written_.load(std::memory_order_acquire) > epoch && Query(epoch);
}

// For an epoch that the stream does not tell of yet: has it written if it is the newest.
bool StreamLane::RequestCompletion(uint64_t epoch) noexcept {
  const NativeScope scope(context_.api());
  Status status = scope.status();
  if (status == kOk && shared_.load(std::memory_order_acquire)) return QueryEvent(epoch);
  if (status == kOk) {
    // A thread that holds the lock is about to submit more.
    std::unique_lock lock(mutex(), std::try_to_lock);
    // An epoch that was waited for, as its write failed, is completed and must not be written once more.
    if (lock && queue().IsCompleted(epoch)) return true;
    if (lock && written_.load(std::memory_order_relaxed) >= epoch) return false;
    if (!lock || newest_.load(std::memory_order_relaxed) != epoch) {
      if (lock) lock.unlock();  // a failure calls the application
      return QueryEvent(epoch);
    }
    status = TryTwice([&] { return WriteCompletion(epoch); });
  }
  if (status != kOk) GiveUp(status);
  return queue().IsCompleted(epoch);
}

bool StreamLane::Query(uint64_t epoch) noexcept {
  const NativeScope scope(context_.api());
  if (scope.entered()) return QueryEvent(epoch);
  GiveUp(scope.status());
  return queue().IsCompleted(epoch);
}

bool StreamLane::QueryEvent(uint64_t epoch) noexcept {
  DeviceEventRef event;  // held, so that it is not recorded again meanwhile
  if (!EventOf(epoch, &event)) return true;
  bool done = false;
  const Status status = TryTwice([&] { return context_.api().QueryEvent(event.native(), &done); });
  if (status != kOk) GiveUp(status);
  if (done) queue().RaiseCompleted(epoch);
  return queue().IsCompleted(epoch);
}

bool StreamLane::EventOf(uint64_t epoch, DeviceEventRef* out_event) const {
  if (queue().IsCompleted(epoch)) return false;
  {
    const std::lock_guard lock(events_mutex_);
    *out_event = events_[Wrap(epoch)];
  }
  // A later submission takes the event only if this one is completed.
  return !queue().IsCompleted(epoch);
}

Status StreamLane::MakeWait(NativeStream stream, uint64_t epoch) {
  DeviceEventRef event;  // held, so that it is not recorded again meanwhile
  return EventOf(epoch, &event) ? context_.api().WaitEvent(stream, event.native()) : kOk;
}

}  // namespace halyard::stream
