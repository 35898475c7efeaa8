// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends submissions that the device has completed, in an order that keeps timelines rising.
#ifndef HALYARD_SUBMISSION_RETIREMENT_H_
#define HALYARD_SUBMISSION_RETIREMENT_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "submission/submission_queue.h"

namespace halyard {

/// Retires the completed submissions of a device.
///
/// One thread at a time retires: the first one that calls Run(). A thread that calls Run() meanwhile only increments a
/// counter, and the retiring thread makes another pass, up to 16 in a row. Then a completion thread takes over. So
/// Run() never waits, and the functions that it calls may call it. Any function of the library may call Run(), which
/// delays all queues while it runs. Therefore another thread runs callbacks of the application and work that may take
/// long. Run() itself calls sinks and release callbacks, because later steps rely on it.
///
/// Order. A submission gets its index after all that it depends on has one, and submissions are retired by rising
/// index. Suppose that A moves a timeline to 1, and then B moves it to 2. A must be retired before B, so A must be
/// known as completed when B is. But B's lane may report B before A's lane reports A. So when B is known as completed,
/// Retirement marks all that B waited for as completed.
class Retirement {
 public:
  using Queues = HostVector<std::unique_ptr<SubmissionQueue>>;

  /// `queues`, and `calls`, which takes the callbacks, must outlive this object.
  Retirement(const Queues& queues, CallTaker& calls) : queues_(queues), calls_(calls) {}

  /// Called before the first Run().
  void Prepare() { progress_.resize(queues_.size()); }
  /// Retires the first `count` queues from now on. `count` never falls.
  void Admit(size_t count) { admitted_.store(count, std::memory_order_release); }

  /// Retires completed submissions. The caller keeps the device alive meanwhile.
  void Run() noexcept;

 private:
  /// The state of one queue during a pass.
  struct Progress {
    uint64_t completed = 0;  // epochs up to it are known as completed
    uint64_t scanned = 0;    // the waits of epochs up to it were followed
    Oldest oldest;           // the next to be ended; its action is NULL if there is none
  };

  void Pass() noexcept;
  void LookAtQueues() noexcept;
  bool RaiseByJoins(size_t index) noexcept;
  void LookAtOldest(Progress* progress) noexcept;
  Progress* FirstInOrder() noexcept;

  const Queues& queues_;
  CallTaker& calls_;
  std::atomic<size_t> admitted_{0};
  std::atomic<uint32_t> requests_{0};  // not 0 while a thread is at work
  HostVector<Progress> progress_;      // used by that thread
  size_t count_ = 0;                   // queues of a pass; used by that thread
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_RETIREMENT_H_
