// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that runs what it is given, in order.
#ifndef HALYARD_STREAM_WORKER_THREAD_H_
#define HALYARD_STREAM_WORKER_THREAD_H_

#include <memory>
#include <mutex>

#include "common/action_drain.h"
#include "common/library_thread.h"

namespace halyard::stream {

/// Runs items one after the other on a thread of its own, which starts with the first one.
///
/// The destructor may run on that very thread, when an item drops the last reference to the device that owns it: the
/// thread touches nothing but its own state then, and hal_shutdown() joins it. All items are done by then, as each
/// keeps the device alive.
class WorkerThread {
 public:
  WorkerThread();
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /// Runs `item` soon; on this thread if no other can be had.
  void Enqueue(Runnable* item) noexcept;

 private:
  struct State;
  static void Loop(const std::shared_ptr<State>& state);
  bool Start() noexcept;

  const std::shared_ptr<State> state_;
  std::once_flag started_;
  LibraryThread thread_;       // written once, by the thread that starts it
  bool started_well_ = false;  // likewise
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_WORKER_THREAD_H_
