// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the package's objects by kind, so that a test finds what is kept.
#ifndef HALYARD_PYTHON_LIVE_H_
#define HALYARD_PYTHON_LIVE_H_

#include <atomic>
#include <cstdint>

namespace halyard::python {

/// Objects of a class T that exist; T::kKind is what the count is called.
template <class T>
class Live {
 public:
  Live() { count_.fetch_add(1, std::memory_order_relaxed); }
  Live(const Live&) : Live() {}
  Live& operator=(const Live&) = default;
  ~Live() { count_.fetch_sub(1, std::memory_order_relaxed); }

  static int64_t Count() { return count_.load(std::memory_order_relaxed); }

 private:
  static inline std::atomic<int64_t> count_{0};
};

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_LIVE_H_
