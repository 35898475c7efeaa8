// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that retires a queue's submissions when no other thread does.
#ifndef HALYARD_SUBMISSION_COMPLETION_THREAD_H_
#define HALYARD_SUBMISSION_COMPLETION_THREAD_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/host_event.h"
#include "base/library_thread.h"
#include "base/status.h"
#include "submission/exit_drain.h"

namespace halyard {

/// The work of a completion thread, which calls Serve() each time it is awake.
class CompletionService {
 public:
  /// How the thread may rest afterwards.
  enum class Rest {
    kNone,      ///< there is more to do
    kBrief,     ///< a caller waits, and the thread must poll again
    kShort,     ///< work is in flight that no caller waits for
    kLong,      ///< nothing is in flight
    kFinished,  ///< the last reference to the device was released
  };
  virtual Rest Serve() noexcept = 0;

 protected:
  ~CompletionService() = default;
};

/// A thread that sleeps until its queue needs service. The handshake:
///
/// The thread has three states. *Awake*: it checks for requests again before it rests. *Dozing*: it calls Serve() again
/// after 20 µs to 16 ms, or earlier if a caller requests it. *Asleep*: it does not call Serve() until it is woken. A
/// caller that needs service now calls Request(), which wakes a dozing or sleeping thread. A submitter calls Notice(),
/// which wakes only a sleeping thread. The thread dozes for a while after the last submission, so a stream of
/// submissions makes no system call.
///
/// No request is missed. A caller first increments a counter and then reads the thread's state. The thread first writes
/// its state and then reads the counter (all sequentially consistent). So either the caller sees that it must wake the
/// thread, or the thread sees the new count and does not sleep.
///
/// The destructor may run on the thread itself, from within Serve(). After that the thread uses only its State, which
/// it shares with this object, and hal_shutdown() joins it.
class CompletionThread {
 public:
  CompletionThread();
  ~CompletionThread();
  CompletionThread(const CompletionThread&) = delete;
  CompletionThread& operator=(const CompletionThread&) = delete;

  /// Starts the thread. `service` must outlive this object. RESOURCE_EXHAUSTED.
  Status Start(CompletionService& service);
  /// Ends the thread. When Stop() returns, the thread has left Serve(), unless the caller is that thread.
  void Stop() noexcept;

  /// The queue needs service now. Wakes a dozing or sleeping thread.
  void Request() noexcept { state_->Request(); }
  /// A submission was made, which needs service later. Wakes only a sleeping thread.
  void Notice() noexcept;

 private:
  enum class Sleep : uint32_t { kAwake, kDozing, kAsleep };

  static constexpr uint64_t kNotRunning = UINT64_MAX;

  struct State final : DrainsAtExit {
    using DrainsAtExit::RunsOnThisThread;
    void Request() noexcept;
    void BeginDrain() noexcept override;
    bool IsDrained() noexcept override { return served.load() >= last_request.load(); }

    HostEvent bell;
    std::atomic<uint64_t> requests{0};
    std::atomic<uint64_t> served{kNotRunning};  // requests covered by Serve(); all if the thread does not run
    std::atomic<uint64_t> last_request{0};      // that must be served before the process ends
    std::atomic<uint64_t> notices{0};
    std::atomic<Sleep> sleep{Sleep::kAwake};
    std::atomic<bool> stop{false};
  };

  static void Loop(State& state, CompletionService& service) noexcept;

  const std::shared_ptr<State> state_;
  LibraryThread thread_;
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_COMPLETION_THREAD_H_
