// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/list_wait.h"

#include <array>
#include <atomic>
#include <cinttypes>
#include <thread>

#include "base/host_event.h"
#include "base/look_times.h"
#include "base/prefetch.h"
#include "core/semaphore.h"
#include "core/validation/checks.h"
#include "driver_kit/timeline/waiting_threads.h"
#include "platform/thread_time.h"

namespace halyard {
namespace {

/// A thread that waits for several points, which the caller holds, on its stack. It asks every semaphore for a call and
/// sleeps on one event, so that semaphores of different drivers need nothing in common. Allocates nothing for up to
/// kInlinePoints points.
///
/// The wait is decided once: by the callback that satisfies it, by the first failure or by the deadline. What comes
/// later is ignored, also the calls that cancelling brings about.
class ListWait {
 public:
  ListWait(std::span<const hal_timeline_point_t> points, hal_wait_flags_t flags)
      : points_(points),
        flags_(flags),
        many_(points.size() > kInlinePoints ? points.size() : 0),
        registrations_(many_.empty() ? std::span(few_).first(points.size()) : std::span(many_)),
        unreached_(points.size()) {}

  Status Run(Deadline deadline, size_t* out_index) {
    Register();
    const bool timed_out = !AwaitDecision(deadline) && Decide(nullptr, Failure());
    if (!timed_out) decided_event_.Wait({});  // a callback may have decided only just now
    CancelRest();
    WaitForCallbacks();
    if (timed_out) return FailUnreached(points_);
    *out_index = static_cast<size_t>(decider_ - registrations_.data());
    return AwaitedFailure(outcome_.Take());
  }

 private:
  static constexpr size_t kInlinePoints = 64;

  struct Registration {
    ListWait* wait = nullptr;
    hal_timepoint_t timepoint = {};
    std::atomic<bool> called{false};
  };

  void Register() {
    for (size_t i = 0; i < points_.size() && !decided_.load(std::memory_order_relaxed); ++i) {
      hal_semaphore_t* const semaphore = points_[i].semaphore;
      Registration& registration = registrations_[i];
      registration.wait = this;
      outstanding_.fetch_add(1, std::memory_order_relaxed);
      const Status status = FromC(VtableOf(semaphore)->notify(semaphore, points_[i].value, OnTimepoint, &registration,
                                                              &registration.timepoint));
      registered_ = i + 1;
      if (status == kOk) continue;
      registration.called.store(true, std::memory_order_relaxed);  // it never will be
      Decide(&registration, Failure(status));
      Finished();
    }
  }

  static void OnTimepoint(void* user_data, hal_status_t status, hal_string_view_t message) {
    auto* const registration = static_cast<Registration*>(user_data);
    ListWait* const wait = registration->wait;
    registration->called.store(true, std::memory_order_relaxed);
    wait->PointEnded(*registration, status, View(message));
    wait->Finished();  // the last touch: the waiter may be gone afterwards
  }

  // Every point has asked for a call, so this thread need not look. It does, as it is the first to see the end then.
  bool AwaitDecision(Deadline deadline) {
    using Kind = WaitStep::Kind;
    WaitingThreads& threads = WaitingThreads::Get();
    const uint64_t start = MonotonicNanoseconds();
    WaitPlan plan(threads.room(), {ModeOf(flags_, WaitMode::kAuto), start, deadline.nanoseconds, /*expected=*/0});
    LookTimes looks;
    bool looked = false;
    while (!decided_event_.IsSet()) {
      const uint64_t now = MonotonicNanoseconds();
      threads.Refresh(start, now);
      if (looks.WasInterrupted(now, looked, ProcessorTimeOfThread)) threads.room().NoteInterrupted(now);
      const WaitStep step = plan.Next(now, threads.CountWorking(), Wake::kAlways);
      looked = step.kind == Kind::kLook;
      if (step.kind == Kind::kTimeOut) return false;
      if (step.kind == Kind::kYield) std::this_thread::yield();
      if (step.kind == Kind::kLook || step.kind == Kind::kYield) {
        Look();
      } else {
        decided_event_.Wait({step.until});
      }
    }
    return true;
  }

  // A query retires what is done, which calls OnTimepoint().
  void Look() {
    for (size_t i = 0; i < registered_ && !decided_event_.IsSet(); ++i) {
      if (registrations_[i].called.load(std::memory_order_relaxed)) continue;
      uint64_t value = 0;
      FromC(VtableOf(points_[i].semaphore)->query(points_[i].semaphore, &value)).Ignore();
    }
    Relax();
  }

  void PointEnded(const Registration& registration, hal_status_t status, std::string_view message) {
    const bool all = (flags_ & HAL_WAIT_ANY) == 0;
    if (status != HAL_STATUS_OK) {
      Decide(&registration, Failure(FailWith(status, message)));
    } else if (!all || unreached_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Decide(&registration, Failure());
    }
  }

  // Whether this call was the one that decided. `by` is NULL for the deadline.
  bool Decide(const Registration* by, Failure outcome) {
    if (decided_.exchange(true, std::memory_order_acq_rel)) return false;
    decider_ = by;
    outcome_ = std::move(outcome);
    decided_event_.Set();
    return true;
  }

  void CancelRest() {
    for (size_t i = 0; i < registered_; ++i) {
      if (registrations_[i].called.load(std::memory_order_relaxed)) continue;
      hal_semaphore_t* const semaphore = points_[i].semaphore;
      FromC(VtableOf(semaphore)->cancel(semaphore, registrations_[i].timepoint)).Ignore();
    }
  }

  void Finished() {
    if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_called_.Set();
  }

  // Callbacks that are under way on other threads use this object.
  void WaitForCallbacks() {
    Finished();
    all_called_.Wait({});
  }

  const std::span<const hal_timeline_point_t> points_;
  const hal_wait_flags_t flags_;
  std::array<Registration, kInlinePoints> few_;
  HostVector<Registration> many_;
  const std::span<Registration> registrations_;
  size_t registered_ = 0;

  std::atomic<size_t> unreached_;
  std::atomic<bool> decided_{false};
  Failure outcome_;  // this and the next are written by the thread that decides, before decided_event_ is set
  const Registration* decider_ = nullptr;
  HostEvent decided_event_;
  std::atomic<size_t> outstanding_{1};  // registrations that were not called yet, and the waiter's own
  HostEvent all_called_;
};

/// References to the semaphores of points that are asked. Asking may end work whose release callback or sink gives up
/// the caller's.
class HeldPoints {
 public:
  explicit HeldPoints(std::span<const hal_timeline_point_t> points) : points_(points) {
    for (const hal_timeline_point_t& point : points_) Retain(point.semaphore);
  }
  ~HeldPoints() {
    for (const hal_timeline_point_t& point : points_) Release(point.semaphore);
  }
  HeldPoints(const HeldPoints&) = delete;
  HeldPoints& operator=(const HeldPoints&) = delete;

 private:
  const std::span<const hal_timeline_point_t> points_;
};

enum class PointState { kPending, kReached, kFailed };

/// How a point stands. `failure` is set if its semaphore failed before reaching it.
struct PolledPoint {
  PointState state = PointState::kPending;
  Failure failure;
};

PolledPoint PollPoint(const hal_timeline_point_t& point) {
  uint64_t value = 0;
  Failure failure(FromC(VtableOf(point.semaphore)->query(point.semaphore, &value)));
  // That a semaphore failed after it reached its value is none of the caller's concern.
  if (value >= point.value) return {PointState::kReached, {}};
  if (!failure) return {};
  return {PointState::kFailed, Failure(AwaitedFailure(failure.Take()))};
}

// What can be said without waiting; `*decided` is false if that is nothing.
Status LookForAll(std::span<const hal_timeline_point_t> points, bool* decided) {
  size_t pending = 0;
  const Status status = CountPending(points, &pending);
  *decided = status != kOk || pending == 0;
  return status;
}

Status LookForAny(std::span<const hal_timeline_point_t> points, bool* decided, size_t* out_index) {
  Failure failure;
  *decided = true;
  for (size_t i = 0; i < points.size(); ++i) {
    PolledPoint polled = PollPoint(points[i]);
    if (polled.state != PointState::kPending) *out_index = i;
    if (polled.state == PointState::kReached) return kOk;
    if (polled.state == PointState::kFailed) failure = std::move(polled.failure);
  }
  *decided = static_cast<bool>(failure);
  return failure.Take();
}

}  // namespace

Status AwaitedFailure(Status failure) noexcept {
  if (failure.code() != HAL_STATUS_DEADLINE_EXCEEDED) return failure;
  const Failure own(failure);
  return Fail(HAL_STATUS_ABORTED, "the semaphore failed with DEADLINE_EXCEEDED, the wait did not time out: %s",
              own.message().data());
}

Status CountPending(std::span<const hal_timeline_point_t> points, size_t* pending) {
  *pending = 0;
  for (const hal_timeline_point_t& point : points) {
    PolledPoint polled = PollPoint(point);
    if (polled.state == PointState::kPending) ++*pending;
    if (polled.state == PointState::kFailed) return polled.failure.Take();
  }
  return kOk;
}

Status FailUnreached(std::span<const hal_timeline_point_t> points) {
  for (size_t i = 0; i < points.size(); ++i) {
    uint64_t value = 0;
    Failure failure(FromC(VtableOf(points[i].semaphore)->query(points[i].semaphore, &value)));
    if (value >= points[i].value) continue;  // that it failed later is none of the caller's concern
    if (failure.code() == HAL_STATUS_DEADLINE_EXCEEDED) return AwaitedFailure(failure.Take());
    if (points.size() == 1) {
      return Fail(HAL_STATUS_DEADLINE_EXCEEDED, "the semaphore%s is at %" PRIu64 ", and %" PRIu64 " was awaited",
                  LabelWords(points[i].semaphore).c_str(), value, points[i].value);
    }
    return Fail(HAL_STATUS_DEADLINE_EXCEEDED,
                "points[%zu] of %zu is not reached: its semaphore%s is at %" PRIu64 ", and %" PRIu64 " was awaited", i,
                points.size(), LabelWords(points[i].semaphore).c_str(), value, points[i].value);
  }
  return Fail(HAL_STATUS_DEADLINE_EXCEEDED, "the last of %zu points was reached after the timeout only", points.size());
}

Status ReadPoints(hal_semaphore_list_t list, std::span<const hal_timeline_point_t>* points) {
  if (list.count > 0) {
    HAL_TRY(CheckNotNull("list.points", list.points));
  }
  *points = {list.points, list.count};
  return RefusePoints("list", *points, 0);
}

namespace {

// `*out_index` is set to the point that decides a wait for any.
Status WaitAndTell(std::span<const hal_timeline_point_t> points, hal_wait_flags_t flags, uint64_t timeout_ns,
                   size_t* out_index) {
  if (points.empty()) return kOk;
  if (points.size() == 1) {
    const Status status = WaitForPoint(points[0], timeout_ns, flags);
    if (status.code() != HAL_STATUS_DEADLINE_EXCEEDED) *out_index = 0;
    return status;
  }
  const Deadline deadline = DeadlineAfter(timeout_ns);
  const HeldPoints held(points);
  bool decided = false;
  const Status seen = flags & HAL_WAIT_ANY ? LookForAny(points, &decided, out_index) : LookForAll(points, &decided);
  if (decided || seen != kOk) return seen;
  if (timeout_ns == 0) return FailUnreached(points);
  return ListWait(points, flags).Run(deadline, out_index);
}

}  // namespace

Status WaitForPoints(std::span<const hal_timeline_point_t> points, hal_wait_flags_t flags, uint64_t timeout_ns,
                     size_t* out_index) {
  size_t index = SIZE_MAX;
  const Status status = WaitAndTell(points, flags, timeout_ns, &index);
  if (out_index && (flags & HAL_WAIT_ANY)) *out_index = index;
  return status;
}
}  // namespace halyard
