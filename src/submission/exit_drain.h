// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a library thread that the end of the process waits for (drain at exit).
#ifndef HALYARD_SUBMISSION_EXIT_DRAIN_H_
#define HALYARD_SUBMISSION_EXIT_DRAIN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/vendor_gate.h"

namespace halyard {

/// The state of a library thread that may hold the last reference to a device slightly longer than the application
/// does. Such a reference belongs to an operation whose signals the application has already seen. When the process
/// ends, these threads get 250 ms in total to finish the work that they have at that time. So completed operations are
/// cleaned up. Operations still in flight may not be.
///
/// exit() runs its handlers in the reverse order of their registration. So ComeBeforeEarlierHandlers() is called once
/// the first device of a vendor's library is open, before it is given work. Then the library has not shut down yet when
/// the handler runs. After the drain the handler closes the vendor's gate: from then on no thread
/// of the library is inside the vendor's library. A call that is under way is waited for, up to 10 s, however long the
/// 250 ms have passed.
class DrainsAtExit : public std::enable_shared_from_this<DrainsAtExit> {
 public:
  /// Makes the state of a thread, and registers it for the drain.
  template <class State>
  static std::shared_ptr<State> Make() {
    std::shared_ptr<State> made = std::make_shared<State>();
    made->Register();
    return made;
  }
  DrainsAtExit(const DrainsAtExit&) = delete;
  DrainsAtExit& operator=(const DrainsAtExit&) = delete;

  /// Makes the thread check for work. IsDrained() returns whether the thread has finished the work that it must finish.
  virtual void BeginDrain() noexcept = 0;
  virtual bool IsDrained() noexcept = 0;

  /// Makes the drain run before the handlers of exit() that are registered now, and close a vendor's gate afterwards.
  /// Does nothing if this process has called it for the gate. Thread-safe.
  static void ComeBeforeEarlierHandlers(VendorGate& gate) noexcept;
  /// Called before a thread starts that enters the gate.
  static void Adopt(VendorGate& gate) noexcept;
  /// Drains all threads. The thread that ends the process calls it, and is not waited for.
  static void DrainAll(Deadline deadline) noexcept;

 protected:
  DrainsAtExit();
  ~DrainsAtExit();
  /// The thread calls it first.
  void RunsOnThisThread() noexcept { thread_ = std::this_thread::get_id(); }

 private:
  struct List;
  void Register();
  bool MustDrain() const noexcept;

  const uint64_t process_;  // a child of fork() has the object, but not the thread
  std::atomic<std::thread::id> thread_{};
  bool registered_ = false;  // this and the links are protected by the list's lock
  DrainsAtExit* previous_ = nullptr;
  DrainsAtExit* next_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_EXIT_DRAIN_H_
