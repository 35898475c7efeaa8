// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the library's threads out of a vendor's library once the process ends.
#ifndef HALYARD_BASE_VENDOR_GATE_H_
#define HALYARD_BASE_VENDOR_GATE_H_

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/status.h"
#include "base/thread_local.h"

namespace halyard {

/// DEVICE_LOST, for what would need a thread of the library after a gate is closed.
Status FailAtExit();

/// The way of the library's own threads into one vendor's library.
///
/// A vendor's library shuts down in a handler of exit(). A thread that is inside at that time may crash the process. So
/// threads of the library call the vendor within a Scope. When the process ends, Close() lets no further thread in and
/// waits until those inside have left. Threads of the application pass unseen.
///
/// No thread is missed. A thread counts itself first and then reads whether the gate is closed. Close() closes the gate
/// first and then reads the count (all sequentially consistent). A child of fork() has none of the parent's threads, so
/// it begins with an open gate and a count of 0.
class VendorGate {
 public:
  class Scope;
  class Pause;
  /// Exists on the stack of each thread of the library as long as the thread runs.
  class Thread {
   public:
    Thread() noexcept { t_current = this; }
    ~Thread() { t_current = nullptr; }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    /// Whether the calling thread is one of the library.
    static bool IsCurrent() { return t_current != nullptr; }

   private:
    friend class VendorGate;
    // As DrainScope's.
    HALYARD_READ_BY_EVERY_CALL static thread_local constinit inline Thread* t_current = nullptr;
    Scope* innermost_ = nullptr;
  };

  constexpr VendorGate() = default;
  VendorGate(const VendorGate&) = delete;
  VendorGate& operator=(const VendorGate&) = delete;

  /// Begins anew in a child of fork(), before its first thread can be inside. One thread at a time.
  void Adopt() noexcept;
  /// Whether the process calls it for the first time. One thread at a time.
  bool TakeHandler() noexcept;
  /// Lets no thread of the library in any more, and waits for those inside until the deadline.
  void Close(Deadline deadline) noexcept;
  /// Threads of the library that are inside.
  uint32_t inside() const noexcept { return inside_.load(std::memory_order_seq_cst); }
  bool closed() const noexcept { return closed_.load(std::memory_order_seq_cst); }

 private:
  bool Join() noexcept;
  void Leave() noexcept { inside_.fetch_sub(1, std::memory_order_release); }

  std::atomic<uint64_t> process_{0};  // whose threads are counted
  uint64_t handled_ = 0;              // the process that has a handler of exit() for the gate
  std::atomic<uint32_t> inside_{0};
  std::atomic<bool> closed_{false};
};

/// The calling thread calls the vendor. Scopes nest; only the outermost of a gate is counted.
class VendorGate::Scope {
 public:
  explicit Scope(VendorGate& gate) noexcept {
    if (Thread* const thread = Thread::t_current) Enter(*thread, gate);
  }
  ~Scope() {
    if (thread_) Leave();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Whether the thread may call the vendor. False once the process ends.
  bool open() const noexcept { return open_; }

 private:
  friend class Pause;
  void Enter(Thread& thread, VendorGate& gate) noexcept;
  void Leave() noexcept;

  VendorGate* gate_ = nullptr;
  Thread* thread_ = nullptr;  // NULL for threads of the application
  Scope* outer_ = nullptr;
  bool counted_ = false;
  bool open_ = true;
};

/// The calling thread does not call the vendor for any time: it calls the application, or sleeps. Close() does not wait
/// for it meanwhile. The thread's scopes may not be open() afterwards.
class VendorGate::Pause {
 public:
  Pause() noexcept {
    Thread* const thread = Thread::t_current;
    if (thread && thread->innermost_) Begin(*thread);
  }
  ~Pause() {
    if (paused_) End();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  void Begin(Thread& thread) noexcept;
  void End() noexcept;

  Thread* thread_ = nullptr;
  Scope* paused_ = nullptr;  // the innermost scope of the thread
};

/// Makes a call that does not call the vendor and may take any time, within scopes of the gate. DEVICE_LOST if they are
/// not open afterwards.
template <class Call>
Status OutsideVendor(VendorGate& gate, const Call& call) {
  Status status = kOk;
  {
    const VendorGate::Pause pause;
    status = call();
  }
  const VendorGate::Scope scope(gate);
  if (scope.open()) return status;
  status.Ignore();
  return FailAtExit();
}

}  // namespace halyard

#endif  // HALYARD_BASE_VENDOR_GATE_H_
