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

/// What the thread does each time it is awake.
class CompletionService {
 public:
  /// How the thread may rest afterwards.
  enum class Rest {
    kNone,      ///< there is more to do
    kBrief,     ///< a caller waits for what only another poll can tell
    kShort,     ///< work is in flight that no caller waits for
    kLong,      ///< nothing is in flight
    kFinished,  ///< the queue is going away
  };
  virtual Rest Serve() noexcept = 0;

 protected:
  ~CompletionService() = default;
};

/// Sleeps and wakes for a queue. The handshake:
///
/// The thread has three states. *Awake*: it will look again before it sleeps. *Dozing*: it looks again after some
/// milliseconds, or earlier if a caller waits. *Asleep*: it does not look until it is woken. A caller that needs
/// service now calls Request(), which wakes a dozing or sleeping thread. A submitter calls Notice(), which wakes only a
/// sleeping thread. The thread dozes for a while after the last submission, so a stream of submissions makes no system
/// call.
///
/// No request is missed. A caller first increments a counter and then reads the thread's state. The thread first writes
/// its state and then reads the counter (all sequentially consistent). So either the caller sees that it must wake the
/// thread, or the thread sees the new count and does not sleep.
///
/// The destructor may run on the thread itself, from within Serve(): the thread touches only its State then, which it
/// shares, and hal_shutdown() joins it.
class CompletionThread {
 public:
  CompletionThread();
  ~CompletionThread();
  CompletionThread(const CompletionThread&) = delete;
  CompletionThread& operator=(const CompletionThread&) = delete;

  /// Starts the thread. `service` must outlive this object. RESOURCE_EXHAUSTED.
  Status Start(CompletionService& service);
  /// Ends the thread, which is not in Serve() any more when this returns (unless this is that thread).
  void Stop() noexcept;

  /// Something is to be done now.
  void Request() noexcept { state_->Request(); }
  /// Something was submitted that will want service some time.
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
    std::atomic<uint64_t> served{kNotRunning};  // that many requests, all that there are if the thread does not run
    std::atomic<uint64_t> last_request{0};      // before the process ends
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
