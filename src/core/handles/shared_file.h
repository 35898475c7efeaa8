// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What descriptors of memory must be that a caller gives. In this folder: memory and semaphores of other processes.
#ifndef HALYARD_CORE_HANDLES_SHARED_FILE_H_
#define HALYARD_CORE_HANDLES_SHARED_FILE_H_

#include <cstdint>

#include "base/status.h"
#include "platform/file_descriptor.h"
#include "platform/shared_memory.h"

namespace halyard {

/// The descriptor in a handle: INVALID_ARGUMENT for a number that is no open one, INCOMPATIBLE for a pipe, a socket or
/// a folder. `argument` is what the caller calls the handle.
Status ReadDescriptor(const char* argument, uint64_t handle, int* out_descriptor);

/// Looks at a descriptor of memory of the host. INCOMPATIBLE unless it is of a file in memory whose size stays,
/// PERMISSION_DENIED unless it is the user's of this process, and may be written if `writes`.
Status ReadHostFile(const char* argument, uint64_t handle, bool writes, int* out_descriptor, SharedFileFacts* out);

/// UNIMPLEMENTED where processes share no memory of the host.
Status CheckSharesHostMemory();

}  // namespace halyard

#endif  // HALYARD_CORE_HANDLES_SHARED_FILE_H_
