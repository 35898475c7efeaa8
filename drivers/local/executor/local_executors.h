// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executors that devices share.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_EXECUTORS_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_EXECUTORS_H_

#include "local/executor/local_executor.h"

namespace halyard::local {

/// Runs everything on the thread that submits or releases it. Never destroyed.
Executor& TheSyncExecutor();

/// The most threads of a pool: 256, or the machine's processors if they are more.
int MaxTaskThreads();

/// Runs everything on a pool of `thread_count` threads with stacks of `stack_size` bytes, which devices of the same
/// numbers share.
///
/// The pool stays until hal_shutdown() joins it: a device may lose its last reference on a thread of it. A child of
/// fork() makes pools of its own, as it has none of the parent's threads.
/// @return RESOURCE_EXHAUSTED (not all threads could be had; none is left then)
Status TaskExecutorOf(int thread_count, uint64_t stack_size, Executor** out_executor);

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_EXECUTORS_H_
