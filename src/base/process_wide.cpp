// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/process_wide.h"

#include <mutex>
#include <utility>

#include "platform/process.h"

namespace halyard {
namespace {

constinit SmallMutex g_linking;  // protects the lists; fork() takes it before all other locks
constinit ProcessWideEntry* g_entries = nullptr;
constinit ForkSafeMutex* g_mutexes = nullptr;

}  // namespace

/// What happens at fork(). Friend of both lists' elements.
struct ForkHandlers {
  // With g_linking, which the handlers are to find: so the first time is when the library is loaded. A failure means
  // that there is no memory for them: then a child has to come between two calls.
  static void Install() noexcept {
    static constinit bool installed = false;
    if (std::exchange(installed, true)) return;
    static_cast<void>(AtFork(TakeAll, ReleaseAll, [] {
      ReleaseAll();
      ForgetAll();
    }));
  }
  static void TakeAll() noexcept {
    g_linking.lock();
    for (auto* mutex = g_mutexes; mutex; mutex = mutex->next_) mutex->mutex_.lock();
  }
  static void ReleaseAll() noexcept {
    for (auto* mutex = g_mutexes; mutex; mutex = mutex->next_) mutex->mutex_.unlock();
    g_linking.unlock();
  }
  static void ForgetAll() noexcept {
    for (const auto* entry = g_entries; entry; entry = entry->next_) entry->forget_();
  }
};

namespace {

const struct LoadTime {
  LoadTime() noexcept {
    const std::lock_guard lock(g_linking);
    ForkHandlers::Install();
  }
} g_load_time;

}  // namespace

void ProcessWideEntry::LinkOnce() noexcept {
  const std::lock_guard lock(g_linking);
  if (linked_.load(std::memory_order_relaxed)) return;
  ForkHandlers::Install();
  next_ = std::exchange(g_entries, this);
  linked_.store(true, std::memory_order_release);
}

void ProcessWideEntry::DestroyAll() noexcept {
  const ProcessWideEntry* entry = nullptr;
  {
    const std::lock_guard lock(g_linking);
    entry = g_entries;
  }
  for (; entry; entry = entry->next_) entry->destroy_();
}

void ForkSafeMutex::Link() noexcept {
  const std::lock_guard lock(g_linking);
  if (linked_.load(std::memory_order_relaxed)) return;
  ForkHandlers::Install();
  next_ = std::exchange(g_mutexes, this);
  linked_.store(true, std::memory_order_release);
}

}  // namespace halyard
