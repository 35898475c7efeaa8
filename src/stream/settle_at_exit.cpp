// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/settle_at_exit.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "common/process_id.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kLongestExit = 250'000'000;  // nanoseconds
constexpr std::chrono::microseconds kPoll(50);

// Protects what follows and every link; a leaf. Without destructors, as threads may end after all handlers.
constinit std::mutex g_mutex;
constinit SettlesAtExit* g_first = nullptr;

// The process that made the last of them. A child that made none has nothing to wait for, and may find the lock taken.
constinit std::atomic<uint64_t> g_process = 0;

}  // namespace

SettlesAtExit::SettlesAtExit() : process_(ProcessId()) {}

// Only once the object is whole: from here on any thread may end the process.
void SettlesAtExit::Register() noexcept {
  const std::lock_guard lock(g_mutex);
  g_process.store(process_, std::memory_order_relaxed);
  static const int handler = std::atexit([] { SettleAll(DeadlineAfter(kLongestExit)); });
  static_cast<void>(handler);
  next_ = g_first;
  if (next_) next_->previous_ = this;
  g_first = this;
  registered_ = true;
}

SettlesAtExit::~SettlesAtExit() {
  const std::lock_guard lock(g_mutex);
  if (!registered_) return;
  (previous_ ? previous_->next_ : g_first) = next_;
  if (next_) next_->previous_ = previous_;
}

bool SettlesAtExit::MustSettle() const noexcept {
  return process_ == ProcessId() && thread_ != std::this_thread::get_id();
}

// Without the lock, as a thread that settles may end others. All are told first, so that none waits for another's turn.
void SettlesAtExit::SettleAll(Deadline deadline) noexcept try {
  if (g_process.load(std::memory_order_relaxed) != ProcessId()) return;
  std::vector<std::shared_ptr<SettlesAtExit>> threads;
  {
    const std::lock_guard lock(g_mutex);
    for (SettlesAtExit* thread = g_first; thread; thread = thread->next_) {
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
