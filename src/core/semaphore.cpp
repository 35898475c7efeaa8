// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/semaphore.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <memory>

#include "base/application_call.h"
#include "base/clock.h"
#include "base/text/flag_words.h"
#include "core/application_calls.h"
#include "core/handles/shared_semaphore.h"
#include "core/list_wait.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// A semaphore that can leave by a handle.
[[gnu::noinline]] Status CreateForHandles(hal_device_t* device, const hal_semaphore_params_t& params,
                                          hal_semaphore_t** out_semaphore) {
  HAL_TRY(CheckFlags("params->handles", params.handles, HAL_PEER_HANDLES_ALL));
  if (params.handles != HAL_PEER_HANDLE_HOST_FD) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "params->handles is %s; semaphores leave as HOST_FD alone",
                HandleWords(params.handles).c_str());
  }
  hal_semaphore_t* semaphore = nullptr;
  HAL_TRY(CreateSharedSemaphore(params.initial_value, &semaphore));
  HAL_TRY(AdoptChild<hal_semaphore_vtable_t>(device, semaphore));
  *out_semaphore = semaphore;
  return kOk;
}

Status CreateSemaphore(hal_device_t* device, const hal_semaphore_params_t* given, hal_semaphore_t** out_semaphore) {
  HAL_TRY(CheckNotNull("device", device));
  hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  if (given) {
    HAL_TRY(ReadStruct("params", given, &params));
    HAL_TRY(CheckLargestValue("params->initial_value", device, params.initial_value));
    if (params.handles != HAL_PEER_HANDLES_NONE) return CreateForHandles(device, params, out_semaphore);
  }
  hal_semaphore_t* semaphore = nullptr;
  HAL_TRY(VtableOf(device)->create_semaphore(device, &params, &semaphore));
  HAL_TRY(AdoptChild<hal_semaphore_vtable_t>(device, semaphore));
  *out_semaphore = semaphore;
  return kOk;
}

Status Notify(hal_semaphore_t* semaphore, uint64_t value, hal_timepoint_fn_t callback, void* user_data,
              hal_timepoint_t* out_timepoint) {
  if (out_timepoint) *out_timepoint = {};
  HAL_TRY(CheckNotNull("semaphore", semaphore));
  HAL_TRY(CheckNotNull("callback", reinterpret_cast<const void*>(callback)));
  HAL_TRY(CheckTimelineValue("value", semaphore, value));
  auto call = std::make_unique<TimepointCall>(callback, user_data);
  hal_timepoint_t unused = {};
  hal_timepoint_t* const timepoint = out_timepoint ? out_timepoint : &unused;
  const Status status =
      FromC(VtableOf(semaphore)->notify(semaphore, value, TimepointCall::OnTimepoint, call.get(), timepoint));
  if (status == kOk) static_cast<void>(call.release());  // it frees itself, and may have done so
  return status;
}

Status Cancel(hal_semaphore_t* semaphore, hal_timepoint_t timepoint) {
  HAL_TRY(CheckNotNull("semaphore", semaphore));
  if (timepoint.sequence == 0) {
    return FailWith(HAL_STATUS_NOT_FOUND, "the timepoint names no registration; its callback was called at once");
  }
  const auto alive = Ref<hal_semaphore_t>::Retaining(semaphore);  // the callback may give up the caller's reference
  const SeparateDrain now(nullptr);                               // within this call, wherever it comes from
  return FromC(VtableOf(semaphore)->cancel(semaphore, timepoint));
}

constexpr uint64_t kQuestionInterval = 50'000'000;  // nanoseconds

/// Nanoseconds; HAL_TIMEOUT_INFINITE if it never comes.
uint64_t Left(const Deadline& deadline) {
  if (deadline.infinite()) return HAL_TIMEOUT_INFINITE;
  const uint64_t now = MonotonicNanoseconds();
  return now < deadline.nanoseconds ? deadline.nanoseconds - now : 0;
}

Status AskToGoOn(hal_wait_go_on_fn_t go_on, void* user_data) {
  return CallApplication("the function that is asked during a wait", [&] {
    return go_on(user_data) ? kOk : FailWith(HAL_STATUS_CANCELLED, "the wait was given up, as `go_on` answered false");
  });
}

Status CheckWaitFlags(hal_wait_flags_t flags) {
  HAL_TRY(CheckFlags("flags", flags, HAL_WAIT_ANY | kWaitModes));
  if (std::popcount(flags & kWaitModes) <= 1) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "flags is 0x%" PRIx64
              ", which names several ways to wait; expected one of HAL_WAIT_AUTO, SPIN, YIELD and BLOCK at most",
              flags);
}

}  // namespace

Status SignalSemaphore(hal_semaphore_t* semaphore, uint64_t value) {
  HAL_TRY(CheckTimelineValue("value", semaphore, value));
  return FromC(VtableOf(semaphore)->signal(semaphore, value));
}

Status CheckFailure(hal_status_t status) {
  if (status > HAL_STATUS_OK && status <= HAL_STATUS_INTERNAL) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "status is %d (%s); expected a failure", static_cast<int>(status),
              hal_status_name(status));
}

Status FailSemaphore(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message) {
  return FromC(VtableOf(semaphore)->fail(semaphore, status, ToC(View(message))));
}

}  // namespace halyard

using halyard::Await;
using halyard::CheckNotNull;
using halyard::PassOnAndDrain;
using halyard::Public;
using halyard::PublicAndDrain;
using halyard::VtableOf;

hal_status_t hal_semaphore_create(hal_device_t* device, const hal_semaphore_params_t* params,
                                  hal_semaphore_t** out_semaphore) {
  return halyard::PublicThatGives("out_semaphore", out_semaphore,
                                  [&] { return halyard::CreateSemaphore(device, params, out_semaphore); });
}

void hal_semaphore_retain(hal_semaphore_t* semaphore) { halyard::RetainHandle(semaphore); }
void hal_semaphore_release(hal_semaphore_t* semaphore) { halyard::ReleaseHandle(semaphore); }

hal_status_t hal_semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value) {
  const auto check = [&] {
    HAL_TRY(CheckNotNull("out_value", out_value));
    *out_value = 0;
    return CheckNotNull("semaphore", semaphore);
  };
  return PassOnAndDrain(check, [&] { return halyard::FromC(VtableOf(semaphore)->query(semaphore, out_value)); });
}

hal_status_t hal_semaphore_signal(hal_semaphore_t* semaphore, uint64_t value) {
  return PublicAndDrain([&] {
    HAL_TRY(CheckNotNull("semaphore", semaphore));
    return halyard::SignalSemaphore(semaphore, value);
  });
}

hal_status_t hal_semaphore_fail(hal_semaphore_t* semaphore, hal_status_t failure, hal_string_view_t message) {
  return PublicAndDrain([&] {
    HAL_TRY(CheckNotNull("semaphore", semaphore));
    HAL_TRY(halyard::CheckFailure(failure));
    HAL_TRY(halyard::CheckText("message", message));
    return halyard::FailSemaphore(semaphore, failure, message);
  });
}

hal_status_t hal_semaphore_wait(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns) {
  const auto check = [&] {
    HAL_TRY(CheckNotNull("semaphore", semaphore));
    return halyard::CheckTimelineValue("value", semaphore, value);
  };
  return Await(check, [&] { return halyard::WaitForPoint({semaphore, value}, timeout_ns); });
}

hal_status_t hal_semaphore_list_wait(hal_semaphore_list_t list, hal_wait_flags_t flags, uint64_t timeout_ns,
                                     size_t* out_index) {
  if (out_index) *out_index = SIZE_MAX;
  std::span<const hal_timeline_point_t> points;
  const auto check = [&] {
    HAL_TRY(halyard::CheckWaitFlags(flags));
    return halyard::ReadPoints(list, &points);
  };
  return Await(check, [&] { return halyard::WaitForPoints(points, flags, timeout_ns, out_index); });
}

// Each part is a wait of its own, so that nothing of the library's is held while the application is asked.
hal_status_t hal_semaphore_list_wait_while(hal_semaphore_list_t list, hal_wait_flags_t flags, uint64_t timeout_ns,
                                           hal_wait_go_on_fn_t go_on, void* user_data, size_t* out_index) {
  if (out_index) *out_index = SIZE_MAX;
  const hal_status_t checked = Public([&] { return CheckNotNull("go_on", reinterpret_cast<const void*>(go_on)); });
  if (checked != HAL_STATUS_OK) return checked;
  const halyard::Deadline deadline = halyard::DeadlineAfter(timeout_ns);
  for (;;) {
    const uint64_t left = halyard::Left(deadline);
    const hal_status_t status =
        hal_semaphore_list_wait(list, flags, std::min(left, halyard::kQuestionInterval), out_index);
    if (status != HAL_STATUS_DEADLINE_EXCEEDED || left <= halyard::kQuestionInterval) return status;
    const hal_status_t answer = Public([&] { return halyard::AskToGoOn(go_on, user_data); });
    if (answer != HAL_STATUS_OK) return answer;
  }
}

hal_status_t hal_semaphore_notify(hal_semaphore_t* semaphore, uint64_t value, hal_timepoint_fn_t callback,
                                  void* user_data, hal_timepoint_t* out_timepoint) {
  return PublicAndDrain([&] { return halyard::Notify(semaphore, value, callback, user_data, out_timepoint); });
}

hal_status_t hal_semaphore_cancel(hal_semaphore_t* semaphore, hal_timepoint_t timepoint) {
  return Public([&] { return halyard::Cancel(semaphore, timepoint); });
}

hal_status_t hal_semaphore_export(hal_semaphore_t* semaphore, hal_external_semaphore_type_t type,
                                  hal_external_semaphore_t* out_external) {
  return Public([&] {
    HAL_TRY(CheckNotNull("out_external", out_external));
    HAL_TRY(CheckNotNull("semaphore", semaphore));
    return halyard::ExportSemaphore(semaphore, type, out_external);
  });
}

hal_status_t hal_semaphore_import(hal_device_t* device, const hal_external_semaphore_t* external,
                                  hal_semaphore_t** out_semaphore) {
  return halyard::PublicThatGives("out_semaphore", out_semaphore, [&] {
    HAL_TRY(CheckNotNull("device", device));
    hal_semaphore_t* semaphore = nullptr;
    HAL_TRY(halyard::ImportSemaphore(external, &semaphore));
    HAL_TRY(halyard::AdoptChild<hal_semaphore_vtable_t>(device, semaphore));
    *out_semaphore = semaphore;
    return halyard::kOk;
  });
}
