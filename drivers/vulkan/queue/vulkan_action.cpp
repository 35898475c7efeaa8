// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/vulkan_action.h"

#include <algorithm>
#include <bit>

#include "driver_kit/device/binding_table.h"
#include "driver_kit/queue/operation.h"
#include "submission/submission_queue.h"
#include "vulkan/queue/vulkan_lane.h"
#include "vulkan/queue/vulkan_queue_device.h"
#include "vulkan/recording/vulkan_command_buffer.h"
#include "vulkan/recording/vulkan_commands.h"
#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {

VulkanQueueDevice& VulkanAction::vulkan_device() const { return static_cast<VulkanQueueDevice&>(device()); }

std::span<const VkCommandBuffer> VulkanAction::native_commands() const {
  return recording_ ? recording_->parts() : std::span<const VkCommandBuffer>();
}

BlockBuffer& VulkanAction::block_buffer() const { return *static_cast<VulkanBuffer*>(buffer()); }

std::string_view VulkanAction::Name() const { return sets_external_ ? "export_timeline" : SubmissionAction::Name(); }

Status VulkanAction::SubmitStage(SubmissionQueue& queue) {
  HAL_TRY(SubmitMemory());
  if (!fails()) HAL_TRY(vulkan_device().Checked(Record()));
  return vulkan_device().Checked(queue.Submit(*this));
}

Timing VulkanAction::WantedTiming() const {
  if (!profiled()) return Timing::kNothing;
  return device().profiling().WantsDispatches() ? Timing::kDispatches : Timing::kWhole;
}

// Recorded now, it costs its submitter what it would cost the thread that signals last. Not while profiling, which may
// end.
void VulkanAction::PrepareCommand() noexcept {
  ahead_ = {};
  if (type() != HAL_QUEUE_OPERATION_TYPE_COMMAND) return;
  if (!profiled() && HasAllMemory(command())) RecordAhead();
  if (!recording_ && !ahead_ && command().type == HAL_COMMAND_TYPE_DISPATCH) PreparePipeline(command().u.dispatch);
}

void VulkanAction::RecordAhead() noexcept {
  const Status status = Guard([&] {
    HAL_TRY(vulkan_device().recordings().AcquireAhead(&recording_));
    return recording_ ? RecordAlone(vulkan_device(), command(), Timing::kNothing, *recording_) : kOk;
  });
  if (status == kOk) return;
  ahead_ = Failure(vulkan_device().Checked(status));
  ReturnRecording();
}

void VulkanAction::ReturnRecording() noexcept {
  if (recording_) recording_->Return();
  recording_ = nullptr;
}

Status VulkanAction::Record() {
  if (sets_external_ || recording_) return kOk;
  if (ahead_) return ahead_.Share();
  return Visit(type(), Overloaded{
                           [](operations::Barrier) { return kOk; },
                           [&](operations::Command) -> Status {
                             HAL_TRY(vulkan_device().recordings().Acquire(&recording_));
                             return RecordAlone(vulkan_device(), command(), WantedTiming(), *recording_);
                           },
                           [&](operations::Execute) {
                             auto& recorded = *static_cast<VulkanCommandBuffer*>(command_buffer());
                             return recorded.Acquire({commands(), table(), numbers()}, WantedTiming(), &recording_);
                           },
                           [](operations::Memory) { return kOk; },
                           [](operations::OfHost) { return kOk; },
                       });
}

bool VulkanAction::checks_stage() const { return recording_ && recording_->checks_counts(); }

Status VulkanAction::CheckStage() { return recording_ ? recording_->CheckCounts() : kOk; }

// What was handed over has ended, or never was: then it has no times.
void VulkanAction::ReportTimes(uint64_t* start, uint64_t* end) noexcept {
  if (!recording_ || fails() || device().health().lost()) return;
  Guard([&] {
    recording_->times().Report(vulkan_device().clock(), device().profiling(), MakeRecord(), start, end);
    return kOk;
  }).Ignore();
}

// The host knows when an operation was handed over, and not when the device began. That was no earlier than what it
// comes after had ended.
void VulkanAction::OrderTimes(uint64_t* start, uint64_t end) const noexcept {
  const auto lane = [&](size_t queue) -> VulkanLane& {
    return static_cast<VulkanLane&>(vulkan_device().queue(queue).lane());
  };
  for (uint64_t queues = predecessors(); queues != 0; queues &= queues - 1) {
    *start = std::max(*start, std::min(lane(static_cast<size_t>(std::countr_zero(queues))).last_end(), end));
  }
  lane(queue_index()).NoteEnd(end);
}

// A lost device may still use what it was given, so its recordings serve no other execution.
void VulkanAction::EndWork(uint64_t* start, uint64_t* end) noexcept {
  if (profiled()) {
    ReportTimes(start, end);
    if (!vulkan_device().clock().works()) OrderTimes(start, *end);
  }
  if (!device().health().lost()) ReturnRecording();
  recording_ = nullptr;
  EndMemory();
}

const RecordedCommands* VulkanAction::recorded() const {
  return &static_cast<const VulkanCommandBuffer*>(command_buffer())->recorded();
}

Status VulkanAction::RunIo() {
  BufferRange range;
  HAL_TRY(Resolve(io().buffer, {}, &range));
  auto& memory = *static_cast<VulkanBuffer*>(range.buffer);
  if (!memory.block() && range.length > 0) return FailOutsideLife();
  const bool reads = type() == HAL_QUEUE_OPERATION_TYPE_READ;
  const auto transfer = [this](uint64_t skip, void* data, uint64_t length) { return TransferFile(skip, data, length); };
  return vulkan_device().file_io().Transfer(reads, memory, range.offset, range.length, transfer);
}

void VulkanAction::Recycle() noexcept {
  ReturnRecording();
  // One that failed was never submitted.
  if (external_.semaphore) vulkan_device().timelines().Settle(external_.semaphore, external_.value);
  external_ = {};
  sets_external_ = false;
  // The pool is the device's: it goes no earlier than the reference.
  const Ref<hal_device_t> kept = TakeDevice();
  static_cast<VulkanQueueDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::vulkan
