// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// All of Halyard's API for applications. Drivers also include halyard/driver_api.h, kernels halyard/local_kernel.h.
#ifndef HALYARD_HALYARD_H_
#define HALYARD_HALYARD_H_

#include "halyard/allocator.h"          // IWYU pragma: export
#include "halyard/base.h"               // IWYU pragma: export
#include "halyard/blob_store.h"         // IWYU pragma: export
#include "halyard/buffer.h"             // IWYU pragma: export
#include "halyard/buffer_view.h"        // IWYU pragma: export
#include "halyard/command_buffer.h"     // IWYU pragma: export
#include "halyard/device.h"             // IWYU pragma: export
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

#endif  // HALYARD_HALYARD_H_
