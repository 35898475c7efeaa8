// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several functions as one overloaded function object.
#ifndef HALYARD_BASE_OVERLOADED_H_
#define HALYARD_BASE_OVERLOADED_H_

namespace halyard {

/// `Overloaded{[](int) {...}, [](float) {...}}` is called as the function whose parameter fits best.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace halyard

#endif  // HALYARD_BASE_OVERLOADED_H_
