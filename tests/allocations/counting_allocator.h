// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this process takes from the heap: through the library's allocator, and through malloc() as a whole.
#ifndef HALYARD_TESTS_ALLOCATIONS_COUNTING_ALLOCATOR_H_
#define HALYARD_TESTS_ALLOCATIONS_COUNTING_ALLOCATOR_H_

#include <cstdint>

namespace halyard::allocations {

/// Makes the library take its memory through a counter; before any other call of the library.
void InstallCountingAllocator();

/// Allocations of the library so far, and how many of them are still there.
uint64_t LibraryAllocations();
int64_t LiveLibraryAllocations();
/// Their bytes, as they were asked for.
int64_t LiveLibraryBytes();
/// The most that these were since ForgetPeak().
int64_t PeakLibraryBytes();
void ForgetPeak();

/// Lets the `n`-th allocation of the library from now on fail, and no other; 0 lets none fail.
void FailAllocation(uint64_t n);
/// Lets every allocation of the library fail, until FailAllocation(0).
void FailAllAllocations();
/// Whether the allocation that was to fail has come.
bool HasFailed();

/// Whether malloc() is counted in this build.
bool CountsMalloc();
/// Calls of malloc() and its relatives so far, from any thread and library of the process.
uint64_t Mallocs();

}  // namespace halyard::allocations

#endif  // HALYARD_TESTS_ALLOCATIONS_COUNTING_ALLOCATOR_H_
