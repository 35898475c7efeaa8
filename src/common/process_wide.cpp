// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/process_wide.h"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace halyard {
namespace {

// Grows only, by static objects, and without a lock: fork() must not find one held.
constinit std::atomic<ProcessWideEntry*> g_entries{nullptr};

constinit std::mutex g_linking;  // protects the list of locks; fork() takes it before all of them
constinit ForkSafeMutex* g_mutexes = nullptr;

#if defined(__unix__) || defined(__APPLE__)
// A failure means that there is no memory: then only children of a fork that comes between two other calls are safe.
void OnFork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  static_cast<void>(pthread_atfork(before, in_parent, in_child));
}
#else
void OnFork(void (*)(), void (*)(), void (*)()) noexcept {}
#endif

}  // namespace

void ProcessWideEntry::Link() noexcept {
  if (linked_.exchange(true, std::memory_order_relaxed)) return;
  static constinit std::atomic<bool> handled{false};
  if (!handled.exchange(true, std::memory_order_relaxed)) OnFork(nullptr, nullptr, ForgetAll);
  next_ = g_entries.load(std::memory_order_relaxed);
  while (!g_entries.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void ProcessWideEntry::DestroyAll() noexcept {
  for (const auto* entry = g_entries.load(std::memory_order_acquire); entry; entry = entry->next_) entry->destroy_();
}

void ProcessWideEntry::ForgetAll() noexcept {
  for (const auto* entry = g_entries.load(std::memory_order_acquire); entry; entry = entry->next_) entry->forget_();
}

void ForkSafeMutex::Link() noexcept {
  const std::lock_guard lock(g_linking);
  if (linked_.load(std::memory_order_relaxed)) return;
  if (!g_mutexes) OnFork(LockAll, UnlockAll, UnlockAll);
  next_ = g_mutexes;
  g_mutexes = this;
  linked_.store(true, std::memory_order_release);
}

void ForkSafeMutex::LockAll() noexcept {
  g_linking.lock();
  for (auto* mutex = g_mutexes; mutex; mutex = mutex->next_) mutex->mutex_.lock();
}

void ForkSafeMutex::UnlockAll() noexcept {
  for (auto* mutex = g_mutexes; mutex; mutex = mutex->next_) mutex->mutex_.unlock();
  g_linking.unlock();
}

}  // namespace halyard
