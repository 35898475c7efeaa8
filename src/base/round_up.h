// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_BASE_ROUND_UP_H_
#define HALYARD_BASE_ROUND_UP_H_

#include <type_traits>

namespace halyard {

/// The first multiple of `step` that is not less than `value`. The sum of both must not overflow.
template <class T>
constexpr T RoundUp(T value, std::type_identity_t<T> step) {
  return (value + step - 1) / step * step;
}

}  // namespace halyard

#endif  // HALYARD_BASE_ROUND_UP_H_
