// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One chain of queue operations, each of which waits for the one before it.
#ifndef HALYARD_TOOLS_SUPPORT_TIMELINE_H_
#define HALYARD_TOOLS_SUPPORT_TIMELINE_H_

#include <cstdint>
#include <string_view>

#include "support/program/handles.h"

namespace halyard::tools {

/// A semaphore that counts finished operations. Nothing blocks until Wait().
class Timeline {
 public:
  explicit Timeline(hal_device_t* device)
      : semaphore_(Create<Semaphore>(ExitCode::kDevice, "create a semaphore", hal_semaphore_create, device, nullptr)) {}

  /// Submits `operation(waits, signals)`, a call of one of the hal_device_queue_… functions.
  template <class Operation>
  void Submit(std::string_view doing, Operation&& operation) {
    const hal_timeline_point_t before = hal_timeline_point(semaphore_.get(), submitted_);
    const hal_timeline_point_t after = hal_timeline_point(semaphore_.get(), submitted_ + 1);
    Check(operation(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1)), ExitCode::kRun, doing);
    ++submitted_;
  }

  /// Blocks until all that was submitted is done. If an operation failed, this is where it shows.
  void Wait(std::string_view doing) const {
    Check(hal_semaphore_wait(semaphore_.get(), submitted_, HAL_TIMEOUT_INFINITE), ExitCode::kRun, doing);
  }

 private:
  Semaphore semaphore_;
  uint64_t submitted_ = 0;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_TIMELINE_H_
