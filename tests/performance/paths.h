// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured: one call of each path that every application takes often.
#ifndef HALYARD_TESTS_PERFORMANCE_PATHS_H_
#define HALYARD_TESTS_PERFORMANCE_PATHS_H_

#include <cstdint>
#include <vector>

#include "allocations/operations.h"

namespace halyard::performance {

/// What paths work with, on `local://sync`: everything that a call brings about happens on the calling thread.
class Bench {
 public:
  Bench();

  const allocations::Workplace& place() const { return place_; }
  /// A list with one point that is reached.
  hal_semaphore_list_t Reached() const { return {&reached_, 1}; }
  /// A list with the next value of the timeline that operations signal.
  hal_semaphore_list_t Next();
  /// A list with the value that Next() named last.
  hal_semaphore_list_t Last() const { return {&next_, 1}; }
  /// One workgroup, two bindings, 8 bytes of constants.
  const hal_dispatch_params_t& dispatch() const { return dispatch_; }
  /// Recorded into, never ended.
  hal_command_buffer_t* recording() const { return recording_; }
  hal_command_buffer_t* unvalidated_recording() const { return unvalidated_recording_; }
  /// One dispatch.
  hal_command_buffer_t* reusable() const { return reusable_; }
  /// A new one that is being recorded.
  allocations::CommandBufferHandle Begin(hal_command_buffer_flags_t flags) const;

 private:
  allocations::Workplace place_;
  hal_timeline_point_t reached_{};
  hal_timeline_point_t next_{};
  uint64_t constants_ = 42;
  std::array<hal_buffer_ref_t, 2> bindings_{};
  hal_dispatch_params_t dispatch_ = HAL_DISPATCH_PARAMS_INIT;
  allocations::CommandBufferHandle recording_;
  allocations::CommandBufferHandle unvalidated_recording_;
  allocations::CommandBufferHandle reusable_;
};

struct Path {
  const char* name;
  hal_status_t (*run)(Bench& bench);
};

extern const std::vector<Path> kPaths;

}  // namespace halyard::performance

#endif  // HALYARD_TESTS_PERFORMANCE_PATHS_H_
