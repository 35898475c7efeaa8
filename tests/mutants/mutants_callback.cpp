// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host functions that are called too often, never, too early or with the wrong message: host calls, timepoints,
// releases and the sink of a profiling session.
#include <mutex>

#include "core/application_calls.h"
#include "cts/callbacks.h"
#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

using Operation = hal_queue_operation_t;

bool IsHostCall(const Operation& operation) { return operation.type == HAL_QUEUE_OPERATION_TYPE_HOST_CALL; }

hal_status_t CallHostTwice(hal_device_t* device, const Operation* operation) {
  if (IsHostCall(*operation)) {
    Operation first = *operation;
    first.signal_list = {};
    if (hal_status_t status = Local().device->submit(device, &first); status != HAL_STATUS_OK) return status;
  }
  return Local().device->submit(device, operation);
}

void CallHostNever(Operation& operation) {
  if (IsHostCall(operation)) operation = BarrierLike(operation);
}

void CallHostEarly(Operation& operation) {
  if (IsHostCall(operation)) operation.wait_list = {};
}

/// Puts a function between the host call and its callback.
template <hal_status_t (*kCall)(const hal_queue_host_call_t& call, hal_status_t status)>
hal_status_t SubmitCallingThrough(hal_device_t* device, const Operation* operation) {
  if (!IsHostCall(*operation)) return Local().device->submit(device, operation);
  const auto call = [](void* user_data, hal_status_t status) {
    const std::unique_ptr<hal_queue_host_call_t> original(static_cast<hal_queue_host_call_t*>(user_data));
    return kCall(*original, status);
  };
  auto original = std::make_unique<hal_queue_host_call_t>(operation->u.host_call);
  Operation mutated = *operation;
  mutated.u.host_call = {call, original.get()};
  const hal_status_t status = Local().device->submit(device, &mutated);
  if (status == HAL_STATUS_OK) static_cast<void>(original.release());  // freed by the call
  return status;
}

hal_status_t IgnoreResult(const hal_queue_host_call_t& call, hal_status_t status) {
  call.callback(call.user_data, status);
  return HAL_STATUS_OK;
}

hal_status_t ForgetMessage(const hal_queue_host_call_t& call, hal_status_t status) {
  const hal_status_t result = call.callback(call.user_data, status);
  hal_set_error_message(hal_string_view("?"));
  return result;
}

hal_status_t HideFailedWaits(const hal_queue_host_call_t& call, hal_status_t) {
  return call.callback(call.user_data, HAL_STATUS_OK);
}

hal_status_t SkipAfterFailedWaits(const hal_queue_host_call_t& call, hal_status_t status) {
  return status == HAL_STATUS_OK ? call.callback(call.user_data, status) : status;
}

/// Whether the application registered this callback: what it hands over, the core wraps.
bool IsOfTheApplication(hal_timepoint_fn_t callback) { return callback == TimepointCall::OnTimepoint; }
/// Whether the suite registered it past the core. It notices a second call, which nothing else would survive: all
/// others free what they are called with.
bool IsOfTheSuite(hal_timepoint_fn_t callback) { return callback == cts::CallTimepoint; }

struct Registration {
  hal_timepoint_fn_t callback;
  void* user_data;
};

/// Puts a function between a semaphore and some of its timepoints.
template <void (*kCall)(const Registration& to, hal_status_t status, hal_string_view_t message),
          bool (*kConcerns)(hal_timepoint_fn_t callback) = IsOfTheApplication>
hal_status_t NotifyCallingThrough(hal_semaphore_t* semaphore, uint64_t value, hal_timepoint_fn_t callback,
                                  void* user_data, hal_timepoint_t* out_timepoint) {
  if (!kConcerns(callback)) {
    return Local().semaphore->notify(semaphore, value, callback, user_data, out_timepoint);
  }
  const auto call = [](void* data, hal_status_t status, hal_string_view_t message) {
    const std::unique_ptr<Registration> registration(static_cast<Registration*>(data));
    kCall(*registration, status, message);
  };
  auto registration = std::make_unique<Registration>(Registration{callback, user_data});
  return Local().semaphore->notify(semaphore, value, call, registration.release(), out_timepoint);
}

void CallTwice(const Registration& to, hal_status_t status, hal_string_view_t message) {
  to.callback(to.user_data, status, message);
  to.callback(to.user_data, status, message);
}

void CallNever(const Registration&, hal_status_t, hal_string_view_t) {}

void CallUnlessCancelled(const Registration& to, hal_status_t status, hal_string_view_t message) {
  if (status != HAL_STATUS_CANCELLED) to.callback(to.user_data, status, message);
}

void CallWithOk(const Registration& to, hal_status_t status, hal_string_view_t) {
  to.callback(to.user_data, status == HAL_STATUS_CANCELLED ? status : HAL_STATUS_OK, {});
}

hal_status_t NotifyAtOnce(hal_semaphore_t* semaphore, uint64_t value, hal_timepoint_fn_t callback, void* user_data,
                          hal_timepoint_t* out_timepoint) {
  return Local().semaphore->notify(semaphore, IsOfTheApplication(callback) ? 0 : value, callback, user_data,
                                   out_timepoint);
}

// Nothing is cancelled: the callback comes when the value does.
hal_status_t CancelNothing(hal_semaphore_t*, hal_timepoint_t) { return HAL_STATUS_OK; }

hal_status_t CancelAlwaysSucceeds(hal_semaphore_t* semaphore, hal_timepoint_t timepoint) {
  Local().semaphore->cancel(semaphore, timepoint);
  return HAL_STATUS_OK;
}

hal_status_t ReleaseNever(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                          const hal_external_memory_t* memory, hal_memory_release_fn_t, void*,
                          hal_buffer_t** out_buffer) {
  return Local().allocator->import(allocator, params, memory, nullptr, nullptr, out_buffer);
}

hal_status_t ReleaseAtOnce(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                           const hal_external_memory_t* memory, hal_memory_release_fn_t release, void* user_data,
                           hal_buffer_t** out_buffer) {
  const hal_status_t status = Local().allocator->import(allocator, params, memory, nullptr, nullptr, out_buffer);
  if (status == HAL_STATUS_OK && release) release(user_data);
  return status;
}

hal_status_t ReleaseTwice(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                          const hal_external_memory_t* memory, hal_memory_release_fn_t release, void* user_data,
                          hal_buffer_t** out_buffer) {
  const auto twice = [](void* data) {
    cts::CallRelease(data);
    cts::CallRelease(data);
  };
  const hal_memory_release_fn_t called = release == cts::CallRelease ? twice : release;
  return Local().allocator->import(allocator, params, memory, called, user_data, out_buffer);
}

/// The session's sink, as the caller gave it.
struct SavedSink {
  std::mutex mutex;  // protects sink
  hal_profiling_sink_t sink{};
};
SavedSink g_sink;

/// Puts a function between the device and the sink. One device at a time.
template <void (*kChange)(hal_profiling_record_t&)>
hal_status_t BeginChangingRecords(hal_device_t* device, hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  {
    const std::lock_guard lock(g_sink.mutex);
    g_sink.sink = *sink;
  }
  hal_profiling_sink_t changing = *sink;
  changing.user_data = nullptr;
  changing.record = [](void*, const hal_profiling_record_t* record) {
    hal_profiling_record_t changed = *record;
    kChange(changed);
    const std::lock_guard lock(g_sink.mutex);
    g_sink.sink.record(g_sink.sink.user_data, &changed);
  };
  return Local().device->profiling_begin(device, flags, &changing);
}

void SwapTimes(hal_profiling_record_t& record) { std::swap(record.start_time, record.end_time); }
void HideStatus(hal_profiling_record_t& record) { record.status = HAL_STATUS_OK; }
void ForgetOperation(hal_profiling_record_t& record) { record.operation = 1; }

hal_status_t BeginWithEverything(hal_device_t* device, hal_profiling_flags_t, const hal_profiling_sink_t* sink) {
  return Local().device->profiling_begin(device, HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES, sink);
}

hal_status_t BeginWithoutDispatches(hal_device_t* device, hal_profiling_flags_t, const hal_profiling_sink_t* sink) {
  return Local().device->profiling_begin(device, HAL_PROFILING_QUEUE_OPERATIONS, sink);
}

hal_status_t BeginAnew(hal_device_t* device, hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  Local().device->profiling_end(device);
  return Local().device->profiling_begin(device, flags, sink);
}

hal_status_t EndNothing(hal_device_t*) { return HAL_STATUS_OK; }

constexpr Mutant kCallbackMutants[] = {
    {"host-call-twice", "the callback of a host call is called twice", "*HostCall*",
     [](Tables& tables) { tables.device.submit = CallHostTwice; }},
    {"host-call-never", "the callback of a host call is never called", "*HostCall*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<CallHostNever>; }},
    {"host-call-early", "host calls do not wait", "*HostCall*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<CallHostEarly>; }},
    {"host-call-result-ignored", "a callback that fails does not fail its signals", "*HostCall*",
     [](Tables& tables) { tables.device.submit = SubmitCallingThrough<IgnoreResult>; }},
    {"host-call-message-lost", "the message of a callback that fails is lost", "*HostCall*",
     [](Tables& tables) { tables.device.submit = SubmitCallingThrough<ForgetMessage>; }},
    {"host-call-hides-failure", "the callback is called with OK although a wait failed", "*HostCall*",
     [](Tables& tables) { tables.device.submit = SubmitCallingThrough<HideFailedWaits>; }},
    {"host-call-skipped", "the callback is not called if a wait failed", "*HostCall*",
     [](Tables& tables) { tables.device.submit = SubmitCallingThrough<SkipAfterFailedWaits>; }},

    {"timepoint-twice", "the callback of a timepoint is called twice", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.notify = NotifyCallingThrough<CallTwice, IsOfTheSuite>; }},
    {"timepoint-never", "the callback of a timepoint is never called", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.notify = NotifyCallingThrough<CallNever>; }},
    {"timepoint-early", "the callback of a timepoint is called before its value is reached", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.notify = NotifyAtOnce; }},
    {"timepoint-hides-failure", "a timepoint of a failed semaphore is called with OK", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.notify = NotifyCallingThrough<CallWithOk>; }},
    {"cancel-loses-callback", "the callback of a cancelled timepoint is never called", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.notify = NotifyCallingThrough<CallUnlessCancelled>; }},
    {"cancel-without-effect", "a cancelled timepoint is called when its value comes", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.cancel = CancelNothing; }},
    {"cancel-of-nothing", "cancelling a timepoint that has been called returns OK", "TimepointTest.*",
     [](Tables& tables) { tables.semaphore.cancel = CancelAlwaysSucceeds; }},

    {"release-never", "imported memory is never released", "ImportTest.*",
     [](Tables& tables) { tables.allocator.import = ReleaseNever; }},
    {"release-early", "imported memory is released while the buffer lives", "ImportTest.*",
     [](Tables& tables) { tables.allocator.import = ReleaseAtOnce; }},
    {"release-twice", "imported memory is released twice", "ImportTest.*",
     [](Tables& tables) { tables.allocator.import = ReleaseTwice; }},

    {"session-never-ends", "records still come after the end of a session", "ProfilingTest.SinkIsQuietAfterTheEnd",
     [](Tables& tables) {
       tables.device.profiling_begin = BeginAnew;
       tables.device.profiling_end = EndNothing;
     }},
    {"second-session-taken", "a second session replaces the first one", "*Profiling*",
     [](Tables& tables) { tables.device.profiling_begin = BeginAnew; }},
    {"session-of-everything", "a session reports kinds of records that were not requested", "*Profiling*",
     [](Tables& tables) { tables.device.profiling_begin = BeginWithEverything; }},
    {"dispatch-records-missing", "a session reports no dispatches", "*Profiling*",
     [](Tables& tables) { tables.device.profiling_begin = BeginWithoutDispatches; }},
    {"record-times-swapped", "records end before they start", "*Profiling*",
     [](Tables& tables) { tables.device.profiling_begin = BeginChangingRecords<SwapTimes>; }},
    {"record-hides-failure", "records of failed operations say OK", "*Profiling*",
     [](Tables& tables) { tables.device.profiling_begin = BeginChangingRecords<HideStatus>; }},
    {"record-numbers-lost", "all records name the same operation", "*Profiling*",
     [](Tables& tables) { tables.device.profiling_begin = BeginChangingRecords<ForgetOperation>; }},
};

}  // namespace

std::span<const Mutant> CallbackMutants() { return kCallbackMutants; }

}  // namespace halyard::mutants
