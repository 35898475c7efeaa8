// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to do if the application ends a thread while the library has called it.
#ifndef HALYARD_PLATFORM_THREAD_END_H_
#define HALYARD_PLATFORM_THREAD_END_H_

namespace halyard {

/// For a catch block for everything, before anything else in it: whether it caught no C++ exception but the end of the
/// thread, by pthread_exit() or pthread_cancel(). glibc ends a thread as if by an exception that no catch block may
/// keep, or it aborts the process. After this call the block may keep it, and the thread goes on.
bool KeepThread() noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_THREAD_END_H_
