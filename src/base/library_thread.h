// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's own threads: how they start, and that each of them is joined.
#ifndef HALYARD_BASE_LIBRARY_THREAD_H_
#define HALYARD_BASE_LIBRARY_THREAD_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/status.h"
#include "platform/native_thread.h"

namespace halyard {

/// A thread of the library. Its signals and floating-point state are those of ThreadDefaults. Its owner ends it, which
/// may happen on the thread itself: a device may lose its last reference there. The thread goes on then and touches
/// nothing of its owner; hal_shutdown() joins it.
class LibraryThread {
 public:
  LibraryThread() = default;
  ~LibraryThread() { End(); }
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;

  /// Runs `body`, which must not throw, on a new thread. RESOURCE_EXHAUSTED with the system's reason, after `what`.
  /// @param name  for debuggers and `top`; a constant of at most 15 characters
  /// @param stack_size  bytes; 0 for what the system gives
  Status Start(const char* name, const char* what, std::function<void()> body, size_t stack_size = 0) noexcept;
  /// Joins the thread, or leaves it to hal_shutdown(). The owner has told it to end. Does nothing without a thread.
  void End() noexcept;

  /// Leaves the thread to hal_shutdown(), which joins it. The owner has told it to end.
  void Leave() noexcept;
  /// Leaves the thread alone, which may never end and touches nothing that goes. No other thread joins it.
  void Abandon() noexcept;

  /// While one exists, its thread, one of the library, waits for work and has nothing of earlier work. A thread that
  /// waits without it is taken for one that works.
  class Rest {
   public:
    Rest() noexcept;
    ~Rest();
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
  };
  /// Whether a thread of this process works: it may have references that it is about to release.
  static bool AnyWorks() noexcept;
  /// How many threads of the process `process` work.
  static uint32_t CountWorking(uint64_t process) noexcept;

  /// Whether the calling thread is one of the library.
  static bool OnOne();
  /// Joins the threads that were left, all of which have been told to end.
  static void JoinLeft() noexcept;
  /// Joins those that have ended; false if others are left.
  static bool JoinEnded() noexcept;

 private:
  NativeThread thread_;
  std::shared_ptr<std::atomic<bool>> ended_;  // set by the thread as its last step
};

}  // namespace halyard

#endif  // HALYARD_BASE_LIBRARY_THREAD_H_
