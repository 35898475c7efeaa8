// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/vulkan_lane.h"

#include <bit>
#include <chrono>
#include <thread>

#include "submission/submission_device.h"
#include "submission/submission_queue.h"
#include "vulkan/queue/vulkan_action.h"

namespace halyard::vulkan {
namespace {

// How often the end of a submission is tried that lacks one, and how long a thread sleeps in between.
constexpr int kMostTries = 100;
constexpr std::chrono::milliseconds kPause(10);

}  // namespace

VulkanLane::VulkanLane(SubmissionDevice& device, VulkanContext& context, VulkanProbe& probe, NativeQueue& native)
    : device_(device), context_(context), probe_(probe), native_(native), timeline_(context) {}

// All but the last part are handed over at once.
Status VulkanLane::Run(std::span<const VkCommandBuffer> parts, NativeBatch* work, Handed* out_handed) {
  for (size_t i = 0; i < parts.size(); ++i) {
    work->Run(parts[i]);
    if (i + 1 == parts.size()) break;
    HAL_TRY(work->SubmitPart(context_, native_));
    *out_handed = Handed::kInFlight;
  }
  return kOk;
}

Status VulkanLane::Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) {
  const Status status = HandOver(batch, epoch, out_handed);
  if (status != kOk && *out_handed == Handed::kInFlight) {
    submitted_.store(epoch, std::memory_order_release);
    lacks_end_ = true;
  }
  return status;
}

// Waits that are reached are left out.
Status VulkanLane::HandOver(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) {
  NativeBatch work;
  for (uint64_t queues = batch[0]->predecessors(); queues != 0; queues &= queues - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(queues));
    const auto& lane = static_cast<const VulkanLane&>(device_.queue(index).lane());
    const uint64_t after = batch[0]->After(index);
    if (lane.Completed() < after) work.WaitFor(lane.timeline(), after);
  }
  for (SubmissionAction* const action : batch) {
    const auto& one = *static_cast<const VulkanAction*>(action);
    if (!one.fails()) HAL_TRY(Run(one.native_commands(), &work, out_handed));
    const VulkanAction::ExternalPoint& external = one.external();
    if (external.semaphore) HAL_TRY(work.SetExternal(context_, external.semaphore, external.value));
  }
  submitted_.store(epoch, std::memory_order_release);  // before the device can reach it
  const Status status = work.Submit(context_, native_, timeline_, epoch);
  if (status != kOk) {
    submitted_.store(epoch - 1, std::memory_order_release);
    return status;
  }
  for (SubmissionAction* const action : batch) static_cast<VulkanAction*>(action)->ExternalSubmitted();
  *out_handed = Handed::kInFlight;
  return kOk;
}

Status VulkanLane::ReadCounter() noexcept {
  uint64_t value = 0;
  HAL_TRY(timeline_.Read(&value));
  return TakeCounter(value);
}

Status VulkanLane::TakeCounter(uint64_t value) noexcept {
  HAL_TRY(CheckTimelineValue(value, submitted_.load(std::memory_order_acquire)));
  uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < value && !completed_.compare_exchange_weak(known, value, std::memory_order_seq_cst)) {
  }
  if (known < value) probe_.NoteMove();
  return kOk;
}

bool VulkanLane::Conclude(Status status, uint64_t epoch) noexcept {
  if (status == kOk) return Completed() >= epoch;
  Failure failure(status);
  if (failure.code() != HAL_STATUS_DEVICE_LOST) return false;
  GiveUp(failure.Take());
  return true;
}

// A loss is left to Query(), which the completion thread calls.
bool VulkanLane::Poll(uint64_t epoch, bool) noexcept {
  ReadCounter().Ignore();
  return Completed() >= epoch;
}

bool VulkanLane::Query(uint64_t epoch) noexcept { return Conclude(ReadCounter(), epoch); }

bool VulkanLane::Sleep(uint64_t epoch) noexcept { return Conclude(AwaitSlice(epoch, &progress_), epoch); }

void VulkanLane::Watch() noexcept { Conclude(probe_.Watch(Completed(), &progress_), 0); }

Status VulkanLane::AwaitSlice(uint64_t epoch, Progress* progress) noexcept {
  HAL_TRY(probe_.AwaitSlice(timeline_, epoch, progress));
  return TakeCounter(progress->value);
}

// The device works on what it was given, so an empty submission behind that tells its end. Without one the device is
// abandoned.
void VulkanLane::TellEnd() noexcept {
  const std::lock_guard lock(mutex());
  for (int tries = 0; lacks_end_ && tries < kMostTries; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(kPause);
    const Failure failure(NativeBatch().Submit(context_, native_, timeline_, submitted_.load()));
    lacks_end_ = failure && failure.code() != HAL_STATUS_DEVICE_LOST;
  }
  if (lacks_end_) context_.Abandon();
}

void VulkanLane::Drain() noexcept {
  if (timeline_.handle() == VK_NULL_HANDLE) return;
  TellEnd();
  const uint64_t last = submitted_.load(std::memory_order_acquire);
  Progress progress;
  while (Completed() < last && Succeeds(AwaitSlice(last, &progress))) {
  }
}

}  // namespace halyard::vulkan
