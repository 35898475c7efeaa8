// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of an upload or download: a file of memory that only the operation knows.
#ifndef HALYARD_CORE_FILE_HOST_BYTES_H_
#define HALYARD_CORE_FILE_HOST_BYTES_H_

#include "driver_kit/object/object.h"
#include "halyard/file.h"

namespace halyard {

/// A file of the caller's memory. Those that are released are used again, so that nothing is allocated once warm.
/// Throws std::bad_alloc. Thread-safe.
/// @param mapped  the buffer whose mapping the memory is, which ends with the file
Ref<hal_file_t> TakeHostBytes(void* data, uint64_t length, Ref<hal_buffer_t> mapped = {});

}  // namespace halyard

#endif  // HALYARD_CORE_FILE_HOST_BYTES_H_
