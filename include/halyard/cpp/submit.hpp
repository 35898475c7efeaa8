// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What every queue operation is given, in C++.
#ifndef HALYARD_CPP_SUBMIT_HPP_
#define HALYARD_CPP_SUBMIT_HPP_

#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/status.hpp"
#include "halyard/queue.h"

HAL_CPP_BEGIN

/// hal_submit_params_t as an argument, which is where it lives: what is waited for and what is signalled, on any queue,
/// or on those given.
class SubmitParams {
 public:
  SubmitParams(hal_semaphore_list_t waits, hal_semaphore_list_t done, hal_queue_mask_t queues = HAL_QUEUE_ANY)
      : params_(hal_submit_params(waits, done)) {
    params_.queues = queues;
  }
  operator const hal_submit_params_t*() const { return &params_; }  // NOLINT

 private:
  hal_submit_params_t params_;
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_SUBMIT_HPP_
