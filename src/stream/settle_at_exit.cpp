// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/settle_at_exit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "common/host_memory.h"
#include "common/library_thread.h"
#include "common/process_id.h"
#include "common/process_wide.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kLongestExit = 250'000'000;  // nanoseconds
constexpr std::chrono::microseconds kPoll(50);

}  // namespace

/// Those of the process: a child of fork() has none of the parent's.
struct SettlesAtExit::List : HostObject {
  List() {
    static constinit std::atomic<bool> is_registered{false};
    if (is_registered.exchange(true, std::memory_order_relaxed)) return;
    std::atexit([] {
      const Deadline deadline = DeadlineAfter(kLongestExit);
      SettleAll(deadline);
      while (!LibraryThread::JoinEnded() && !deadline.passed()) std::this_thread::sleep_for(kPoll);
    });
  }

  std::mutex mutex;  // protects what follows and every link; a leaf
  SettlesAtExit* first = nullptr;
};

SettlesAtExit::SettlesAtExit() : process_(ProcessId()) {}

// Only once the object is whole: from here on any thread may end the process.
void SettlesAtExit::Register() {
  List& list = ProcessWide<List>::Get();
  const std::lock_guard lock(list.mutex);
  next_ = list.first;
  if (next_) next_->previous_ = this;
  list.first = this;
  registered_ = true;
}

SettlesAtExit::~SettlesAtExit() {
  List* const list = process_ == ProcessId() ? ProcessWide<List>::Find() : nullptr;
  if (!list) return;
  const std::lock_guard lock(list->mutex);
  if (!registered_) return;
  (previous_ ? previous_->next_ : list->first) = next_;
  if (next_) next_->previous_ = previous_;
}

bool SettlesAtExit::MustSettle() const noexcept {
  return process_ == ProcessId() && thread_ != std::this_thread::get_id();
}

// Without the lock, as a thread that settles may end others. All are told first, so that none waits for another's turn.
void SettlesAtExit::SettleAll(Deadline deadline) noexcept try {
  List* const list = ProcessWide<List>::Find();
  if (!list) return;
  std::vector<std::shared_ptr<SettlesAtExit>> threads;
  {
    const std::lock_guard lock(list->mutex);
    for (SettlesAtExit* thread = list->first; thread; thread = thread->next_) {
      std::shared_ptr<SettlesAtExit> kept = thread->weak_from_this().lock();
      if (kept && kept->MustSettle()) threads.push_back(std::move(kept));
    }
  }
  for (const auto& thread : threads) thread->BeginToSettle();
  const auto settled = [](const auto& thread) { return thread->HasSettled(); };
  while (!std::all_of(threads.begin(), threads.end(), settled) && !deadline.passed()) {
    std::this_thread::sleep_for(kPoll);
  }
} catch (...) {
  // No memory for the list: the process ends as it is.
}

}  // namespace halyard::stream
