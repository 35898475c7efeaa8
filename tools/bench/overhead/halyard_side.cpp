// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard_side.h"

#include <algorithm>
#include <string>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "support/program/timeline.h"

namespace halyard::tools {
namespace {

constexpr uint64_t kChecked = uint64_t{1} << 20;  // bytes at the end of a transfer
constexpr uint64_t kMostTransferOffset = 16;      // the same

DeviceOptions WithQueues(DeviceOptions options) {
  options.plugins.clear();  // they were loaded for the first device
  if (options.device.find("queues=") != std::string::npos) return options;
  const char separator = options.device.find('?') == std::string::npos ? '?' : '&';
  options.device += Concat(separator, "queues=", Counterpart::kStreams);
  return options;
}

/// What a copy's source ends with, and so its target: of rows, the last one. No two neighbours are alike.
std::vector<uint8_t> LastBytes(const RecordedTransfer& transfer) {
  const uint64_t whole = transfer.row > 0 ? transfer.row : transfer.length;
  std::vector<uint8_t> bytes(std::min(whole, kChecked));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = transfer.kind == RecordedTransfer::Kind::kFill ? uint8_t{1} : static_cast<uint8_t>(i * 7 + i / 256);
  }
  return bytes;
}

hal_semaphore_list_t Nothing() { return hal_semaphore_list(nullptr, 0); }

}  // namespace

HalyardSide::HalyardSide(const DeviceOptions& options)
    : device_(OpenDevice(WithQueues(options))),
      kernels_(device_.get(), ""),
      empty_(kernels_.Export("empty")),
      timeline_(kernels_.MakeSemaphore()) {}

void HalyardSide::RenewTimeline() {
  timeline_ = kernels_.MakeSemaphore();
  value_ = 0;
}

uint64_t HalyardSide::DispatchOn(uint32_t queue, hal_semaphore_t* timeline, uint64_t after) const {
  const hal_timeline_point_t wait = {timeline, after};
  const hal_timeline_point_t signal = {timeline, after + 1};
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  Must(hal_device_queue_dispatch(device_.get(),
                                 hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1),
                                                   hal_queue_mask_t{1} << queue),
                                 kernels_.Kernels(), empty_, &params),
       "dispatch");
  return after + 1;
}

void HalyardSide::Dispatch(hal_executable_t* executable, const hal_dispatch_params_t& params) {
  const hal_timeline_point_t wait = {timeline_.get(), value_};
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  Must(hal_device_queue_dispatch(device_.get(),
                                 hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1), 1),
                                 executable, 0, &params),
       "dispatch");
}

void HalyardSide::DispatchBehind(hal_semaphore_t* gate, uint64_t value) {
  const hal_timeline_point_t wait = {gate, value};
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  Must(hal_device_queue_dispatch(device_.get(),
                                 hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1), 1),
                                 kernels_.Kernels(), empty_, &params),
       "dispatch");
}

CommandBuffer HalyardSide::RecordOnce(int dispatches) const {
  return RecordOnce(dispatches, empty_, HAL_DISPATCH_PARAMS_INIT, false);
}

CommandBuffer HalyardSide::RecordSumsOnce(int dispatches, const Buffer& sums) const {
  const hal_buffer_ref_t binding = hal_buffer_ref(sums.get(), 0, HAL_WHOLE_SIZE);
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.bindings = hal_buffer_ref_list(&binding, 1);
  return RecordOnce(dispatches, kernels_.Export("add_one"), dispatch, true);
}

CommandBuffer HalyardSide::RecordOnce(int dispatches, uint32_t ordinal, const hal_dispatch_params_t& dispatch,
                                      bool chained) const {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = HAL_COMMAND_BUFFER_ONE_SHOT;
  CommandBuffer commands = kernels_.BeginRecording(params);
  for (int i = 0; i < dispatches; ++i) {
    if (chained && i > 0) Must(hal_command_buffer_barrier(commands.get()), "record a barrier");
    Must(hal_command_buffer_dispatch(commands.get(), kernels_.Kernels(), ordinal, &dispatch), "record a dispatch");
  }
  Must(hal_command_buffer_end(commands.get()), "end a command buffer");
  return commands;
}

Buffer HalyardSide::MakeCounts() {
  const uint32_t one = 1;
  Buffer counts = kernels_.Allocate(sizeof(hal_dim3_t));
  const hal_timeline_point_t wait = {timeline_.get(), value_};
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  Must(hal_device_queue_fill(device_.get(),
                             hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1), 1),
                             hal_buffer_ref(counts.get(), 0, HAL_WHOLE_SIZE), &one, sizeof(one)),
       "write workgroup counts");
  return counts;
}

CommandBuffer HalyardSide::RecordIndirect(int dispatches, const Buffer& counts) const {
  CommandBuffer commands = kernels_.BeginRecording();
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.flags = HAL_DISPATCH_INDIRECT;
  dispatch.indirect = hal_buffer_ref(counts.get(), 0, HAL_WHOLE_SIZE);
  for (int i = 0; i < dispatches; ++i) {
    if (i > 0) Must(hal_command_buffer_barrier(commands.get()), "record a barrier");
    Must(hal_command_buffer_dispatch(commands.get(), kernels_.Kernels(), empty_, &dispatch), "record a dispatch");
  }
  Must(hal_command_buffer_end(commands.get()), "end a command buffer");
  return commands;
}

void HalyardSide::Execute(hal_command_buffer_t* commands) {
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  Must(hal_device_queue_execute(device_.get(), hal::SubmitParams(Nothing(), hal_semaphore_list(&signal, 1), 1),
                                commands, hal_buffer_ref_list(nullptr, 0)),
       "execute a command buffer");
}

void HalyardSide::AllocateAndFree(uint64_t length, int count) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  for (int i = 0; i < count; ++i, value_ += 2) {
    const hal_timeline_point_t before = {timeline_.get(), value_};
    const hal_timeline_point_t between = {timeline_.get(), value_ + 1};
    const hal_timeline_point_t after = {timeline_.get(), value_ + 2};
    hal_buffer_t* made = nullptr;
    Must(hal_device_queue_alloca(device_.get(),
                                 hal::SubmitParams(hal_semaphore_list(&before, 1), hal_semaphore_list(&between, 1), 1),
                                 &params, length, &made),
         "allocate");
    const Buffer buffer(made);
    Must(hal_device_queue_dealloca(device_.get(),
                                   hal::SubmitParams(hal_semaphore_list(&between, 1), hal_semaphore_list(&after, 1), 1),
                                   buffer.get()),
         "free");
  }
}

void HalyardSide::Upload(const void* data, const Buffer& target) {
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  Must(hal_device_queue_upload(device_.get(), hal::SubmitParams(Nothing(), hal_semaphore_list(&signal, 1), 1), data,
                               hal_buffer_ref(target.get(), 0, HAL_WHOLE_SIZE)),
       "upload");
}

void HalyardSide::Download(const Buffer& source, void* data) {
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  Must(hal_device_queue_download(device_.get(), hal::SubmitParams(Nothing(), hal_semaphore_list(&signal, 1), 1),
                                 hal_buffer_ref(source.get(), 0, HAL_WHOLE_SIZE), data),
       "download");
}

void HalyardSide::Poll() const {
  uint64_t value = 0;
  while (value < value_) Must(hal_semaphore_query(timeline_.get(), &value), "wait");
}

void HalyardSide::Sleep() const {
  const hal_timeline_point_t point = {timeline_.get(), value_};
  Must(hal_semaphore_list_wait(hal_semaphore_list(&point, 1), HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE, nullptr), "wait");
}

Recording::Recording(const BenchDevice& device, const RecordedWork& work)
    : device_(device), timeline_(device.MakeSemaphore()) {
  const Buffer zeroes = device.Allocate(kBufferLength, HAL_BUFFER_PARAMS_STAGING_INIT);
  const std::vector<uint8_t> bytes(kBufferLength);
  Must(hal_buffer_write(zeroes.get(), 0, bytes.data(), bytes.size()), "write");
  for (Buffer& buffer : buffers_) {
    buffer = device.Allocate(kBufferLength);
    Copy(zeroes, 0, buffer, 0, kBufferLength);
  }
  Record(work);
}

Recording::Recording(const BenchDevice& device, const RecordedTransfer& transfer)
    : device_(device), timeline_(device.MakeSemaphore()) {
  for (size_t i = 0; i < 2; ++i) buffers_[i] = device.Allocate(transfer.length + kMostTransferOffset);
  const std::vector<uint8_t> bytes = LastBytes(transfer);
  const Buffer staging = device.Allocate(bytes.size(), HAL_BUFFER_PARAMS_STAGING_INIT);
  Must(hal_buffer_write(staging.get(), 0, bytes.data(), bytes.size()), "write");
  Copy(staging, 0, buffers_[0], transfer.source_offset + transfer.length - bytes.size(), bytes.size());
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 1;
  commands_ = device_.BeginRecording(params);
  Record(transfer);
  Must(hal_command_buffer_end(commands_.get()), "end a command buffer");
}

void Recording::Record(const RecordedTransfer& transfer) {
  const hal_buffer_ref_t source = hal_buffer_ref(buffers_[0].get(), transfer.source_offset, transfer.length);
  const hal_buffer_ref_t target = hal_buffer_ref(buffers_[1].get(), transfer.target_offset, transfer.length);
  const uint8_t one = 1;
  switch (transfer.kind) {
    case RecordedTransfer::Kind::kFill:
      Must(hal_command_buffer_fill(commands_.get(), target, &one, sizeof(one)), "record a fill");
      return;
    case RecordedTransfer::Kind::kCopy:
      Must(hal_command_buffer_copy(commands_.get(), source, target), "record a copy");
      return;
    case RecordedTransfer::Kind::kRows:
      RecordRows(transfer);
      return;
  }
}

void Recording::RecordRows(const RecordedTransfer& transfer) {
  hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
  rows.source = hal_buffer_ref(buffers_[0].get(), 0, HAL_WHOLE_SIZE);
  rows.target = hal_buffer_ref(buffers_[1].get(), 0, HAL_WHOLE_SIZE);
  rows.width = transfer.row;
  rows.height = transfer.rows();
  rows.source_row_pitch = 2 * transfer.row;
  rows.target_row_pitch = 2 * transfer.row;
  Must(hal_command_buffer_copy_strided(commands_.get(), &rows), "record a strided copy");
}

void Recording::Record(const RecordedWork& work) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = work.tracked ? HAL_COMMAND_BUFFER_TRACK_HAZARDS : 0;
  params.binding_capacity = 1;
  commands_ = device_.BeginRecording(params);
  const uint32_t ordinal = device_.Export(work.kernel);
  hal_buffer_ref_t slot = hal_slot_ref(0, 0, work.lane_length());
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.bindings = hal_buffer_ref_list(&slot, work.has_buffer ? 1 : 0);
  dispatch.constants = work.steps ? &*work.steps : nullptr;
  dispatch.constants_size = work.steps ? sizeof(*work.steps) : 0;
  for (int i = 0; i < work.dispatches; ++i) {
    if (work.chained && !work.tracked && i > 0 && work.lane(i) == 0) {
      Must(hal_command_buffer_barrier(commands_.get()), "record a barrier");
    }
    slot.offset = static_cast<uint64_t>(work.lane(i)) * work.lane_length();
    Must(hal_command_buffer_dispatch(commands_.get(), device_.Kernels(), ordinal, &dispatch), "record a dispatch");
  }
  Must(hal_command_buffer_end(commands_.get()), "end a command buffer");
}

void Recording::Launch(uint32_t queue) {
  const hal_timeline_point_t signal = {timeline_.get(), ++value_};
  const hal_buffer_ref_t table = hal_buffer_ref(buffers_[0].get(), 0, HAL_WHOLE_SIZE);
  const hal_queue_mask_t queues = hal_queue_mask_t{1} << queue;
  Must(hal_device_queue_execute(device_.get(), hal::SubmitParams(Nothing(), hal_semaphore_list(&signal, 1), queues),
                                commands_.get(), hal_buffer_ref_list(&table, 1)),
       "execute a command buffer");
}

void Recording::Copy(const Buffer& source, uint64_t source_offset, const Buffer& target, uint64_t target_offset,
                     uint64_t length) const {
  Timeline timeline(device_.get());
  timeline.Submit("copy", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_copy(device_.get(), hal::SubmitParams(waits, signals, 1),
                                 hal_buffer_ref(source.get(), source_offset, length),
                                 hal_buffer_ref(target.get(), target_offset, length));
  });
  timeline.Wait("copy");
}

void Recording::CheckCounts(const RecordedWork& work) const {
  std::vector<uint32_t> counts(work.threads);
  const uint64_t length = counts.size() * sizeof(uint32_t);
  const Buffer staging = device_.Allocate(length, HAL_BUFFER_PARAMS_STAGING_INIT);
  Copy(buffers_[0], 0, staging, 0, length);
  Must(hal_buffer_read(staging.get(), 0, counts.data(), length), "read");
  const auto expected = static_cast<uint32_t>(value_ * static_cast<uint64_t>(work.dispatches));
  for (uint32_t count : counts) {
    if (count != expected) Fail(ExitCode::kRun, "Halyard's kernels counted ", count, " dispatches of ", expected);
  }
}

void Recording::CheckArrived(const RecordedTransfer& transfer) const {
  const std::vector<uint8_t> expected = LastBytes(transfer);
  const uint64_t length = expected.size();
  std::vector<uint8_t> found(length);
  const Buffer staging = device_.Allocate(length, HAL_BUFFER_PARAMS_STAGING_INIT);
  Copy(buffers_[1], transfer.target_offset + transfer.length - length, staging, 0, length);
  Must(hal_buffer_read(staging.get(), 0, found.data(), length), "read");
  if (found != expected) Fail(ExitCode::kRun, "the target of Halyard's transfer has other bytes than it should");
}

void Recording::Sleep() const { Await(HAL_WAIT_ALL); }

void Recording::Await(hal_wait_flags_t flags) const {
  const hal_timeline_point_t point = {timeline_.get(), value_};
  Must(hal_semaphore_list_wait(hal_semaphore_list(&point, 1), flags, HAL_TIMEOUT_INFINITE, nullptr), "wait");
}

void Recording::Wait() const {
  uint64_t value = 0;
  while (value < value_) Must(hal_semaphore_query(timeline_.get(), &value), "wait");
}

}  // namespace halyard::tools
