// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How thread-local variables are reached.
#ifndef HALYARD_BASE_THREAD_LOCAL_H_
#define HALYARD_BASE_THREAD_LOCAL_H_

#include <cstddef>
#include <cstdint>

/// Before a thread-local variable that every call reads. In a shared library the default model on x86-64 is a call each
/// time. This one is a load, and takes the variable from the few bytes that glibc keeps for libraries that are loaded
/// late. All thread-local variables of the library have 64 bytes at most, so that many copies of it find room. musl
/// keeps no such bytes, and refuses a library that wants some.
///
/// TLS descriptors are no way on x86-64: glibc before 2.40 may destroy vector registers in their first use on a thread.
/// AArch64 has them by default, and its glibc saves those registers.
#if defined(__x86_64__) && defined(__GLIBC__)
#define HALYARD_READ_BY_EVERY_CALL [[gnu::tls_model("initial-exec")]]
#else
#define HALYARD_READ_BY_EVERY_CALL
#endif

namespace halyard {

/// What calls look at, in one word. Each member belongs to the class that it is named for.
struct ThreadWord {
  /// DrainScope: twice the number of scopes, and 1 more while nothing is deferred. So the one subtraction at the end of
  /// a scope tells both whether it was the outermost and whether it has anything to run: then this becomes 0.
  int32_t drain_state = 1;
  uint16_t application_depth = 0;  // ApplicationScope: functions of the application that this thread is in
};
HALYARD_READ_BY_EVERY_CALL inline thread_local constinit ThreadWord t_thread;

}  // namespace halyard

#endif  // HALYARD_BASE_THREAD_LOCAL_H_
