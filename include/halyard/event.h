// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Events: they order work inside one command buffer more finely than a barrier does.
///
/// Graphs of CUDA and HIP order just what an event names. Other drivers order more. A stream runs one command after the
/// other. Vulkan, Metal and the local driver put a barrier at the wait where one is needed. `examples/order` has one.
///
/// Since 0.1, all of it.
#ifndef HALYARD_EVENT_H_
#define HALYARD_EVENT_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Makes an event for use in command buffers of `device`. Its state belongs to one execution of a command buffer: it
/// starts out reset in each. Thread-safe.
HAL_API hal_status_t hal_event_create(hal_device_t* device, hal_event_t** out_event);
/// Keeps an event alive. Thread-safe.
HAL_API void hal_event_retain(hal_event_t* event);
/// Releases a reference. Thread-safe.
HAL_API void hal_event_release(hal_event_t* event);

HAL_EXTERN_C_END

#endif  // HALYARD_EVENT_H_
