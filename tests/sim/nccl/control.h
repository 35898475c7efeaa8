// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test can ask of a simulated NCCL or RCCL, and how it makes it fail. The library exports the functions. They
// are thread-safe and count as no call of the vendor's.
#ifndef HALYARD_TESTS_SIM_NCCL_CONTROL_H_
#define HALYARD_TESTS_SIM_NCCL_CONTROL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The n-th call of a function from now on, counted from 1, returns `result` and does nothing. NULL stands for all
// functions, 0 calls it off.
void halyardNcclSimFail(const char* name, uint64_t nth, int result);
// Calls that were made to fail since the last halyardNcclSimFail().
uint64_t halyardNcclSimFailures(void);
// Calls of one function so far.
uint64_t halyardNcclSimCalls(const char* name);
// Communicators that exist.
uint64_t halyardNcclSimCommunicators(void);
// Whether operations that begin from now on never end by themselves, as if a rank had gone.
void halyardNcclSimStall(int stalls);
// What ncclCommGetAsyncError() says of all communicators that exist.
void halyardNcclSimSetAsyncError(int result);

#ifdef __cplusplus
}
#endif

#endif  // HALYARD_TESTS_SIM_NCCL_CONTROL_H_
