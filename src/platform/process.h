// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process, its children and its user.
#ifndef HALYARD_PLATFORM_PROCESS_H_
#define HALYARD_PLATFORM_PROCESS_H_

#include <cstdint>

namespace halyard {

/// Tells a process from a child that fork() made: the child has the parent's objects and handlers of atexit(), but none
/// of its threads, and locks as they stood. The same for all where there is no fork().
uint64_t ProcessId() noexcept;

/// Has fork() call the first function before it, then the second one in the parent and the third one in the child.
/// False if there is no memory. Does nothing where there is no fork().
bool AtFork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

/// The number of the user whose rights this process has.
uint64_t CurrentUser() noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_PROCESS_H_
