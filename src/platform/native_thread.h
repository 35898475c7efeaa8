// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the system.
#ifndef HALYARD_PLATFORM_NATIVE_THREAD_H_
#define HALYARD_PLATFORM_NATIVE_THREAD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace halyard {

/// A thread as std::thread is, with a stack of a size of its own. Signals: see BlockedSignals.
class NativeThread {
 public:
  NativeThread() = default;
  NativeThread(NativeThread&& other) noexcept : id_(other.id_), joinable_(std::exchange(other.joinable_, false)) {}
  NativeThread& operator=(NativeThread&& other) noexcept {
    id_ = other.id_;
    joinable_ = std::exchange(other.joinable_, false);
    return *this;
  }

  /// Starts it; 0 or an error number of the system. Throws std::bad_alloc.
  /// @param stack_size  bytes; 0 for what the system gives
  int Start(std::function<void()> body, size_t stack_size);
  bool joinable() const { return joinable_; }
  bool IsCurrent() const;
  void join();
  void detach();

 private:
  uintptr_t id_ = 0;
  bool joinable_ = false;
};

/// Names the calling thread for debuggers and `top`: 15 characters at most.
void NameThisThread(const char* name) noexcept;

/// Has the calling thread's sleeps end as exactly as the system can. Linux otherwise adds 50 µs.
void SleepPrecisely() noexcept;

/// The same for as long as it exists, for a thread of the application. The thread that made it destroys it.
class PreciseSleeps {
 public:
  PreciseSleeps() noexcept;
  ~PreciseSleeps();
  PreciseSleeps(const PreciseSleeps&) = delete;
  PreciseSleeps& operator=(const PreciseSleeps&) = delete;

 private:
  int slack_ = 0;  // nanoseconds that the system added before; 0 if there is nothing to restore
};

}  // namespace halyard

#endif  // HALYARD_PLATFORM_NATIVE_THREAD_H_
