// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool that reuses queue actions, with the memory that their containers have grown.
#ifndef HALYARD_DRIVER_KIT_QUEUE_ACTION_POOL_H_
#define HALYARD_DRIVER_KIT_QUEUE_ACTION_POOL_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/prefetch.h"
#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/queue_action.h"

namespace halyard {

/// A device's pool of `T`, a queue action. Thread-safe.
template <class T>
class ActionPool {
 public:
  ActionPool() = default;
  ActionPool(const ActionPool&) = delete;
  ActionPool& operator=(const ActionPool&) = delete;
  ~ActionPool() {
    for (T* action : all_) delete action;
  }

  /// Returns a borrowed action to the pool.
  struct Recycler {
    ActionPool* pool;
    void operator()(T* action) const noexcept { pool->Recycle(action); }
  };
  using Handle = std::unique_ptr<T, Recycler>;

  /// Returns a used action, or a new one. Its handle returns it to the pool, unless the caller releases it.
  Handle Borrow() {
    if (spare_.load(std::memory_order_relaxed)) {
      // acquire: what was done with the action is done.
      if (T* const action = spare_.exchange(nullptr, std::memory_order_acquire)) return Handle(action, {this});
    }
    const std::lock_guard lock(mutex_);
    return Handle(free_.empty() ? Make() : Pop(), {this});
  }

  void Recycle(T* action) noexcept {
    T* none = nullptr;
    if (!spare_.load(std::memory_order_relaxed) &&
        spare_.compare_exchange_strong(none, action, std::memory_order_release, std::memory_order_relaxed)) {
      return;
    }
    const std::lock_guard lock(mutex_);
    free_.push_back(action);  // there is room for all
  }

  /// Frees the actions that are not borrowed. Many operations that were deferred together leave as many actions.
  ///
  /// Before that, Trim() calls `Status forget(const HostVector<T*>& unused)` without a lock. `forget` drops all other
  /// references to these actions, which are sorted. If it fails, all of them stay. Trim() may throw; then some of them
  /// may stay.
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
    ShrinkLists();
    return kOk;
  }

  /// What has been submitted and is not over.
  struct Unended {
    size_t count = 0;
    uint64_t oldest = 0;  ///< the lowest number of an operation; without a meaning if there is none
  };
  /// Counts the operations up to the number `last` that are not over. Checks all actions of the pool.
  Unended CountUnended(uint64_t last) noexcept {
    Unended unended;
    const std::lock_guard lock(mutex_);
    for (const T* action : all_) {
      const uint64_t number = action->unended_number();
      if (number == 0 || number > last) continue;
      unended.oldest = unended.count == 0 ? number : std::min(unended.oldest, number);
      ++unended.count;
    }
    return unended;
  }

  /// Fails every deferred action of a lost device. Checks all actions of the pool.
  void FailDeferred(const Failure& failure) noexcept {
    const DrainScope scope;  // what fails runs once the lock is released
    const std::lock_guard lock(mutex_);
    for (T* action : all_) action->FailDeferred(failure);
  }

 private:
  // How many actions ahead Borrow() prefetches. After many operations at once, free actions are in no order.
  static constexpr size_t kAhead = 4;

  HostVector<T*> TakeFree() {
    const std::lock_guard lock(mutex_);
    HostVector<T*> taken;
    taken.reserve(all_.capacity());
    taken.swap(free_);
    return taken;
  }

  /// Shrinks the lists after actions were freed, if there is memory for shorter lists.
  void ShrinkLists() noexcept try {
    const std::lock_guard lock(mutex_);
    HostVector<T*> all;
    HostVector<T*> free;
    all.reserve(all_.size());
    free.reserve(all_.size());
    all.assign(all_.begin(), all_.end());
    free.assign(free_.begin(), free_.end());
    all.swap(all_);
    free.swap(free_);
  } catch (const std::bad_alloc&) {
    return;
  }

  T* Pop() {
    T* const action = free_.back();
    free_.pop_back();
    if (free_.size() >= kAhead) PrefetchAction(free_[free_.size() - kAhead]);
    return action;
  }

  /// Both lists get room for it first.
  T* Make() {
    if (all_.size() == all_.capacity()) all_.reserve(std::max<size_t>(8, all_.size() * 2));
    free_.reserve(all_.capacity());
    all_.push_back(new T);
    return all_.back();
  }

  // A free action beside the list, taken and returned without the lock. It is enough where operations end as soon as
  // they are submitted.
  std::atomic<T*> spare_{nullptr};
  // Protects what follows. Under it only the host allocator's locks are taken and, when a device is lost, those of the
  // lists of work into which OnReady() puts an action.
  std::mutex mutex_;
  HostVector<T*> free_;  // has as much room as all_ has actions, at least
  HostVector<T*> all_;   // borrowed or free
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_ACTION_POOL_H_
