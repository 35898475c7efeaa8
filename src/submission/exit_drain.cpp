// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/exit_drain.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/exit_deadline.h"
#include "base/host_memory.h"
#include "base/library_thread.h"
#include "base/process_wide.h"
#include "base/wait_policy.h"
#include "platform/process.h"

namespace halyard {
namespace {

// A call of a vendor ends by itself, unless it waits for work that does not end.
constexpr uint64_t kLongestCall = 10 * kNanosecondsPerSecond;
constexpr std::chrono::nanoseconds kPoll(kExitPause);

/// A handler that is registered with exit(), which runs the newest first.
struct Handler {
  VendorGate* gate = nullptr;  // NULL for the drain alone
  Handler* earlier = nullptr;
};
constinit ForkSafeMutex g_handlers_mutex;
constinit Handler* g_handlers = nullptr;  // protected by it; in reach, so that none is reported as a leak

Handler* TakeNewest() {
  const std::lock_guard lock(g_handlers_mutex);
  Handler* const newest = g_handlers;
  if (newest) g_handlers = newest->earlier;
  return newest;
}

// The end of the process may come here several times, and the drains take no longer in all.
void AtExit() {
  const Deadline deadline = ExitDeadline();
  DrainsAtExit::DrainAll(deadline);
  while (!LibraryThread::JoinEnded() && !deadline.passed()) std::this_thread::sleep_for(kPoll);
  const std::unique_ptr<const Handler> handler(TakeNewest());
  if (handler && handler->gate) handler->gate->Close(DeadlineAfter(kLongestCall));
}

// Without memory for a handler the process ends as it would without the library.
void RegisterHandler(VendorGate* gate) noexcept {
  auto* const handler = new (std::nothrow) Handler{gate};
  const std::lock_guard lock(g_handlers_mutex);
  if (!handler || (gate && !gate->TakeHandler()) || std::atexit(AtExit) != 0) {
    delete handler;
    return;
  }
  handler->earlier = std::exchange(g_handlers, handler);
}

}  // namespace

/// Those of the process: a child of fork() has none of the parent's.
struct DrainsAtExit::List : HostObject {
  List() {
    static constinit std::atomic<bool> is_registered{false};
    if (!is_registered.exchange(true, std::memory_order_relaxed)) RegisterHandler(nullptr);
  }

  std::mutex mutex;  // protects what follows and every link; a leaf
  DrainsAtExit* first = nullptr;
};

void DrainsAtExit::Adopt(VendorGate& gate) noexcept {
  const std::lock_guard lock(g_handlers_mutex);
  gate.Adopt();
}

void DrainsAtExit::ComeBeforeEarlierHandlers(VendorGate& gate) noexcept { RegisterHandler(&gate); }

DrainsAtExit::DrainsAtExit() : process_(ProcessId()) {}

// Only once the object is whole: from here on any thread may end the process.
void DrainsAtExit::Register() {
  List& list = ProcessWide<List>::Get();
  const std::lock_guard lock(list.mutex);
  next_ = list.first;
  if (next_) next_->previous_ = this;
  list.first = this;
  registered_ = true;
}

DrainsAtExit::~DrainsAtExit() {
  List* const list = process_ == ProcessId() ? ProcessWide<List>::Find() : nullptr;
  if (!list) return;
  const std::lock_guard lock(list->mutex);
  if (!registered_) return;
  (previous_ ? previous_->next_ : list->first) = next_;
  if (next_) next_->previous_ = previous_;
}

bool DrainsAtExit::MustDrain() const noexcept {
  return process_ == ProcessId() && thread_ != std::this_thread::get_id();
}

// Without the lock, as a thread that drains may end others. All are told first, so that none waits for another's turn.
void DrainsAtExit::DrainAll(Deadline deadline) noexcept try {
  List* const list = ProcessWide<List>::Find();
  if (!list) return;
  std::vector<std::shared_ptr<DrainsAtExit>> threads;
  {
    const std::lock_guard lock(list->mutex);
    for (DrainsAtExit* thread = list->first; thread; thread = thread->next_) {
      std::shared_ptr<DrainsAtExit> kept = thread->weak_from_this().lock();
      if (kept && kept->MustDrain()) threads.push_back(std::move(kept));
    }
  }
  for (const auto& thread : threads) thread->BeginDrain();
  const auto drained = [](const auto& thread) { return thread->IsDrained(); };
  while (!std::all_of(threads.begin(), threads.end(), drained) && !deadline.passed()) {
    std::this_thread::sleep_for(kPoll);
  }
} catch (...) {
  // No memory for the list: the process ends as it is.
}

}  // namespace halyard
