// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Labels of queue operations in C++. Those of objects are in halyard/cpp/handle.hpp.
#ifndef HALYARD_CPP_LABEL_HPP_
#define HALYARD_CPP_LABEL_HPP_

#include <cstdint>
#include <string_view>

#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/status.hpp"
#include "halyard/label.h"

HAL_CPP_BEGIN

/// While it exists, the queue operations that this thread submits have a label. It stays on its thread. Without memory
/// for it the operations do without.
class [[nodiscard]] LabelScope {
 public:
  explicit LabelScope(std::string_view label) : pushed_(hal_push_label(View(label)) == HAL_STATUS_OK) {}
  ~LabelScope() {
    if (pushed_) hal_pop_label();
  }
  LabelScope(const LabelScope&) = delete;
  LabelScope& operator=(const LabelScope&) = delete;

 private:
  const bool pushed_;
};

/// The number of the operation that this thread submitted last in a LabelScope; 0 if there is none.
inline uint64_t LastOperation() { return hal_last_operation(); }

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_LABEL_HPP_
