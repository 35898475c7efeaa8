// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// All of Halyard's API for applications. Drivers also include halyard/driver_api.h, kernels halyard/local_kernel.h.
///
/// **Objects.** A *device* is opened by its URI: `local` (the host), `cuda://0`, `hip://0`, `metal://0`, `vulkan://0`.
/// Everything else belongs to one device:
///
/// | object | what it is |
/// |---|---|
/// | allocator | the device's memory: makes buffers, or imports memory of the application |
/// | buffer | a range of memory, with all that it will be used for |
/// | executable | kernels for the device, from an executable file or from a format of the vendor |
/// | semaphore | a timeline: a 64-bit value that only grows. The host and all devices wait for it and signal it |
/// | command buffer | recorded commands, executed once or many times with other buffers |
/// | fence | a set of timeline points |
/// | event | order inside a command buffer |
/// | file | what queues read and write |
/// | executable cache | prepares the same bytes once |
///
/// **A dispatch.** Open a device, load kernels, make a buffer and a timeline, submit, wait, read:
///
/// ```c
/// hal_device_t* device;
/// hal_device_create(hal_string_view("local"), &device);
///
/// hal_executable_params_t kernels = HAL_INIT(hal_executable_params_t);
/// kernels.path = hal_string_view("kernels.halx");  // made by halyard-pack
/// hal_executable_t* executable;
/// hal_executable_create(device, &kernels, &executable);
///
/// hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;  // the host can map, write and read it,
/// params.usage |= HAL_BUFFER_USAGE_STORAGE;                     // and kernels can use it
/// hal_buffer_t* buffer;
/// hal_allocator_allocate(hal_device_allocator(device), &params, sizeof(values), &buffer);
/// hal_buffer_write(buffer, 0, values, sizeof(values));
///
/// hal_semaphore_t* timeline;
/// hal_semaphore_create(device, NULL, &timeline);
/// hal_timeline_point_t done = hal_timeline_point(timeline, 1);
///
/// hal_buffer_ref_t binding = hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE);
/// hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
/// dispatch.bindings = hal_buffer_ref_list(&binding, 1);
/// hal_submit_params_t submit = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&done, 1));
/// hal_device_queue_dispatch(device, &submit, executable, 0, &dispatch);
///
/// hal_semaphore_wait(timeline, 1, HAL_TIMEOUT_INFINITE);
/// hal_buffer_read(buffer, 0, values, sizeof(values));
/// ```
///
/// examples/hello is this program with its checks. Kernels come from one source for all devices (docs/kernels.md) or
/// from other compilers (docs/kernels-from-compilers.md).
///
/// **Order.** Only semaphores order queue operations. An operation waits for a list of points, works, and signals a
/// list of points. Operations without a path of points between them may run at once or in any order, on one queue too.
/// A wait may be submitted before the signal: the operation is deferred and uses no thread. Inside a command buffer,
/// barriers and events order commands. See docs/queue-semantics.md.
///
/// **Often executed work** is recorded once. Commands name buffers, or slots that each execution fills from a binding
/// table:
///
/// ```c
/// hal_command_buffer_t* commands;
/// hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
/// recording.binding_capacity = 1;
/// hal_command_buffer_create(device, &recording, &commands);
/// hal_command_buffer_begin(commands);
/// binding = hal_slot_ref(0, 0, HAL_WHOLE_SIZE);
/// hal_command_buffer_dispatch(commands, executable, 0, &dispatch);
/// hal_command_buffer_end(commands);
///
/// binding = hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE);  // another one in each execution
/// hal_device_queue_execute(device, &submit, commands, hal_buffer_ref_list(&binding, 1));
/// ```
///
/// **Ownership.** Objects are reference counted. A function with an `out_` parameter returns one reference, which the
/// caller releases with `hal_<object>_release`. Objects may be released in any order, and as soon as a call that used
/// them returned: a child keeps its device alive, a recording and a submission keep what they name. One exception: a
/// submission does not keep the semaphores alive that it waits for. See docs/ownership.md.
///
/// **Threads.** A function is *thread-safe* (any number of threads, also on one object) or *thread-compatible* (one
/// thread at a time for each object); its comment says which. Recording is thread-compatible, submission is
/// thread-safe. No queue operation waits on the caller's thread. Callbacks run without a lock of the library; they may
/// call it and must not block. See docs/threads.md.
///
/// **Errors.** Functions return a hal_status_t, and hal_last_error_message() has the text of this thread's last
/// failure. A call that fails has done nothing. Work that fails later fails the semaphores that it would have
/// signalled, and waiting for them returns its status and its message. Nothing aborts the process. See docs/errors.md.
///
/// **Strings** are views of a pointer and a length (hal_string_view_t) and need no terminator.
///
/// **Growth.** A parameter struct begins with its size. Start each from its `HAL_…_INIT`, so that fields of later
/// versions have their defaults. A newer library takes structs of older programs, and fills structs of theirs as far as
/// they go. See docs/abi-stability.md.
///
/// **In C++** halyard/halyard.hpp has the same with handles that count references, lists and exceptions.
#ifndef HALYARD_HALYARD_H_
#define HALYARD_HALYARD_H_

#include "halyard/allocator.h"          // IWYU pragma: export
#include "halyard/base.h"               // IWYU pragma: export
#include "halyard/blob_store.h"         // IWYU pragma: export
#include "halyard/buffer.h"             // IWYU pragma: export
#include "halyard/buffer_view.h"        // IWYU pragma: export
#include "halyard/channel.h"            // IWYU pragma: export
#include "halyard/command_buffer.h"     // IWYU pragma: export
#include "halyard/device.h"             // IWYU pragma: export
#include "halyard/device_group.h"       // IWYU pragma: export
#include "halyard/device_properties.h"  // IWYU pragma: export
#include "halyard/event.h"              // IWYU pragma: export
#include "halyard/executable.h"         // IWYU pragma: export
#include "halyard/executable_cache.h"   // IWYU pragma: export
#include "halyard/executor.h"           // IWYU pragma: export
#include "halyard/fence.h"              // IWYU pragma: export
#include "halyard/file.h"               // IWYU pragma: export
#include "halyard/label.h"              // IWYU pragma: export
#include "halyard/memref.h"             // IWYU pragma: export
#include "halyard/pipeline_layout.h"    // IWYU pragma: export
#include "halyard/profiling.h"          // IWYU pragma: export
#include "halyard/queue.h"              // IWYU pragma: export
#include "halyard/registry.h"           // IWYU pragma: export
#include "halyard/semaphore.h"          // IWYU pragma: export
#include "halyard/status.h"             // IWYU pragma: export
#include "halyard/stream.h"             // IWYU pragma: export

#endif  // HALYARD_HALYARD_H_
