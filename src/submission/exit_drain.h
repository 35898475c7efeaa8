// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the end of the process waits for.
#ifndef HALYARD_SUBMISSION_EXIT_DRAIN_H_
#define HALYARD_SUBMISSION_EXIT_DRAIN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/clock.h"

namespace halyard {

/// The state of a library thread that may hold the last reference to a device slightly longer than the application
/// does. Such a reference belongs to an operation whose signals the application has already seen. When the process
/// ends, these threads get 250 ms in total to finish the work that they have at that time. So completed operations are
/// cleaned up. Operations still in flight may not be.
///
/// Handlers of exit() run in the reverse of their order. So whatever loads a vendor's library registers once more after
/// its initialisation (ComeBeforeEarlierHandlers()): the library has not shut down yet when its devices' threads end.
class DrainsAtExit : public std::enable_shared_from_this<DrainsAtExit> {
 public:
  /// Makes the state of a thread, and has the end of the process wait for it.
  template <class State>
  static std::shared_ptr<State> Make() {
    std::shared_ptr<State> made = std::make_shared<State>();
    made->Register();
    return made;
  }
  DrainsAtExit(const DrainsAtExit&) = delete;
  DrainsAtExit& operator=(const DrainsAtExit&) = delete;

  /// Has the thread look at what there is to do; what it must have come to the end of is what IsDrained() tells.
  virtual void BeginDrain() noexcept = 0;
  virtual bool IsDrained() noexcept = 0;

  /// Has the end of the process come here before the handlers of exit() that are registered now. For each vendor's
  /// library, once it is initialised.
  static void ComeBeforeEarlierHandlers() noexcept;
  /// What happens when the process ends, on the thread that ends it, which is not waited for.
  static void DrainAll(Deadline deadline) noexcept;

 protected:
  DrainsAtExit();
  ~DrainsAtExit();
  /// Called first by the thread.
  void RunsOnThisThread() noexcept { thread_ = std::this_thread::get_id(); }

 private:
  struct List;
  void Register();
  bool MustDrain() const noexcept;

  const uint64_t process_;  // a child has the object, but not the thread
  std::atomic<std::thread::id> thread_{};
  bool registered_ = false;  // this and the links are protected by the list's lock
  DrainsAtExit* previous_ = nullptr;
  DrainsAtExit* next_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_EXIT_DRAIN_H_
