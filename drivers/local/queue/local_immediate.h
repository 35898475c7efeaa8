// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that begin and end within their own submission.
#ifndef HALYARD_DRIVERS_LOCAL_QUEUE_LOCAL_IMMEDIATE_H_
#define HALYARD_DRIVERS_LOCAL_QUEUE_LOCAL_IMMEDIATE_H_

#include "halyard/driver_api.h"

namespace halyard::local {

class LocalBuffer;
class LocalDevice;

/// Runs an operation on this thread and ends it, if all it waits for is reached and this thread would run it anyway
/// before the application's call returns. Such an operation needs no action, no copy of its arguments and no references
/// except to the semaphores that it signals. If it has to become an action, does nothing and returns false.
///
/// `made` is the buffer of an ALLOCA. Within a submission, as the last touch of the device: another thread that sees
/// the signals may give it up.
bool RunImmediately(LocalDevice& device, const hal_queue_operation_t& operation, LocalBuffer* made) noexcept;

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_QUEUE_LOCAL_IMMEDIATE_H_
