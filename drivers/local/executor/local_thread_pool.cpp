// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executor/local_thread_pool.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/prefetch.h"
#include "driver_kit/device/usable_processors.h"

namespace halyard::local {
namespace {

// A share that takes longer than this may be followed by smaller ones, down to what takes as long: threads then end
// their last shares together. Smaller ones would make threads meet too often.
constexpr uint64_t kShortShare = 10'000;  // nanoseconds

// Tries to take the lock before a thread sleeps for it. It is held for far less than it takes to fall asleep, and many
// threads want it at once when a loop begins or ends.
constexpr int kLockTries = 100;

/// Takes `lock`.
template <class Lock>
void Take(Lock& lock) {
  for (int i = 0; i < kLockTries; ++i) {
    if (lock.try_lock()) return;
    Relax();
  }
  lock.lock();
}

/// Looks for `done` for a while.
template <class Done>
bool WatchFor(const Done& done) {
  const uint64_t end = MonotonicNanoseconds() + Lookouts::kWatch;
  while (true) {
    for (int i = 0; i < kLooksPerStep; ++i) {
      if (done()) return true;
      Relax();
    }
    if (MonotonicNanoseconds() >= end) return false;
    std::this_thread::yield();
  }
}

}  // namespace

/// Lies on the stack of the thread that called ParallelFor().
struct ThreadPool::Loop {
  Loop(uint64_t all, RangeBody what) : count(all), body(what) {}

  const uint64_t count;
  const RangeBody body;
  std::atomic<uint64_t> next{0};  // the first iteration that no thread has taken
  // Protected by the pool's lock.
  int helpers = 0;
  bool linked = true;
  bool closing = false;  // the caller waits for the helpers
  Loop* previous_loop = nullptr;
  Loop* next_loop = nullptr;
  HostEvent done;  // set by the last helper if the caller waits
};

ThreadPool::ThreadPool(int thread_count)
    : shares_(2 * static_cast<uint64_t>(thread_count)), lookouts_(UsableProcessors()) {}

Status ThreadPool::Create(int thread_count, std::unique_ptr<ThreadPool>* out_pool, size_t stack_size) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(thread_count));
  for (int i = 0; i < thread_count; ++i) {
    Worker& worker = pool->workers_.emplace_back();
    const Failure failure(worker.thread.Start(
        "hal-task", "local://task", [&pool = *pool, &worker] { pool.Work(worker); }, stack_size));
    if (!failure) continue;
    return Fail(failure.code(), "%s, thread %d of the %d that the device is to have ('threads' sets how many)",
                failure.message().data(), i + 1, thread_count);
  }
  *out_pool = std::move(pool);
  return kOk;
}

ThreadPool::~ThreadPool() {
  {
    Lock lock(mutex_);
    stopping_ = true;
    arrivals_.fetch_add(1, std::memory_order_relaxed);
    while (sleepers_) {
      ++looking_;
      std::exchange(sleepers_, sleepers_->next)->bell.Set();
    }
  }
  for (Worker& worker : workers_) worker.thread.End();
}

Status ThreadPool::Enqueue(Runnable* item) {
  Lock lock(mutex_, std::defer_lock);
  Take(lock);
  items_.Push(item);
  Announce(lock, 1);
  return kOk;
}

Status ThreadPool::ParallelFor(uint64_t count, RangeBody body) {
  if (count == 1 || workers_.size() == 1) {
    body(0, count);
    return kOk;
  }
  Loop loop(count, body);
  Link(loop);
  RunShares(loop);
  {
    Lock lock(mutex_, std::defer_lock);
    Take(lock);
    Unlink(loop);
    if (loop.helpers == 0) return kOk;
    loop.closing = true;
  }
  if (!WatchFor([&] { return loop.done.IsSet(); })) loop.done.Wait({});
  return kOk;
}

void ThreadPool::Work(Worker& self) noexcept {
  Lock lock(mutex_, std::defer_lock);
  Take(lock);
  while (true) {
    if (Runnable* const item = items_.Pop()) {
      WakeForRest(lock);
      item->Run();
      Take(lock);
    } else if (loops_) {
      Join(*loops_, lock);
    } else if (stopping_) {
      return;
    } else {
      Rest(self, lock);
    }
  }
}

// A lookout whose work another thread took goes on looking: its processor stays awake, which whatever that work wakes
// may need.
void ThreadPool::Rest(Worker& self, Lock& lock) {
  const LibraryThread::Rest rest;
  bool looks = lookouts_.may_look();
  while (looks) {
    looks = Look(lock);
    if (HasWork() || stopping_) return;
  }
  Sleep(self, lock);
}

// Whether work came.
bool ThreadPool::Look(Lock& lock) {
  lookouts_.Begin();
  ++looking_;
  const uint64_t arrivals = arrivals_.load(std::memory_order_relaxed);
  lock.unlock();
  const uint64_t start = MonotonicNanoseconds();
  const bool came = WatchFor([&] { return arrivals_.load(std::memory_order_relaxed) != arrivals; });
  const uint64_t taken = MonotonicNanoseconds() - start;
  Take(lock);
  lookouts_.End(came, taken);
  --looking_;
  return came;
}

void ThreadPool::Sleep(Worker& self, Lock& lock) {
  self.bell.Reset();
  self.next = std::exchange(sleepers_, &self);
  lock.unlock();
  const uint64_t start = MonotonicNanoseconds();
  self.bell.Wait({});
  const uint64_t taken = MonotonicNanoseconds() - start;
  Take(lock);
  --looking_;  // counted by the thread that rang
  lookouts_.NoteSleep(taken);
}

void ThreadPool::Join(Loop& loop, Lock& lock) {
  if (loop.next.load(std::memory_order_relaxed) >= loop.count) {
    Unlink(loop);
    return;
  }
  ++loop.helpers;
  WakeForRest(lock);
  RunShares(loop);
  Take(lock);
  Unlink(loop);
  // The loop may be gone once the flag is set.
  if (--loop.helpers == 0 && loop.closing) loop.done.Set();
}

void ThreadPool::RunShares(Loop& loop) const {
  uint64_t least = std::max<uint64_t>(1, loop.count / (2 * shares_));
  uint64_t begin = loop.next.load(std::memory_order_relaxed);
  while (begin < loop.count) {
    const uint64_t share = std::min(loop.count - begin, std::max(least, (loop.count - begin) / shares_));
    if (!loop.next.compare_exchange_weak(begin, begin + share, std::memory_order_relaxed)) continue;
    const uint64_t start = MonotonicNanoseconds();
    loop.body(begin, begin + share);
    const uint64_t taken = MonotonicNanoseconds() - start;
    if (taken > kShortShare) least = std::clamp<uint64_t>(share * kShortShare / taken, 1, least);
    begin = loop.next.load(std::memory_order_relaxed);
  }
}

// Called with the lock, returns without it.
void ThreadPool::Announce(Lock& lock, int wanted) {
  arrivals_.fetch_add(1, std::memory_order_relaxed);
  Wake(lock, wanted);
}

// As this thread is about to work: others are to see to what is left. Called with the lock, returns without it.
void ThreadPool::WakeForRest(Lock& lock) {
  if (HasWork()) {
    Wake(lock, loops_ ? 2 : 1);
  } else {
    lock.unlock();
  }
}

// Makes sure that so many threads look for work, as far as there are any that sleep. Called with the lock, returns
// without it.
void ThreadPool::Wake(Lock& lock, int wanted) {
  Worker* woken = nullptr;
  while (sleepers_ && looking_ < wanted) {
    Worker* const worker = std::exchange(sleepers_, sleepers_->next);
    worker->next = std::exchange(woken, worker);
    ++looking_;
  }
  lock.unlock();
  while (woken) std::exchange(woken, woken->next)->bell.Set();
}

void ThreadPool::Link(Loop& loop) {
  Lock lock(mutex_, std::defer_lock);
  Take(lock);
  loop.next_loop = loops_;
  if (loops_) loops_->previous_loop = &loop;
  loops_ = &loop;
  Announce(lock, 2);
}

// With the lock.
void ThreadPool::Unlink(Loop& loop) {
  if (!std::exchange(loop.linked, false)) return;
  (loop.previous_loop ? loop.previous_loop->next_loop : loops_) = loop.next_loop;
  if (loop.next_loop) loop.next_loop->previous_loop = loop.previous_loop;
}

}  // namespace halyard::local
