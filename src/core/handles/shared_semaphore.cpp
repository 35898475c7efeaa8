// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/handles/shared_semaphore.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "base/drain_scope.h"
#include "base/library_thread.h"
#include "base/wait_policy.h"
#include "core/handles/shared_file.h"
#include "core/handles/shared_timeline.h"
#include "core/validation/checks.h"
#include "driver_kit/timeline/timeline_semaphore.h"
#include "driver_kit/timeline/waiting_threads.h"

namespace halyard {
namespace {

constexpr uint64_t kLastValue = UINT64_MAX - 1;  // at which all timepoints have fallen due

Status CheckSharedValue(const char* argument, uint64_t value) {
  if (value <= SharedTimeline::kMaxValue) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %" PRIu64 "; a timeline that processes share goes up to %" PRIu64,
              argument, value, SharedTimeline::kMaxValue);
}

/// A host timeline that follows a SharedTimeline: Pull() moves it to where that stands. Each
/// query and each thread that waits pulls. While a timepoint is registered a thread of its own does, which sleeps until
/// another process changes the timeline, and looks every kWatchPause whether one has ended.
///
/// To the queues of every driver it is a semaphore of another driver.
class SharedSemaphore final : public TimelineSemaphore {
 public:
  explicit SharedSemaphore(std::unique_ptr<SharedTimeline> timeline);
  ~SharedSemaphore();

  static const hal_semaphore_vtable_t& Vtable();

  /// @name Entries of the vtable
  /// @{
  Status Query(uint64_t* out_value);
  Status Signal(uint64_t value);
  Status FailTimeline(hal_status_t status, hal_string_view_t message);
  Status Wait(uint64_t value, uint64_t timeout_ns) { return WaitWithFlags(value, 0, timeout_ns); }
  Status WaitWithFlags(uint64_t value, hal_wait_flags_t flags, uint64_t timeout_ns);
  Status Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data, hal_timepoint_t* out_timepoint);
  /// @}

  Status Export(uint64_t* out_handle) const { return timeline_->Export(out_handle); }

 private:
  /// For a call that goes on after a callback may have been called by the thread: that may give up the caller's
  /// reference.
  Ref<hal_semaphore_t> Keep() { return Ref<hal_semaphore_t>::Retaining(this); }

  /// What the thread has, which may outlive the semaphore. It takes what a thread has brought about that waits or
  /// queries, which calls no callbacks.
  struct Watcher final : CallTaker {
    explicit Watcher(std::shared_ptr<SharedTimeline> of) : timeline(std::move(of)) {}
    void Enqueue(Runnable* item) noexcept override {
      {
        const std::lock_guard lock(mutex);
        items.Push(item);
      }
      changed.notify_all();
      timeline->WakeAll();
    }
    Runnable* Next() noexcept {
      const std::lock_guard lock(mutex);
      return items.Pop();
    }
    void Change(int waits) noexcept {
      {
        const std::lock_guard lock(mutex);
        waiting += waits;
        wanted = true;
      }
      changed.notify_all();
    }

    const std::shared_ptr<SharedTimeline> timeline;
    std::mutex mutex;  // protects what follows; no other lock is taken under it
    std::condition_variable changed;
    SharedSemaphore* semaphore = nullptr;  // NULL once its destructor has begun
    bool wanted = false;                   // a timepoint was registered since the thread looked
    int waiting = 0;                       // threads that sleep until this one has looked
    RunnableList items;
  };
  class PullingWatch;

  static void Loop(const std::shared_ptr<Watcher>& watcher) noexcept;
  static bool AwaitWish(Watcher& watcher);
  static bool Serve(Watcher& watcher, bool* out_awaited);

  /// Looks for processes that have ended, unless a look was lately.
  void Check();
  void Pull();
  /// Both, in a query or a wait.
  void PullInPassing();
  Status StartWatcher();

  const std::shared_ptr<SharedTimeline> timeline_;
  std::atomic<uint64_t> next_check_;  // when the seats are looked at
  const std::shared_ptr<Watcher> watcher_;
  std::once_flag started_;
  Failure not_started_;  // written by the thread that starts it, as the next
  LibraryThread thread_;
};

/// A thread of the application sleeps on the shared word as well. It asks the semaphore's thread to look only if it is
/// to sleep without looking.
class SharedSemaphore::PullingWatch final : public Watch {
 public:
  explicit PullingWatch(SharedSemaphore& semaphore) : semaphore_(semaphore) {}
  ~PullingWatch() override {
    if (asked_) semaphore_.watcher_->Change(-1);
  }
  PullingWatch(const PullingWatch&) = delete;
  PullingWatch& operator=(const PullingWatch&) = delete;

  void Look() noexcept override {
    turn_ = semaphore_.timeline_->turn();
    semaphore_.PullInPassing();
  }
  Wake wake() const noexcept override { return Wake::kIfLooks; }
  void Sleep(HostEvent&, Deadline until) noexcept override {
    semaphore_.timeline_->Sleep(turn_, std::min(until.nanoseconds, MonotonicNanoseconds() + kWatchPause));
  }
  void Ask() noexcept override {
    asked_ = true;
    semaphore_.watcher_->Change(1);
  }

 private:
  SharedSemaphore& semaphore_;
  uint32_t turn_ = 0;  // before the last look
  bool asked_ = false;
};

const hal_semaphore_vtable_t& SharedSemaphore::Vtable() {
  static constexpr hal_semaphore_vtable_t kTable = [] {
    using Head = hal_semaphore_t;
    hal_semaphore_vtable_t table = TimelineSemaphore::MakeVtable();
    table.destroy = DestroyEntry<SharedSemaphore, Head>;
    table.query = Entry<&SharedSemaphore::Query>::Of<Head>;
    table.signal = Entry<&SharedSemaphore::Signal>::Of<Head>;
    table.fail = Entry<&SharedSemaphore::FailTimeline>::Of<Head>;
    table.wait = Entry<&SharedSemaphore::Wait>::Of<Head>;
    table.wait_with_flags = Entry<&SharedSemaphore::WaitWithFlags>::Of<Head>;
    table.notify = Entry<&SharedSemaphore::Notify>::Of<Head>;
    return table;
  }();
  return kTable;
}

SharedSemaphore::SharedSemaphore(std::unique_ptr<SharedTimeline> timeline)
    : TimelineSemaphore(&Vtable(), timeline->Read().value),
      timeline_(std::move(timeline)),
      next_check_(MonotonicNanoseconds() + kWatchPause),
      watcher_(std::make_shared<Watcher>(timeline_)) {
  watcher_->semaphore = this;
}

// The thread may be this one: it has held the last reference then, and touches nothing but the watcher afterwards.
SharedSemaphore::~SharedSemaphore() {
  {
    const std::lock_guard lock(watcher_->mutex);
    watcher_->semaphore = nullptr;
  }
  watcher_->changed.notify_all();
  timeline_->WakeAll();
  thread_.End();
}

void SharedSemaphore::Pull() {
  const SharedTimeline::Look look = timeline_->Read();
  if (!Reached(look.value)) TimelineSemaphore::Signal(look.value).Ignore();  // another thread may have been quicker
  if (!look.failed || failed()) return;
  const Failure failure(timeline_->ReadFailure());
  TimelineSemaphore::FailTimeline(failure.code(), ToC(failure.message())).Ignore();
}

void SharedSemaphore::Check() {
  const uint64_t now = MonotonicNanoseconds();
  uint64_t next = next_check_.load(std::memory_order_relaxed);
  if (now >= next && next_check_.compare_exchange_strong(next, now + kWatchPause, std::memory_order_relaxed)) {
    timeline_->FailIfOneEnded();
  }
}

// Only what was registered is called, and then the thread has been started.
void SharedSemaphore::PullInPassing() {
  Check();
  const SharedTimeline::Look look = timeline_->Read();
  if (Reached(look.value) && (!look.failed || failed())) return;
  const std::shared_ptr<Watcher> taker = watcher_;
  const SeparateDrain drain(taker.get());
  Pull();
}

Status SharedSemaphore::Query(uint64_t* out_value) {
  PullInPassing();
  return TimelineSemaphore::Query(out_value);
}

Status SharedSemaphore::Signal(uint64_t value) {
  HAL_TRY(CheckSharedValue("value", value));
  const auto kept = Keep();
  const SharedTimeline::Outcome outcome = timeline_->Signal(value);
  Pull();
  if (outcome == SharedTimeline::Outcome::kSignalled) return kOk;
  return outcome == SharedTimeline::Outcome::kFailed ? failure().Share() : FailSignal(value, this->value());
}

Status SharedSemaphore::FailTimeline(hal_status_t status, hal_string_view_t message) {
  const auto kept = Keep();
  timeline_->FailTimeline(status, View(message));
  Pull();
  // Another process may be about to fail it: here it has failed now.
  return failed() ? kOk : TimelineSemaphore::FailTimeline(status, message);
}

Status SharedSemaphore::WaitWithFlags(uint64_t value, hal_wait_flags_t flags, uint64_t timeout_ns) {
  PullInPassing();
  if (Reached(value) || failed() || timeout_ns == 0) return TimelineSemaphore::WaitWithFlags(value, flags, timeout_ns);
  HAL_TRY(StartWatcher());
  const auto kept = Keep();
  PullingWatch watch(*this);
  return WaitBy(watch, value, ModeOf(flags, wait_mode()), DeadlineAfter(timeout_ns));
}

// Registered first: the thread looks at what is registered once it is asked.
Status SharedSemaphore::Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data,
                               hal_timepoint_t* out_timepoint) {
  const auto kept = Keep();
  PullInPassing();
  HAL_TRY(StartWatcher());
  HAL_TRY(TimelineSemaphore::Notify(value, callback, user_data, out_timepoint));
  if (Awaits(kLastValue)) watcher_->Change(0);
  return kOk;
}

Status SharedSemaphore::StartWatcher() {
  std::call_once(started_, [&] {
    not_started_ = Failure(thread_.Start("hal-shared", "the thread that watches a shared timeline",
                                         [watcher = watcher_] { Loop(watcher); }));
  });
  return not_started_.Share();
}

// False if the semaphore is gone.
bool SharedSemaphore::AwaitWish(Watcher& watcher) {
  const LibraryThread::Rest rest;
  std::unique_lock lock(watcher.mutex);
  watcher.changed.wait(
      lock, [&] { return watcher.wanted || watcher.waiting > 0 || !watcher.items.empty() || !watcher.semaphore; });
  watcher.wanted = false;
  return watcher.semaphore != nullptr || !watcher.items.empty();
}

// Holds a reference meanwhile, which may be the last one at the end. False if the semaphore is gone.
bool SharedSemaphore::Serve(Watcher& watcher, bool* out_awaited) {
  Ref<hal_semaphore_t> held;
  bool waiting = false;
  {
    const std::lock_guard lock(watcher.mutex);
    if (!watcher.semaphore || !TryAddReference(&watcher.semaphore->object)) return false;
    held = Ref<hal_semaphore_t>::Adopting(watcher.semaphore);
    waiting = watcher.waiting > 0;
  }
  auto* const semaphore = static_cast<SharedSemaphore*>(held.get());
  semaphore->Check();
  semaphore->Pull();
  *out_awaited = waiting || semaphore->Awaits(kLastValue);
  return true;
}

void SharedSemaphore::Loop(const std::shared_ptr<Watcher>& watcher) noexcept {
  while (AwaitWish(*watcher)) {
    bool awaited = true;
    while (awaited) {
      const uint32_t turn = watcher->timeline->turn();
      while (Runnable* const item = watcher->Next()) item->Run();
      if (!Serve(*watcher, &awaited) || !awaited) break;
      const LibraryThread::Rest rest;
      watcher->timeline->Sleep(turn, MonotonicNanoseconds() + kWatchPause);
    }
  }
}

Status CheckExternal(const char* argument, hal_external_semaphore_type_t type) {
  switch (type) {
    case HAL_EXTERNAL_SEMAPHORE_TYPE_NONE:
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is NONE", argument);
    case HAL_EXTERNAL_SEMAPHORE_TYPE_HOST_FD:
      return CheckSharesHostMemory();
    case HAL_EXTERNAL_SEMAPHORE_TYPE_OPAQUE_FD:
      return Fail(HAL_STATUS_UNIMPLEMENTED,
                  "%s is OPAQUE_FD: timelines of Vulkan cross by import_timeline_fd() and export_timeline_fd() of "
                  "halyard/vulkan_interop.h; expected HOST_FD",
                  argument);
    case HAL_EXTERNAL_SEMAPHORE_TYPE_IPC:
      return Fail(HAL_STATUS_UNIMPLEMENTED,
                  "%s is IPC: an event of CUDA or HIP has no value, so it carries no timeline; expected HOST_FD",
                  argument);
    case HAL_EXTERNAL_SEMAPHORE_TYPE_WIN32:
      return Fail(HAL_STATUS_UNIMPLEMENTED, "%s is WIN32: the library does not run on Windows yet; expected HOST_FD",
                  argument);
    default:
      return Fail(HAL_STATUS_UNIMPLEMENTED, "%s is %d, which this version of the library does not know", argument,
                  static_cast<int>(type));
  }
}

}  // namespace

Status CreateSharedSemaphore(uint64_t initial_value, hal_semaphore_t** out_semaphore) {
  HAL_TRY(CheckSharedValue("params->initial_value", initial_value));
  std::unique_ptr<SharedTimeline> timeline;
  HAL_TRY(SharedTimeline::Create(initial_value, &timeline));
  *out_semaphore = new SharedSemaphore(std::move(timeline));
  return kOk;
}

Status ImportSemaphore(const hal_external_semaphore_t* given, hal_semaphore_t** out_semaphore) {
  hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
  HAL_TRY(ReadStruct("external", given, &external));
  HAL_TRY(CheckFlags("external->flags", external.flags, 0));
  HAL_TRY(CheckExternal("external->type", external.type));
  std::unique_ptr<SharedTimeline> timeline;
  HAL_TRY(SharedTimeline::Open(external.handle, &timeline));
  *out_semaphore = new SharedSemaphore(std::move(timeline));
  return kOk;
}

Status ExportSemaphore(hal_semaphore_t* semaphore, hal_external_semaphore_type_t type,
                       hal_external_semaphore_t* out_external) {
  HAL_TRY(CheckExternal("type", type));
  hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
  external.type = type;
  external.handle = UINT64_MAX;                                  // no descriptor: 0 would be one
  HAL_TRY(WriteStruct("out_external", external, out_external));  // before there is a descriptor that could be lost
  if (out_external->struct_size < sizeof(external)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "out_external->struct_size is %zu; expected %zu",
                out_external->struct_size, sizeof(external));
  }
  if (semaphore->object.vtable != &SharedSemaphore::Vtable()) {
    return FailWith(HAL_STATUS_PERMISSION_DENIED,
                    "the semaphore cannot leave as HOST_FD: create it with HAL_PEER_HANDLE_HOST_FD among "
                    "hal_semaphore_params_t::handles");
  }
  return static_cast<SharedSemaphore*>(semaphore)->Export(&out_external->handle);
}

}  // namespace halyard
