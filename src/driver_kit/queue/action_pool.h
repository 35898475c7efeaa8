// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue actions that are used again instead of being freed, with the memory that their containers have grown.
#ifndef HALYARD_DRIVER_KIT_QUEUE_ACTION_POOL_H_
#define HALYARD_DRIVER_KIT_QUEUE_ACTION_POOL_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/prefetch.h"
#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/queue_action.h"

namespace halyard {

/// A device's pool of `T`, a queue action. Free ones are linked by what links runnables otherwise. Thread-safe.
template <class T>
class ActionPool {
 public:
  ActionPool() = default;
  ActionPool(const ActionPool&) = delete;
  ActionPool& operator=(const ActionPool&) = delete;
  ~ActionPool() {
    for (T* action : all_) delete action;
  }

  /// Gives a borrowed action back.
  struct Recycler {
    ActionPool* pool;
    void operator()(T* action) const noexcept { pool->Recycle(action); }
  };
  using Handle = std::unique_ptr<T, Recycler>;

  /// A used action, or a new one. It goes back to the pool unless it is released from its handle.
  Handle Borrow() {
    if (spare_.load(std::memory_order_relaxed)) {
      // acquire: what was done with the action is done.
      if (T* const action = spare_.exchange(nullptr, std::memory_order_acquire)) return Handle(action, {this});
    }
    const std::lock_guard lock(mutex_);
    return Handle(free_ ? Pop() : Make(), {this});
  }

  void Recycle(T* action) noexcept {
    T* none = nullptr;
    if (!spare_.load(std::memory_order_relaxed) &&
        spare_.compare_exchange_strong(none, action, std::memory_order_release, std::memory_order_relaxed)) {
      return;
    }
    const std::lock_guard lock(mutex_);
    action->next = free_;
    free_ = action;
  }

  /// Frees what is not borrowed: many operations that were deferred together leave as many actions.
  ///
  /// Before, and without a lock, `Status forget(const HostVector<T*>& unused)` sees to it that no other object knows
  /// their addresses; they are sorted. After a failure all of them stay. May throw, and is as before then.
  template <class Forget>
  Status Trim(Forget&& forget) {
    HostVector<T*> unused = TakeFree();
    std::ranges::sort(unused);
    const Status status = Guard([&] { return forget(unused); });
    if (status != kOk) {
      for (T* action : unused) Recycle(action);
      return status;
    }
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(all_, [&unused](T* action) { return std::ranges::binary_search(unused, action); });
    }
    for (T* action : unused) delete action;
    return kOk;
  }

  /// Fails every action that still waits: its device is lost. Looks at all actions that there are.
  void FailDeferred(const Failure& failure) noexcept {
    const DrainScope scope;  // what fails runs once the lock is released
    const std::lock_guard lock(mutex_);
    for (T* action : all_) action->FailDeferred(failure);
  }

 private:
  HostVector<T*> TakeFree() {
    const std::lock_guard lock(mutex_);
    HostVector<T*> taken;
    for (T* action = free_; action; action = static_cast<T*>(action->next)) taken.push_back(action);
    free_ = nullptr;
    return taken;
  }

  T* Pop() {
    T* const action = free_;
    free_ = static_cast<T*>(action->next);
    action->next = nullptr;
    PrefetchAction(free_);
    return action;
  }

  T* Make() {
    auto action = std::make_unique<T>();
    all_.push_back(action.get());
    return action.release();
  }

  // A free action beside the list, which changes hands without the lock: all it takes where operations end as soon as
  // they are submitted.
  std::atomic<T*> spare_{nullptr};
  // Protects what follows. Under it only the host allocator's locks are taken and, when a device is lost, those of the
  // lists of work into which OnReady() puts an action.
  std::mutex mutex_;
  T* free_ = nullptr;
  HostVector<T*> all_;  // borrowed or free
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_ACTION_POOL_H_
