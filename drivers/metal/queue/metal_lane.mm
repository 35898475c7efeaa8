// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/queue/metal_lane.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "metal/native/metal_calls.h"
#include "metal/native/metal_errors.h"
#include "metal/native/metal_shader_log.h"
#include "metal/queue/metal_action.h"
#include "metal/recording/metal_recording_device.h"
#include "submission/submission_queue.h"

namespace halyard::metal {
namespace {

// Metal may count a command buffer for a moment after its handler.
constexpr uint32_t kSpareCommandBuffers = 8;

MetalLane& LaneOf(const SubmissionDevice& device, size_t index) {
  return static_cast<MetalLane&>(device.queue(index).lane());
}

}  // namespace

MetalLane::MetalLane(MetalRecordingDevice& device)
    : device_(device), staging_(device.memory()), fences_(device.native()) {}

MetalLane::~MetalLane() {
  const AutoreleaseScope scope;
  queue_ = {};
  event_ = {};
}

Status MetalLane::Open() {
  const AutoreleaseScope scope;
  if (!queue_) {
    HAL_TRY(NewLoggingQueue(device_.native(), device_.traits().log_states,
                            device_.options().in_flight + kSpareCommandBuffers, &queue_));
    device_.memory().residency().AddTo(queue_.get());
  }
  if (!event_) HAL_TRY(NewSharedEvent(device_.native(), &event_));
  early_.reserve(device_.options().in_flight + kSpareCommandBuffers);
  return kOk;
}

// Retirement takes it that what a completed submission comes after is completed too. A command buffer that failed has
// not waited for that: so the other lanes end first. Each releases its own event, once nothing is submitted to it any
// more.
void MetalLane::Drain() noexcept {
  EndOwn();
  for (uint32_t i = 0; i < device_.queue_count(); ++i) LaneOf(device_, i).AwaitEnd();
}

// A command buffer may also fail while this waits.
void MetalLane::EndOwn() noexcept {
  const AutoreleaseScope scope;
  std::unique_lock lock(state_mutex_);
  while (true) {
    if (failed_.load(std::memory_order_relaxed) && !std::exchange(event_released_, true)) {
      lock.unlock();
      SetSignaledValue(event_.get(), UINT64_MAX);
      lock.lock();
    }
    if (committed_ == 0) return;
    ended_.wait(lock);
  }
}

void MetalLane::AwaitEnd() noexcept {
  std::unique_lock lock(state_mutex_);
  ended_.wait(lock, [this] { return committed_ == 0; });
}

Status MetalLane::Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) {
  const AutoreleaseScope scope;
  auto& action = static_cast<MetalAction&>(*batch[0]);
  const id<MTLCommandBuffer> commands = [Id(queue_.get()) commandBufferWithUnretainedReferences];
  if (!commands) return FailNil("commandBufferWithUnretainedReferences");
  const auto native = ToNative<NativeCommandBuffer>(commands);
  HAL_TRY(EncodeWaits(native, action));
  staging_.Begin(epoch, Completed());
  if (!action.fails()) HAL_TRY(Encode(native, action));
  const NativeSharedEvent external = action.external_event();
  if (external && SignaledValue(external) < action.external_value()) {  // an event never goes back
    [commands encodeSignalEvent:Id(external) value:action.external_value()];
  }
  [commands encodeSignalEvent:Id(event_.get()) value:epoch];
  device_.memory().residency().Publish();
  Commit(native, action, epoch);
  *out_handed = Handed::kInFlight;
  return kOk;
}

// Events that are past their value are left out.
Status MetalLane::EncodeWaits(NativeCommandBuffer commands, const MetalAction& action) {
  for (uint64_t queues = action.predecessors(); queues != 0; queues &= queues - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(queues));
    const MetalLane& lane = LaneOf(device_, index);
    const uint64_t epoch = action.After(index);
    if (lane.Completed() >= epoch) continue;
    [Id(commands) encodeWaitForEvent:Id(lane.event()) value:epoch];
  }
  for (const MetalAction::ForeignEdge& edge : action.foreign()) {
    [Id(commands) encodeWaitForEvent:Id(edge.event) value:edge.epoch];
  }
  return kOk;
}

Status MetalLane::Encode(NativeCommandBuffer commands, MetalAction& action) {
  const MetalOptions& options = device_.options();
  MetalEncoding encoding(commands, {options.concurrent, !options.residency_set}, fences_, scratch_);
  HAL_TRY(action.Encode(encoding, staging_));
  return encoding.FinishManaged();
}

void MetalLane::Commit(NativeCommandBuffer commands, MetalAction& action, uint64_t epoch) {
  [Id(commands) addCompletedHandler:^(id<MTLCommandBuffer> ended) {
    OnEnded(ToNative<NativeCommandBuffer>(ended), epoch);
  }];
  {
    const std::lock_guard lock(state_mutex_);
    if (action.Begin(epoch)) times_[epoch] = {};
    ++committed_;  // its room is the command buffer's now
  }
  action.GiveUpRoom();
  [Id(commands) commit];
}

// On a thread of Metal. The action may be gone: a later submission that came after it tells of its end as well. The
// lane lives until this has left the mutex.
void MetalLane::OnEnded(NativeCommandBuffer native, uint64_t epoch) noexcept {
  const AutoreleaseScope scope;
  const id<MTLCommandBuffer> commands = Id(native);
  if ([commands status] == MTLCommandBufferStatusError) {
    const Failure failure(FailCall(HAL_STATUS_ABORTED, "a command buffer failed", [commands error]));
    const std::lock_guard lock(state_mutex_);
    if (epoch < failed_epoch_) failure_ = failure;
    failed_epoch_ = std::min(failed_epoch_, epoch);
  } else {
    NoteTimes(epoch, [commands GPUStartTime], [commands GPUEndTime]);
  }
  NoteEnd(epoch);
}

void MetalLane::NoteTimes(uint64_t epoch, double start, double end) noexcept {
  const std::lock_guard lock(state_mutex_);
  const auto found = times_.find(epoch);
  if (found != times_.end()) found->second = {start, end, true};
}

bool MetalLane::HasTimes(uint64_t epoch) noexcept {
  const std::lock_guard lock(state_mutex_);
  const auto found = times_.find(epoch);
  return found == times_.end() || found->second.told;
}

bool MetalLane::TakeTimes(uint64_t epoch, Times* out) noexcept {
  const std::lock_guard lock(state_mutex_);
  const auto found = times_.find(epoch);
  if (found == times_.end()) return false;
  *out = found->second;
  times_.erase(found);
  return out->told;
}

// Without the mutex nothing of the lane is touched, unless an action gets the room: that keeps the device alive.
void MetalLane::NoteEnd(uint64_t epoch) noexcept {
  MetalAction* next = nullptr;
  {
    const std::lock_guard lock(state_mutex_);
    RaiseCompleted(epoch);
    OnProgress();
    next = PassRoomOn();
    --committed_;
    ended_.notify_all();
  }
  if (next) device_.host_work().Enqueue(next);
}

// Epochs count in their order, so that a failure is that of the first command buffer that failed: Metal discards those
// behind it, and may tell of them first. What comes before never waits for what comes after. After a failure nothing
// counts as completed any more: what is in flight is given up once the lane is drained.
void MetalLane::RaiseCompleted(uint64_t epoch) noexcept {
  if (failed_.load(std::memory_order_relaxed)) return;
  early_.push_back(epoch);
  uint64_t completed = completed_.load(std::memory_order_relaxed);
  const auto find_next = [&] { return std::find(early_.begin(), early_.end(), completed + 1); };
  for (auto next = find_next(); next != early_.end(); next = find_next()) {
    if (*next == failed_epoch_) {
      failed_.store(true, std::memory_order_release);
      break;
    }
    early_.erase(next);
    ++completed;
  }
  completed_.store(completed, std::memory_order_seq_cst);
}

bool MetalLane::Query(uint64_t epoch) noexcept {
  if (failed_.load(std::memory_order_acquire)) {
    Failure failure;
    {
      const std::lock_guard lock(state_mutex_);
      failure = failure_;
    }
    GiveUp(failure.Share());
    return true;
  }
  return Completed() >= epoch;
}

// A command buffer signals the event last, and Metal calls its handler later.
bool MetalLane::IsEnding(uint64_t epoch) noexcept { return SignaledValue(event_.get()) >= epoch; }

bool MetalLane::TakeRoom(MetalAction& action) noexcept {
  const std::lock_guard lock(state_mutex_);
  if (room_taken_ < device_.options().in_flight && waiting_.empty()) {
    ++room_taken_;
    return true;
  }
  waiting_.Push(&action);
  return false;
}

// To the next in line, which is to be run; NULL if there is none.
MetalAction* MetalLane::PassRoomOn() noexcept {
  if (waiting_.empty()) {
    --room_taken_;
    return nullptr;
  }
  auto* const next = static_cast<MetalAction*>(waiting_.Pop());
  next->HasRoom();
  return next;
}

void MetalLane::ReturnRoom() noexcept {
  MetalAction* next = nullptr;
  {
    const std::lock_guard lock(state_mutex_);
    next = PassRoomOn();
  }
  if (next) device_.host_work().Enqueue(next);
}

void MetalLane::ReleaseWaiting() noexcept {
  while (true) {
    MetalAction* next = nullptr;
    {
      const std::lock_guard lock(state_mutex_);
      if (waiting_.empty()) return;
      ++room_taken_;
      next = PassRoomOn();
    }
    device_.host_work().Enqueue(next);
  }
}

}  // namespace halyard::metal
