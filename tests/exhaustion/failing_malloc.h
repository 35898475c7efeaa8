// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc() and its relatives for the whole process, of which one call, or each from one on, can be made to fail.
#ifndef HALYARD_TESTS_EXHAUSTION_FAILING_MALLOC_H_
#define HALYARD_TESTS_EXHAUSTION_FAILING_MALLOC_H_

#include <cstdint>

namespace halyard::exhaustion {

enum class Failing {
  kOnce,  ///< one call fails, and those after it find memory again
  kOn,    ///< each call from that one on fails
};

/// Only calls that the library makes, or that others make for it, are counted and fail: not those of this program and
/// of the simulated vendor library. Call this before anything else, and while there is one thread.
void LearnWhoIsWho();

/// From now on the `n`-th call fails; 0 lets none fail. Counts from 1.
void FailMalloc(uint64_t n, Failing failing);
/// No call fails any more. Returns how many were counted.
uint64_t StopFailing();
/// Calls that failed since FailMalloc().
uint64_t FailedMallocs();
/// Writes to standard error from where the first of them came.
void PrintFirstFailure();

/// Whether that was the dynamic loader, which may then say what it wants.
bool LoaderFailedFirst();

/// Blocks that were counted, since LearnWhoIsWho(), and are not freed.
int64_t LiveBlocks();
/// Writes to standard error where those came from.
void PrintLiveBlocks();

}  // namespace halyard::exhaustion

#endif  // HALYARD_TESTS_EXHAUSTION_FAILING_MALLOC_H_
