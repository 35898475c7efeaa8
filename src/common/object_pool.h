// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that are used again instead of being freed, with the memory that their containers have grown.
#ifndef HALYARD_COMMON_OBJECT_POOL_H_
#define HALYARD_COMMON_OBJECT_POOL_H_

#include <memory>
#include <mutex>

#include "common/prefetch.h"

namespace halyard {

/// A pool of `T`, which is a Runnable: free objects are linked by what links runnables otherwise. Thread-safe.
template <class T>
class ObjectPool {
 public:
  ObjectPool() = default;
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;
  ~ObjectPool() {
    while (free_) delete Pop();
  }

  /// Gives a borrowed object back.
  struct Recycler {
    ObjectPool* pool;
    void operator()(T* object) const noexcept { pool->Recycle(object); }
  };
  using Handle = std::unique_ptr<T, Recycler>;

  /// A used object, or a new one. It goes back to the pool unless it is released from its handle.
  Handle Borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (free_) return Handle(Pop(), {this});
    }
    return Handle(new T(), {this});
  }

  void Recycle(T* object) noexcept {
    const std::lock_guard lock(mutex_);
    object->next = free_;
    free_ = object;
  }

 private:
  T* Pop() {
    T* const object = free_;
    free_ = static_cast<T*>(object->next);
    object->next = nullptr;
    PrefetchAction(free_);
    return object;
  }

  std::mutex mutex_;  // protects free_; a leaf lock
  T* free_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_COMMON_OBJECT_POOL_H_
