// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is once in a process.
#ifndef HALYARD_BASE_PROCESS_WIDE_H_
#define HALYARD_BASE_PROCESS_WIDE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/small_mutex.h"

namespace halyard {

struct ForkHandlers;

/// What ProcessWide knows of one object, whatever its type.
class ProcessWideEntry {
 public:
  using Step = void (*)();
  constexpr ProcessWideEntry(Step destroy, Step forget) : destroy_(destroy), forget_(forget) {}

  /// Has the two functions below see the object. Does nothing the second time.
  void Link() noexcept {
    if (!linked_.load(std::memory_order_acquire)) LinkOnce();
  }

  /// Destroys all objects, the last one that was linked first. No other thread may be in the library. They are made
  /// again when they are asked for.
  static void DestroyAll() noexcept;

 private:
  friend struct ForkHandlers;

  void LinkOnce() noexcept;

  const Step destroy_;
  const Step forget_;  // in a child of fork(): the object stays where it is, but the child gets one of its own
  std::atomic<bool> linked_{false};
  ProcessWideEntry* next_ = nullptr;  // protected by the list's own lock until linked_ is true
};

/// One `T` for the process, made when it is first asked for.
///
/// It outlives main(), as devices and threads may; hal_shutdown() destroys it. A child process of fork() begins without
/// it: the parent's object may be in the middle of a change, with its lock held by a thread that the child has not.
///
/// Two threads may make one at the same time; then one of them is destroyed unused.
template <class T>
class ProcessWide {
 public:
  /// May throw what the constructor throws.
  static T& Get() {
    T* const object = Find();
    return object ? *object : Keep(std::make_unique<T>());
  }
  /// NULL if there is none yet.
  static T* Find() noexcept { return g_object.load(std::memory_order_acquire); }
  /// Makes `made` the one of the process, unless there is one.
  static T& Keep(std::unique_ptr<T> made) noexcept {
    // After the objects that the constructor asked for, so that they are destroyed after this one.
    g_entry.Link();
    T* kept = nullptr;
    if (!g_object.compare_exchange_strong(kept, made.get(), std::memory_order_acq_rel)) return *kept;
    return *made.release();
  }
  /// No other thread may use it. It is made again when it is asked for.
  static void Destroy() noexcept { delete g_object.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  // Kept in reach, so that no leak is reported in a child, and not in a child's child either.
  static void Forget() noexcept {
    T* const forgotten = g_object.exchange(nullptr, std::memory_order_acq_rel);
    if (forgotten) g_inherited[g_inherited_count++ % g_inherited.size()] = forgotten;
  }

  static constinit inline std::atomic<T*> g_object{nullptr};
  static constinit inline std::array<T*, 4> g_inherited{};
  static constinit inline size_t g_inherited_count = 0;
  static constinit inline ProcessWideEntry g_entry{Destroy, Forget};
};

/// A lock of a static object that is neither destroyed nor made again. fork() takes it, so that the child finds it free
/// and what it protects whole. Constant initialisation only. A leaf: no other such lock may be taken under it.
class ForkSafeMutex {
 public:
  constexpr ForkSafeMutex() = default;
  void lock() {
    if (!linked_.load(std::memory_order_acquire)) Link();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  friend struct ForkHandlers;
  void Link() noexcept;

  SmallMutex mutex_;
  std::atomic<bool> linked_{false};
  ForkSafeMutex* next_ = nullptr;  // protected by the list's own lock
};

}  // namespace halyard

#endif  // HALYARD_BASE_PROCESS_WIDE_H_
