// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "performance/paths.h"

#include "halyard/cpp/submit.hpp"
#include "performance/require.h"

namespace halyard::performance {
namespace {

constexpr uint64_t kLength = 64;  // bytes of fills and copies, so that their work does not hide their cost

hal_status_t Barrier(Bench& bench) {
  return hal_device_queue_barrier(bench.place().device, hal::SubmitParams(bench.Reached(), bench.Next()));
}

/// Submitted before what it waits for, which then releases it.
hal_status_t DeferredBarrier(Bench& bench) {
  const allocations::Workplace& place = bench.place();
  uint64_t value = 0;
  hal_status_t status = hal_semaphore_query(place.wait, &value);
  const hal_timeline_point_t later = hal_timeline_point(place.wait, value + 1);
  if (status == HAL_STATUS_OK) {
    status = hal_device_queue_barrier(place.device, hal::SubmitParams({&later, 1}, bench.Next()));
  }
  return status == HAL_STATUS_OK ? hal_semaphore_signal(place.wait, value + 1) : status;
}

/// What a label costs: this less the barrier.
hal_status_t LabelledBarrier(Bench& bench) {
  hal_status_t status = hal_push_label(hal_string_view("decode/layer 7"));
  if (status == HAL_STATUS_OK) status = Barrier(bench);
  const hal_status_t popped = hal_pop_label();
  return status == HAL_STATUS_OK ? popped : status;
}

hal_status_t Fill(Bench& bench) {
  const uint32_t pattern = 7;
  return hal_device_queue_fill(bench.place().device, hal::SubmitParams(bench.Reached(), bench.Next()),
                               hal_buffer_ref(bench.place().target, 0, kLength), &pattern, sizeof(pattern));
}

hal_status_t Copy(Bench& bench) {
  return hal_device_queue_copy(bench.place().device, hal::SubmitParams(bench.Reached(), bench.Next()),
                               hal_buffer_ref(bench.place().source, 0, kLength),
                               hal_buffer_ref(bench.place().target, 0, kLength));
}

hal_status_t Dispatch(Bench& bench) {
  return hal_device_queue_dispatch(bench.place().device, hal::SubmitParams(bench.Reached(), bench.Next()),
                                   bench.place().executable, 0, &bench.dispatch());
}

hal_status_t Execute(Bench& bench) {
  return hal_device_queue_execute(bench.place().device, hal::SubmitParams(bench.Reached(), bench.Next()),
                                  bench.reusable(), {});
}

hal_status_t AllocaAndDealloca(Bench& bench) {
  hal_device_t* const device = bench.place().device;
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  cts::Buffer buffer;
  const hal_status_t status =
      hal_device_queue_alloca(device, hal::SubmitParams(bench.Reached(), bench.Next()), &params, 4096, buffer.out());
  if (status != HAL_STATUS_OK) return status;
  const hal_timeline_point_t allocated = bench.Last().points[0];
  return hal_device_queue_dealloca(device, hal::SubmitParams({&allocated, 1}, bench.Next()), buffer);
}

hal_status_t CreateSemaphore(Bench& bench) {
  allocations::SemaphoreHandle semaphore;
  return hal_semaphore_create(bench.place().device, nullptr, semaphore.out());
}

hal_status_t RecordDispatch(Bench& bench) {
  return hal_command_buffer_dispatch(bench.recording(), bench.place().executable, 0, &bench.dispatch());
}

/// A command buffer with a hundred dispatches, each of which comes after the one before it.
hal_status_t MakeRecording(Bench& bench, hal_command_buffer_flags_t flags) {
  const bool has_barriers = (flags & HAL_COMMAND_BUFFER_TRACK_HAZARDS) == 0;
  const allocations::CommandBufferHandle commands = bench.Begin(flags);
  hal_status_t status = HAL_STATUS_OK;
  for (int i = 0; i < 100 && status == HAL_STATUS_OK; ++i) {
    status = hal_command_buffer_dispatch(commands, bench.place().executable, 0, &bench.dispatch());
    if (status == HAL_STATUS_OK && has_barriers) status = hal_command_buffer_barrier(commands);
  }
  return status == HAL_STATUS_OK ? hal_command_buffer_end(commands) : status;
}

hal_status_t Recording(Bench& bench) { return MakeRecording(bench, 0); }

/// What finding hazards costs: this less the recording with barriers.
hal_status_t TrackedRecording(Bench& bench) { return MakeRecording(bench, HAL_COMMAND_BUFFER_TRACK_HAZARDS); }

hal_status_t RecordUnvalidatedDispatch(Bench& bench) {
  return hal_command_buffer_dispatch(bench.unvalidated_recording(), bench.place().executable, 0, &bench.dispatch());
}

}  // namespace

Bench::Bench() : place_("local://sync") {
  Require(hal_semaphore_signal(place_.wait, 1), "signal");
  reached_ = hal_timeline_point(place_.wait, 1);
  next_ = hal_timeline_point(place_.done, 0);
  bindings_ = {hal_buffer_ref(place_.source, 0, HAL_WHOLE_SIZE), hal_buffer_ref(place_.target, 0, HAL_WHOLE_SIZE)};
  dispatch_.constants = &constants_;
  dispatch_.constants_size = sizeof(constants_);
  dispatch_.bindings = hal_buffer_ref_list(bindings_.data(), bindings_.size());
  recording_ = Begin(0);
  unvalidated_recording_ = Begin(HAL_COMMAND_BUFFER_UNVALIDATED);
  reusable_ = Begin(0);
  Require(hal_command_buffer_dispatch(reusable_, place_.executable, 0, &dispatch_), "dispatch");
  Require(hal_command_buffer_end(reusable_), "end");
}

hal_semaphore_list_t Bench::Next() {
  ++next_.value;
  return Last();
}

allocations::CommandBufferHandle Bench::Begin(hal_command_buffer_flags_t flags) const {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = flags;
  allocations::CommandBufferHandle commands;
  Require(hal_command_buffer_create(place_.device, &params, commands.out()), "command buffer");
  Require(hal_command_buffer_begin(commands), "begin");
  return commands;
}

const std::vector<Path> kPaths = {
    {"barrier", Barrier},
    {"deferred_barrier", DeferredBarrier},
    {"fill", Fill},
    {"copy", Copy},
    {"dispatch", Dispatch},
    {"execute", Execute},
    {"alloca_and_dealloca", AllocaAndDealloca},
    {"semaphore", CreateSemaphore},
    {"record_dispatch", RecordDispatch},
    {"record_unvalidated_dispatch", RecordUnvalidatedDispatch},
    {"recording_of_100", Recording},
    {"tracked_recording_of_100", TrackedRecording},
    // Last: a thread that has had labels is a little slower ever after.
    {"labelled_barrier", LabelledBarrier},
};

}  // namespace halyard::performance
