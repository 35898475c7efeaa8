// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds what an image can make its reader do and keep, in proportion to the image's size.
#ifndef HALYARD_IMAGE_REFLECTION_READING_BUDGET_H_
#define HALYARD_IMAGE_REFLECTION_READING_BUDGET_H_

#include <cstddef>
#include <string_view>

#include "base/status.h"

namespace halyard {

/// An image can name one thing many times: a struct of many variables, a name of many kernels, a function of many
/// callers. A reader that follows each mention pays for it here. Units are bytes that are kept, or steps of 100 ns.
class ReadingBudget {
 public:
  static constexpr size_t kUnitsPerByte = 8;             ///< of the image; compilers' output takes less than 1
  static constexpr size_t kFreeUnits = size_t{1} << 20;  ///< of every image
  static constexpr size_t kKernel = 512;
  static constexpr size_t kParameter = 64;

  explicit ReadingBudget(size_t image_size) : left_(image_size * kUnitsPerByte + kFreeUnits) {}

  /// @return INCOMPATIBLE once the image has taken all
  Status Take(size_t units) {
    if (units > left_) [[unlikely]]
      return Exceeded();
    left_ -= units;
    return kOk;
  }
  /// A parameter with its name.
  Status TakeParameter(std::string_view name) { return Take(kParameter + name.size()); }

 private:
  static Status Exceeded() {
    return FailWith(HAL_STATUS_INCOMPATIBLE,
                    "the image repeats so much (kernels, their parameters, names or calls) that reading it would take "
                    "too much time and memory for its size; divide it");
  }

  size_t left_;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_READING_BUDGET_H_
