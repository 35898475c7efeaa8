// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a thread has had a processor.
#ifndef HALYARD_PLATFORM_THREAD_TIME_H_
#define HALYARD_PLATFORM_THREAD_TIME_H_

#include <cstdint>

namespace halyard {

/// Nanoseconds for which the calling thread has had a processor. Costs a system call. 0 if unknown.
uint64_t ProcessorTimeOfThread() noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_THREAD_TIME_H_
