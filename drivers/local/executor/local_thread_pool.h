// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of local://task.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_THREAD_POOL_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_THREAD_POOL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/host_event.h"
#include "base/host_memory.h"
#include "base/library_thread.h"
#include "base/wait_policy.h"
#include "local/executor/local_executor.h"

namespace halyard::local {

/// A fixed number of threads that run items, first in, first out, and help with loops.
///
/// Rest: a thread that finds nothing to do becomes a lookout, unless there are enough already, and looks for new work
/// without a lock until none has come for some microseconds; otherwise, and after that, it sleeps on a futex of its
/// own. A thread that brings work wakes a sleeper only if there are not enough threads on the way that will look for it
/// (`looking_`); a thread that takes work and leaves more behind wakes the next. So a burst costs the thread that
/// brings it one system call at most, and the last thread to fall asleep, whose caches are warm, is the first to get
/// up.
///
/// Loops: the calling thread works on its own loop from the first moment on; others join while it has iterations left.
/// Each takes a share of what is left, so that shares get smaller towards the end and uneven iterations balance. The
/// caller then waits for those that are still at their last share, and does nothing else: another item could take long.
/// A loop within a loop is a loop like any other, and as each is finished by its own caller none can wait for ever.
class ThreadPool final : public Executor {
 public:
  /// @param stack_size  bytes for each thread; 0 for what the system gives
  /// @return RESOURCE_EXHAUSTED if not all threads could be had; none is left then.
  static Status Create(int thread_count, std::unique_ptr<ThreadPool>* out_pool, size_t stack_size = 0);
  /// Joins the threads. There are no items or loops any more.
  ~ThreadPool() override;

  Status Enqueue(Runnable* item) override;
  Status ParallelFor(uint64_t count, RangeBody body) override;
  bool parallel() const override { return true; }

 private:
  struct Worker {
    HostEvent bell;
    Worker* next = nullptr;  // among those that sleep
    LibraryThread thread;
  };
  struct Loop;
  using Lock = std::unique_lock<std::mutex>;

  explicit ThreadPool(int thread_count);
  void Work(Worker& self) noexcept;
  bool HasWork() const { return !items_.empty() || loops_ != nullptr; }
  void Rest(Worker& self, Lock& lock);
  bool Look(Lock& lock);
  void Sleep(Worker& self, Lock& lock);
  void Join(Loop& loop, Lock& lock);
  void RunShares(Loop& loop) const;
  void Announce(Lock& lock, int wanted);
  void WakeForRest(Lock& lock);
  void Wake(Lock& lock, int wanted);
  void Link(Loop& loop);
  void Unlink(Loop& loop);

  const uint64_t shares_;  // a thread takes one part in so many of what is left of a loop, at least half of the first
  std::atomic<uint64_t> arrivals_{0};  // of items and loops; written under the lock, read by lookouts without it
  std::mutex mutex_;                   // protects what follows; a leaf
  RunnableList items_;
  Loop* loops_ = nullptr;       // that have iterations left, the newest first
  Worker* sleepers_ = nullptr;  // the last to fall asleep first
  int looking_ = 0;             // threads that will look for work before they sleep: woken, or lookouts
  Lookouts lookouts_;           // those that do so without the lock
  bool stopping_ = false;
  HostDeque<Worker> workers_;  // last, so that the threads end before what they use
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_THREAD_POOL_H_
