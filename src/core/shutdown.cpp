// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of the library in a process that goes on.
#include <chrono>
#include <limits>
#include <thread>

#include "base/clock.h"
#include "base/drain_scope.h"
#include "base/library_thread.h"
#include "base/log.h"
#include "base/per_thread.h"
#include "base/process_wide.h"
#include "base/wait_policy.h"
#include "core/public_call.h"
#include "core/registry/registry.h"
#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/live_objects.h"
#include "driver_kit/object/vtable.h"
#include "halyard/status.h"
#include "submission/exit_drain.h"

namespace halyard {
namespace {

// For what is done, but has not given its references back: see submission/exit_drain.h.
constexpr uint64_t kLongestSettling = 250'000'000;  // nanoseconds
// The same while a thread of the library works: on a busy machine it may have to wait for a processor.
constexpr uint64_t kLongestWork = 10'000'000'000;  // nanoseconds
constexpr std::chrono::nanoseconds kPoll(kExitPause);

HostString DescribeLive() {
  HostString text = LiveObjects::Describe();
  Registry* const registry = ProcessWide<Registry>::Find();
  const size_t drivers = registry ? registry->DriversInUse() : 0;
  // A device keeps its driver, so that drivers say nothing more where there are devices.
  if (!text.empty() || drivers == 0) return text;
  return text.append(std::to_string(drivers)).append(drivers == 1 ? " driver" : " drivers");
}

/// What validation adds to the message: the first of the objects of which the application has references. All of them
/// go to the log.
HostString ReportGiven() {
  constexpr size_t kMostInMessage = 8;
  if (!ValidationIsOn()) return {};
  size_t count = 0;
  const HostVector<HostString> objects = HandleTable::DescribeGiven(std::numeric_limits<size_t>::max(), &count);
  HostString text;
  for (size_t i = 0; i < count; ++i) {
    Log(HAL_LOG_LEVEL_ERROR, HostString("hal_shutdown: not released: ") + objects[i]);
    if (i < kMostInMessage) text.append(i == 0 ? ". Not released: " : ", ").append(objects[i]);
  }
  if (count > kMostInMessage) text.append(" and ").append(std::to_string(count - kMostInMessage)).append(" more");
  return text;
}

// What is released now is no news to the application, which waited for it.
Status AwaitEnd() {
  const Deadline deadline = DeadlineAfter(kLongestSettling);
  const Deadline last_deadline = DeadlineAfter(kLongestWork);
  const auto may_end = [&] { return !deadline.passed() || (LibraryThread::AnyWorks() && !last_deadline.passed()); };
  if (!DescribeLive().empty()) DrainsAtExit::DrainAll(deadline);
  while (!DescribeLive().empty() && may_end()) std::this_thread::sleep_for(kPoll);
  const HostString live = DescribeLive();
  if (live.empty()) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION,
              "still alive: %s; release all objects first, and wait for the work that was submitted%s", live.c_str(),
              ReportGiven().c_str());
}

Status ShutDown() {
  if (LibraryThread::OnOne() || DrainScope::IsOpen()) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION,
                    "called in a callback or on a thread of the library, which it would have to join");
  }
  HAL_TRY(AwaitEnd());
  LibraryThread::JoinLeft();
  ProcessWideEntry::DestroyAll();
  FreePerThread();
  EndValidation();
  ForgetHostMemoryUse();
  return kOk;
}

}  // namespace
}  // namespace halyard

hal_status_t hal_shutdown(void) {
  return halyard::Public([] { return halyard::ShutDown(); });
}
