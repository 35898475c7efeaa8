// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that runs what it is given, in order.
#ifndef HALYARD_SUBMISSION_WORKER_THREAD_H_
#define HALYARD_SUBMISSION_WORKER_THREAD_H_

#include <memory>
#include <mutex>

#include "base/drain_scope.h"
#include "base/library_thread.h"

namespace halyard {

/// Runs items one after the other on a thread of its own, which starts with the first one.
///
/// The destructor may run on that very thread, when an item drops the last reference to the device that owns it: the
/// thread touches nothing but its own state then, and hal_shutdown() joins it. It still runs what it was given.
class WorkerThread final : public CallTaker {
 public:
  /// What the destructor does about the thread.
  enum class End {
    kJoin,   ///< waits for it: its items keep the device alive, so that there are none
    kLeave,  ///< leaves it alone: its items need nothing of the device, and may take what time they like
  };
  explicit WorkerThread(End end = End::kJoin);
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /// Runs `item` soon; on this thread if no other can be had.
  void Enqueue(Runnable* item) noexcept override;

 private:
  struct State;
  static void Loop(const std::shared_ptr<State>& state);
  bool Start() noexcept;

  const End end_;
  const std::shared_ptr<State> state_;
  std::once_flag started_;
  LibraryThread thread_;       // written once, by the thread that starts it
  bool started_well_ = false;  // likewise
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_WORKER_THREAD_H_
