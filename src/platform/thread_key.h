// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the system calls when a thread ends.
#ifndef HALYARD_PLATFORM_THREAD_KEY_H_
#define HALYARD_PLATFORM_THREAD_KEY_H_

#include <cstdint>

namespace halyard {

/// Has `at_end` called at the end of each thread that has a value, with that value, until it is deleted.
class ThreadKey {
 public:
  /// False if the system has no more keys.
  bool Make(void (*at_end)(void* value)) noexcept;
  /// Gives the calling thread a value other than NULL. False if there is no memory.
  bool Set(const void* value) const noexcept;
  void Delete() const noexcept;

 private:
  uintptr_t key_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_PLATFORM_THREAD_KEY_H_
