// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_BASE_PROCESS_ID_H_
#define HALYARD_BASE_PROCESS_ID_H_

#include <cstdint>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace halyard {

/// Tells a process from a child that fork() made: the child has the parent's objects and handlers of atexit(), but none
/// of its threads, and locks as they stood. The same for all where there is no fork().
inline uint64_t ProcessId() {
#if defined(__unix__) || defined(__APPLE__)
  return static_cast<uint64_t>(getpid());
#else
  return 0;
#endif
}

}  // namespace halyard

#endif  // HALYARD_BASE_PROCESS_ID_H_
