// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that runs items in order.
#ifndef HALYARD_SUBMISSION_WORKER_THREAD_H_
#define HALYARD_SUBMISSION_WORKER_THREAD_H_

#include <memory>
#include <mutex>

#include "base/drain_scope.h"
#include "base/library_thread.h"
#include "base/vendor_gate.h"

namespace halyard {

/// Runs items one after the other on a thread of its own, which starts with the first one.
///
/// The destructor may run on that thread, if an item releases the last reference to the device that owns this object.
/// After that the thread uses only its own state, and hal_shutdown() joins it. It still runs the items that it has.
class WorkerThread final : public CallTaker {
 public:
  /// What the destructor does about the thread.
  enum class End {
    kJoin,   ///< waits for the thread: its items keep the device alive, so none are left
    kLeave,  ///< lets the thread run: its items need nothing of the device, and may take any time
  };
  /// @param gate  of the vendor that the items call; none begins once it is closed. NULL if they call none
  explicit WorkerThread(End end = End::kJoin, VendorGate* gate = nullptr);
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /// Runs `item` soon; on the calling thread if the worker cannot be started.
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
